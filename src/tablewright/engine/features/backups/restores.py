"""Restores: a new table with the items of a backup, or of a table as of a point in time.

It has the keys, indexes, billing and encryption of its source, unless the request overrides them, and no TTL, stream,
tags, protection or recovery, as on AWS. It is announced, then filled by a job, and becomes visible when complete.
"""

from typing import TYPE_CHECKING, Any

from tablewright.engine.core.jobs import index_fills, job_records
from tablewright.engine.core.jobs.job_runner import new_key, schedule
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import Table
from tablewright.engine.core.tables.table_definitions import new_definition
from tablewright.engine.core.tables.table_descriptions import show_announced
from tablewright.engine.features.backups import row_copies
from tablewright.errors import LimitExceeded, TableAlreadyExists, TableInUse

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job

MAX_RESTORES = 50


def require_free(tx: Writing, name: str) -> None:
    """Reject a restore into a table that exists or is being restored, and more than `MAX_RESTORES` restores."""
    catalog = tx.state.catalog
    if catalog.find(name):
        raise TableAlreadyExists(f"Table already exists: {name}")
    coming = catalog.announced(tx.rows, name)
    if coming is not None:
        origin = coming.definition["Restore"].get("SourceBackupArn")
        source = f" from backup: {origin}" if origin else ""
        raise TableInUse(f"Table: {name} is already being restored{source}")
    if sum(job["Kind"] == "restore" for _, job in job_records.each(tx.rows, "job")) >= MAX_RESTORES:
        raise LimitExceeded(
            f"Subscriber limit exceeded: Only {MAX_RESTORES} restore operations are allowed simultaneously"
        )


def announce(tx: Writing, description: dict[str, Any], summary: dict[str, Any]) -> Table:
    """Announce the new table, with empty spaces; `summary` is its RestoreSummary."""
    definition = new_definition(tx, description) | {"Restore": summary | {"RestoreInProgress": True}}
    return tx.state.catalog.announce(tx.rows, definition)


def from_backup(tx: Writing, target: Table, backup: str, space: int) -> None:
    """Schedule a restore from a backup, given by the key of its record."""
    schedule(tx, new_key(tx), "restore", {"Target": target.name, "Source": space, "Backup": backup})


def to_point_in_time(tx: Writing, target: Table, source: Table, number: int) -> None:
    """Schedule a restore from a table as it was before the change of that number."""
    key = new_key(tx)
    row_copies.hold(tx, source, key)
    parameters = {"Target": target.name, "Source": source.space, "Table": source.id, "From": str(number)}
    schedule(tx, key, "restore", parameters)


def run(job: "Job") -> None:
    """Run the job: copy the items, build the indexes, then make the table visible."""
    parameters = job.document

    def announced(tx: Reading) -> Table:
        table = tx.state.catalog.announced(tx.rows, parameters["Target"])
        assert table is not None
        return table

    def finish(tx: Writing) -> None:
        definition = {
            name: value for name, value in target.definition.items() if name not in ("Status", "Restore")
        }
        tx.state.catalog.save(tx.rows, definition)
        if "Backup" in parameters:
            backup = job_records.find(tx.rows, "backup", parameters["Backup"])
            assert backup is not None
            job_records.save(tx.rows, "backup", parameters["Backup"], backup | {"Restoring": None})
        else:
            row_copies.release(tx, parameters["Table"], job.key)
        job.end(tx)

    target = job.read(announced)
    index_fills.clear(job, *target.definition["Spaces"].values())
    index_fills.clear_collection_sizes(job, target)
    if "Backup" in parameters:
        row_copies.copy(job, parameters["Source"], target.space)
    else:
        row_copies.copy_as_of(
            job, parameters["Source"], target.space, parameters["Table"], int(parameters["From"])
        )
    index_fills.fill_indexes(job, target)
    job.write(finish)


def show(table: Table) -> dict[str, Any]:
    """The description of an announced table in replies."""
    return show_announced(table)


def restore_summary(table: Table) -> dict[str, Any]:
    """What DescribeTable adds for a table that is being restored."""
    return {"RestoreSummary": table.definition["Restore"]} if "Restore" in table.definition else {}
