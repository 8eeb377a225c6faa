"""Bulk operations: items from the files of a bucket, put into an existing table while clients use it."""

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.tables.table_definitions import TABLE_VETOES
from tablewright.errors import ResourceInUse


def require_no_bulk_operation(tx: Reading, table: StoredTable, what: str) -> None:
    """Reject a new replica of a table into which a bulk operation puts items: global tables have none, as on AWS."""
    if what != "replica":
        return
    for _, document in job_records.documents(tx.rows, "bulk-operation"):
        description = document["Description"]
        target = description["TableDetails"][0]["TableId"]
        if "EndTime" not in description and target == table.description["TableId"]:
            raise ResourceInUse(
                f"Table {table.name} has a bulk operation in progress, {description['BulkOperationArn']}; add the "
                "replica when it has ended"
            )


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
