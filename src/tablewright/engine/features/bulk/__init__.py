"""Bulk operations: items from the files of a bucket, put into an existing table while clients use it."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="bulk",
    operations={
        "CancelBulkOperation": "cancel_bulk_operation",
        "DescribeBulkOperation": "describe_bulk_operation",
        "ListBulkOperations": "list_bulk_operations",
        "StartBulkPutItems": "start_bulk_put_items",
    },
    jobs={"bulk-operation": "bulk_put_job"},
)
