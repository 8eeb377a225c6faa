"""Required permissions: for every operation, the actions and resources that a caller must be allowed.

An operation that is not listed here cannot be called where policies are enforced: a test compares this table with all
operations.
"""

from collections.abc import Callable, Iterator
from typing import Any

from tablewright.dynamodb.policies import Permission
from tablewright.engine.core.sessions import Reading
from tablewright.engine.features.authorization import item_permissions as items
from tablewright.engine.features.authorization import statement_permissions as statements
from tablewright.engine.features.authorization import table_permissions as tables
from tablewright.engine.features.authorization.table_permissions import (
    on_all,
    on_arn,
    on_everything,
    on_global_table,
    on_resource,
    on_table,
)

Needs = Callable[[Reading, dict[str, Any], Any], Iterator[Permission | None]]

_ON_TABLE = """
    CreateBackup DeleteTable DescribeContinuousBackups DescribeContributorInsights DescribeKinesisStreamingDestination
    DescribeTable DescribeTableReplicaAutoScaling DescribeTimeToLive DisableKinesisStreamingDestination
    EnableKinesisStreamingDestination UpdateContinuousBackups UpdateContributorInsights
    UpdateKinesisStreamingDestination UpdateTableReplicaAutoScaling UpdateTimeToLive
""".split()
_ON_GLOBAL_TABLE = """
    CreateGlobalTable DescribeGlobalTable DescribeGlobalTableSettings ListGlobalTables UpdateGlobalTable
    UpdateGlobalTableSettings
""".split()
_ON_RESOURCE = """
    DeleteResourcePolicy GetResourcePolicy ListTagsOfResource PutResourcePolicy TagResource UntagResource
""".split()

REQUIRED: dict[str, Needs] = {
    **{name: on_table(name) for name in _ON_TABLE},
    **{name: on_global_table(name) for name in _ON_GLOBAL_TABLE},
    **{name: on_resource(name) for name in _ON_RESOURCE},
    "BatchExecuteStatement": statements.batch_execute_statement,
    "BatchGetItem": items.batch_get_item,
    "BatchWriteItem": items.batch_write_item,
    "CancelBulkOperation": on_arn("CancelBulkOperation", "BulkOperationArn"),
    "CreateReplica": on_table("CreateTableReplica"),
    "CreateTable": tables.create_table,
    "DeleteBackup": on_arn("DeleteBackup", "BackupArn"),
    "DeleteItem": items.write_item,
    "DeleteReplica": on_table("DeleteTableReplica"),
    "DescribeBackup": on_arn("DescribeBackup", "BackupArn"),
    "DescribeBulkOperation": on_arn("DescribeBulkOperation", "BulkOperationArn"),
    "DescribeEndpoints": on_everything("DescribeEndpoints"),
    "DescribeExport": on_arn("DescribeExport", "ExportArn"),
    "DescribeImport": on_arn("DescribeImport", "ImportArn"),
    "DescribeLimits": on_everything("DescribeLimits"),
    "DescribeStream": on_arn("DescribeStream", "StreamArn"),
    "ExecuteStatement": statements.execute_statement,
    "ExecuteTransaction": statements.execute_transaction,
    "ExportTableToPointInTime": tables.export_table,
    "GetItem": items.get_item,
    "GetRecords": tables.get_records,
    "GetShardIterator": on_arn("GetShardIterator", "StreamArn"),
    "ImportTable": tables.import_table,
    "ListBackups": on_all("ListBackups", "backup", "TableName"),
    "ListBulkOperations": on_all("ListBulkOperations", "bulk-operation"),
    "ListContributorInsights": on_all("ListContributorInsights", "index", "TableName"),
    "ListExports": on_all("ListExports", "export", "TableArn"),
    "ListImports": on_all("ListImports", "import", "TableArn"),
    "ListStreams": on_all("ListStreams", "stream", "TableName"),
    "ListTables": on_all("ListTables"),
    "PutItem": items.write_item,
    "Query": items.query,
    "ReadReplica": on_table("ReadDataForReplication"),
    "RestoreTableFromBackup": tables.restore_table_from_backup,
    "RestoreTableToPointInTime": tables.restore_table_to_point_in_time,
    "Scan": items.scan,
    "SearchVectors": items.search_vectors,
    "StartBulkPutItems": tables.start_bulk_put_items,
    "TransactGetItems": items.transact_get_items,
    "TransactWriteItems": items.transact_write_items,
    "UpdateItem": items.write_item,
    "UpdateTable": tables.update_table,
}
"""The permissions of each operation, by its name."""
