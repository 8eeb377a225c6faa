"""Index builds: the job that fills a new global or vector index while clients write, and continues after a restart.

The first step runs in the transaction of UpdateTable: a small table has its index at once. Otherwise a job continues
from the key that its record contains. The record is saved after each group of rows, so a killed process repeats at most
one group; rows that exist already are written again.
"""

from functools import partial
from typing import TYPE_CHECKING

from tablewright.engine.jobs import job_records
from tablewright.engine.jobs.job_runner import new_key, schedule
from tablewright.engine.sessions import Reading, Writing
from tablewright.engine.state import row_batches
from tablewright.engine.state.catalog import Index, Table
from tablewright.engine.state.vector_index import VectorIndex
from tablewright.engine.tables.index_backfill import Place, fill_places, fill_step, index_places

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
    """Run the job: fill the index in groups of rows, then make it readable."""
    while _fill_group(job):
        pass
    # After the last step is durable: a reader that finds the index readable also finds all its rows.
    job.write(partial(_finish, job=job))


def _fill_group(job: "Job") -> bool:
    """Fill the rows of the next items, in the order of the index; return whether there is more to fill."""
    _, index = job.read(partial(_find, job=job))
    if isinstance(index, VectorIndex):
        return job.write(partial(_step, job=job))
    places: list[Place] = []
    position: bytes | None = bytes.fromhex(job.document["From"])
    for _ in range(row_batches.GROUP_BATCHES):
        if position is None:
            break
        found, position = job.read(partial(_read_places, job=job, low=position))
        places += found
    places.sort()
    written = 0
    while written < len(places):
        written = job.write(partial(_write_places, job=job, places=places, start=written))
    return job.write(partial(_save_position, job=job, position=position))


def _read_places(tx: Reading, job: "Job", low: bytes) -> tuple[list[Place], bytes | None]:
    table, index = _find(tx, job)
    if table is None or not isinstance(index, Index):
        return [], None
    return index_places(tx.rows, table, index, low)


def _write_places(tx: Writing, job: "Job", places: list[Place], start: int) -> int:
    table, index = _find(tx, job)
    if table is None or not isinstance(index, Index):
        return len(places)
    return fill_places(tx, table, index, places, start)


def _save_position(tx: Writing, job: "Job", position: bytes | None) -> bool:
    """Save where the next group begins; return False at the end, or when the index was deleted meanwhile."""
    if position is None or _find(tx, job)[1] is None:
        return False
    job.document = {**job.document, "From": position.hex()}
    job_records.save(tx.rows, "job", job.key, job.document)
    return True


def _step(tx: Writing, job: "Job") -> bool:
    """Fill a batch of a vector index; return whether there is more to fill."""
    table, index = _find(tx, job)
    if table is None or index is None:
        return False
    position = fill_step(tx, table, [index], bytes.fromhex(job.document["From"]))
    return _save_position(tx, job, position)


def _finish(tx: Writing, job: "Job") -> None:
    table, index = _find(tx, job)
    if table is not None and index is not None:
        _complete(tx, table)
    job.end(tx)


def _complete(tx: Writing, table: Table) -> None:
    definition = {name: value for name, value in table.definition.items() if name != "Building"}
    tx.state.catalog.save(tx.rows, definition)


def _find(tx: Reading, job: "Job") -> tuple[Table | None, Index | VectorIndex | None]:
    """The table and the index of the job; the index is None when it was deleted meanwhile."""
    table = tx.state.catalog.find(job.document["Table"])
    index = None if table is None else _building(table)
    return table, index if index is not None and index.space == job.document["Space"] else None


def _building(table: Table) -> Index | VectorIndex | None:
    return next((index for index in table.all_indexes if index.is_building), None)
