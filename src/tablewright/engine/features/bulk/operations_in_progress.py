"""Bulk operations in progress: what a table must not change until they have ended."""

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import Table
from tablewright.errors import ResourceInUse


def require_no_bulk_operation(tx: Reading, table: Table, what: str) -> None:
    """Reject a new replica of a table into which a bulk operation puts items: global tables have none, as on AWS."""
    if what != "replica":
        return
    for _, document in job_records.each(tx.rows, "bulk-operation"):
        description = document["Description"]
        target = description["TableDetails"][0]["TableId"]
        if "EndTime" not in description and target == table.description["TableId"]:
            raise ResourceInUse(
                f"Table {table.name} has a bulk operation in progress, {description['BulkOperationArn']}; add the "
                "replica when it has ended"
            )
