"""Bulk operations: items from the files of a bucket, put into an existing table while clients use it."""

from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.tables.table_definitions import TABLE_VETOES
from tablewright.engine.features.bulk.operations_in_progress import require_no_bulk_operation

FEATURE = Feature(
    name="bulk",
    operations={
        "CancelBulkOperation": "bulk_operations",
        "DescribeBulkOperation": "bulk_operations",
        "ListBulkOperations": "bulk_operations",
        "StartBulkPutItems": "bulk_operations",
    },
    jobs={"bulk-operation": "bulk_put_job"},
    records=("bulk-operation",),
    parts=(TABLE_VETOES.part(require_no_bulk_operation),),
)
