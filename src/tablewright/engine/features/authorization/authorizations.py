"""Authorizations: a caller with the facts of its request, and the check of everything that the request needs.

The check runs in the session of the request, after the request is validated and before it is run, so that the table and
its policy cannot change in between. Only the objects of a bucket are listed before the session begins: that takes time,
and other writers would wait.

Required permissions: for every operation, the actions and resources that a caller must be allowed.

An operation that is not listed here cannot be called where policies are enforced: a test compares this table with all
operations.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any

from tablewright.dynamodb.policies import Caller, Permission, PolicyDocument, decide, parse_document
from tablewright.engine.core.requests.arns import ACCOUNT, parse_arn
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.engine_state import EngineState
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
from tablewright.errors import AccessDenied

Needs = Callable[..., Iterator[Permission | None]]

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


ADMINISTRATOR = parse_document(
    {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}
)
"""The policy that allows everything."""

Run = Callable[[Any, Any], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Authorization:
    """A caller, and where its request comes from."""

    caller: Caller
    source_ip: str = ""
    user_agent: str = ""

    def authorized(self, state: EngineState, operation: str, raw: dict[str, Any], run: Run) -> Run:
        """The function that runs an operation if its caller is allowed to; otherwise it raises AccessDenied."""
        if operation == "BatchExecuteStatement":
            return lambda tx, parsed: run(tx, self._without_denied(tx, raw, parsed))
        if operation not in REQUIRED:
            raise AccessDenied(f"The permissions of {operation} are not known, so it is denied")
        needs = REQUIRED[operation]
        if operation in tables.SOURCES:
            needs = partial(needs, keys=self._object_keys(state, raw[tables.SOURCES[operation]]))
        return partial(self._run, needs, raw, run)

    def _object_keys(self, state: EngineState, source: dict[str, Any]) -> list[str]:
        """The keys of a source of objects; none for a caller who may not list them, and so is denied later."""
        if self.denial(state, tables.listing_of(source)) is not None:
            return []
        return tables.object_keys(state.bucket_directory, source)

    def _run(self, needs: Needs, raw: dict[str, Any], run: Run, tx: Reading, parsed: Any) -> dict[str, Any]:
        for need in needs(tx, raw, parsed):
            if need is not None and (message := self.denial(tx.state, need)) is not None:
                # Not stored in a variable: the exception and this frame would refer to each other.
                raise AccessDenied(message)
        return run(tx, parsed)

    def _without_denied(self, tx: Reading, raw: dict[str, Any], parsed: Any) -> Any:
        """A batch of statements, each denied one replaced by its error: the others are still executed."""
        needs = REQUIRED["BatchExecuteStatement"](tx, raw, parsed)
        entries = []
        for entry, need in zip(parsed.entries, needs, strict=True):
            message = None if need is None else self.denial(tx.state, need)
            entries.append(entry if message is None else entry._replace(statement=AccessDenied(message)))
        return parsed._replace(entries=entries)

    def denial(self, state: EngineState, need: Permission) -> str | None:
        """The message for a permission that the caller does not have; None if it has."""
        of_resource = resource_policy(state, need.resource)
        if of_resource is None and self._is_administrator:
            return None
        context = need.context.merged(self._keys(state))
        denial = decide(self.caller, Permission(need.action, need.resource, context), of_resource)
        return None if denial is None else denial.message

    @property
    def _is_administrator(self) -> bool:
        caller = self.caller
        return (
            caller.policies == (ADMINISTRATOR,)
            and caller.boundary is None
            and caller.principal.account == ACCOUNT
        )

    def _keys(self, state: EngineState) -> dict[str, str]:
        now = state.clock.now()
        keys = {
            "aws:CurrentTime": datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "aws:EpochTime": str(int(now)),
            "aws:SecureTransport": "false",
            "aws:RequestedRegion": state.region,
            "aws:ResourceAccount": ACCOUNT,
            "aws:SourceIp": self.source_ip,
            "aws:UserAgent": self.user_agent,
        }
        return {name: value for name, value in keys.items() if value}


def resource_policy(state: EngineState, arn: str) -> PolicyDocument | None:
    """The policy of a table, which holds for its indexes too, or of a stream; None without one."""
    parts = parse_arn(arn)
    if parts is None or parts.service != "dynamodb" or not parts.resource.startswith("table/"):
        return None
    _, name, *rest = parts.resource.split("/")
    table = state.catalog.find(name)
    policies = None if table is None else table.definition.get("Policies")
    if not policies:
        return None
    place = arn if rest[:1] == ["stream"] else ""
    text = policies.get(place, {}).get("Policy")
    return None if text is None else _parsed(text)


@lru_cache(maxsize=256)
def _parsed(text: str) -> PolicyDocument:
    return parse_document(text, of_resource=True)
