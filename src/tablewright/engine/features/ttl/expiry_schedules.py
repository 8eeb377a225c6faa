"""Expiry schedules: the job that schedules the items of a table on which TTL was enabled, while clients write.

The first batch is scheduled in the transaction of UpdateTimeToLive: a small table is done at once. Otherwise a job
continues from the key that its record contains, and after a restart. From the transaction that enabled TTL, every
write schedules its own item.
"""

from functools import partial
from typing import TYPE_CHECKING, Any

from tablewright.engine.core.jobs import job_records, row_removals
from tablewright.engine.core.jobs.job_runner import new_key, schedule
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import EXPIRY, Table
from tablewright.engine.features.ttl import ttl

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job


def begin(tx: Writing, table: Table) -> None:
    """Schedule the items of a table on which TTL was just enabled, or the job that does it."""
    tx.state.sweep_timer.start()
    position = ttl.schedule_step(tx, table, b"")
    if position is not None:
        document = {"Table": table.name, "Schedule": table.expiry_schedule, "From": position.hex()}
        schedule(tx, new_key(tx), "expiry", document)


def disable(tx: Writing, table: Table, definition: dict[str, Any]) -> None:
    """Disable TTL in the definition of a table, and remove its schedule."""
    for member in ("TimeToLive", "ExpirySchedule"):
        definition.pop(member, None)
    row_removals.remove_range(tx, EXPIRY, *ttl.schedule_range(table))


def run(job: "Job") -> None:
    """Run the job: schedule items in steps, until none is left or TTL was disabled."""
    while job.write(partial(_step, job=job)):
        pass


def _step(tx: Writing, job: "Job") -> bool:
    """Schedule a batch; return whether there is more."""
    table = tx.state.catalog.find(job.document["Table"])
    position = None
    if table is not None and table.expiry_schedule == job.document["Schedule"]:
        position = ttl.schedule_step(tx, table, bytes.fromhex(job.document["From"]))
    if position is None:
        job.end(tx)
        return False
    job.document = {**job.document, "From": position.hex()}
    job_records.save(tx.rows, "job", job.key, job.document)
    return True
