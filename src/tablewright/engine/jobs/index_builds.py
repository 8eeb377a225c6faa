"""Index builds: the job that fills a new global or vector index while clients write, and continues after a restart.

The first step runs in the transaction of UpdateTable: a small table has its index at once. Otherwise a job continues
from the key that its record contains. The record is saved in the transaction of each step, so a killed process
continues where the last durable step ended.
"""

from functools import partial
from typing import TYPE_CHECKING

from tablewright.engine.jobs import job_records
from tablewright.engine.jobs.job_runner import new_key, schedule
from tablewright.engine.sessions import Writing
from tablewright.engine.state.catalog import Index, Table
from tablewright.engine.state.vector_index import VectorIndex
from tablewright.engine.tables.index_backfill import fill_step

if TYPE_CHECKING:
    from tablewright.engine.jobs.job_runner import Job


def begin(tx: Writing, table: Table) -> None:
    """Fill the index that the table has in `Building`, or schedule the job that does it."""
    index = _building(table)
    if index is None:
        return
    position = fill_step(tx, table, [index], b"")
    if position is None:
        _complete(tx, table)
    else:
        document = {"Table": table.name, "Space": index.space, "From": position.hex()}
        schedule(tx, new_key(tx), "index", document)


def run(job: "Job") -> None:
    """Run the job: fill the index in steps, then make it readable."""
    while job.write(partial(_step, job=job)):
        pass
    # After the last step is durable: a reader that finds the index readable also finds all its rows.
    job.write(partial(_finish, job=job))


def _step(tx: Writing, job: "Job") -> bool:
    """Fill a batch; return whether there is more to fill."""
    table, index = _find(tx, job)
    if table is None or index is None:
        return False
    position = fill_step(tx, table, [index], bytes.fromhex(job.document["From"]))
    if position is None:
        return False
    job.document = {**job.document, "From": position.hex()}
    job_records.save(tx.rows, "job", job.key, job.document)
    return True


def _finish(tx: Writing, job: "Job") -> None:
    table, index = _find(tx, job)
    if table is not None and index is not None:
        _complete(tx, table)
    job.end(tx)


def _complete(tx: Writing, table: Table) -> None:
    definition = {name: value for name, value in table.definition.items() if name != "Building"}
    tx.state.catalog.save(tx.rows, definition)


def _find(tx: Writing, job: "Job") -> tuple[Table | None, Index | VectorIndex | None]:
    """The table and the index of the job; the index is None when it was deleted meanwhile."""
    table = tx.state.catalog.find(job.document["Table"])
    index = None if table is None else _building(table)
    return table, index if index is not None and index.space == job.document["Space"] else None


def _building(table: Table) -> Index | VectorIndex | None:
    return next((index for index in table.all_indexes if index.is_building), None)
