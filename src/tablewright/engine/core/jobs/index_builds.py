"""Index builds: the job that fills a new global or vector index while clients write, and continues after a restart.

The first step runs in the transaction of UpdateTable: a small table has its index at once. Otherwise a job continues
from the key of an item that its record contains.

In a file, the job reads the keys of all items first, sorts them by their place in the index (`row_sorter`), and writes
the rows in that order. From time to time it saves its place in the index. A killed process reads and sorts the keys
again, and continues from that place; rows that exist already are written again. In memory, and in a vector index, rows
are written in the order of the table, and the record contains the key of the next item.
"""

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.index_fills import Place, fill_places, fill_step, index_places
from tablewright.engine.core.jobs.job_runner import new_key, schedule
from tablewright.engine.core.jobs.row_sorter import RowSorter
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state import row_batches
from tablewright.engine.core.state.catalog import OtherIndex, StoredIndex, StoredTable

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job

SAVED_BATCHES = 64
"""Batches of rows that are written between two saved places."""


def begin(tx: Writing, table: StoredTable) -> None:
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
    """Run the job: fill the index, then make it readable."""
    _, index = job.read(partial(_find, job=job))
    path = job.state.store.path
    if path is None or not isinstance(index, StoredIndex):
        while job.write(partial(_step, job=job)):
            pass
    else:
        with RowSorter(path.parent) as sorter:
            _sort_places(job, sorter)
            _fill_in_order(job, sorter)
    # After the last step is durable: a reader that finds the index readable also finds all its rows.
    job.write(partial(_finish, job=job))


def _sort_places(job: "Job", sorter: RowSorter) -> None:
    """Sort the places of all items that come after those of the first step."""
    position: bytes | None = bytes.fromhex(job.document["From"])
    written = bytes.fromhex(job.document.get("Written", ""))
    while position is not None:
        places, position = job.read(partial(_read_places, job=job, low=position))
        for place, key in places:
            if place >= written:
                sorter.add(place, StoredItem(key, 0))


def _fill_in_order(job: "Job", sorter: RowSorter) -> None:
    rows = sorter.rows()
    while places := [(place, key.raw) for place, key in islice(rows, SAVED_BATCHES * row_batches.MAX_ROWS)]:
        done = 0
        while done < len(places):
            done = job.write(partial(_write_places, job=job, places=places, start=done))
        if not job.write(partial(_save_place, job=job, place=places[-1][0])):
            break


def _read_places(tx: Reading, job: "Job", low: bytes) -> tuple[list[Place], bytes | None]:
    table, index = _find(tx, job)
    if table is None or not isinstance(index, StoredIndex):
        return [], None
    return index_places(tx.rows, table, index, low)


def _write_places(tx: Writing, job: "Job", places: list[Place], start: int) -> int:
    table, index = _find(tx, job)
    if table is None or not isinstance(index, StoredIndex):
        return len(places)
    return fill_places(tx, table, index, places, start)


def _save_place(tx: Writing, job: "Job", place: bytes) -> bool:
    """Save that the rows up to a place are written; return False when the index was deleted meanwhile."""
    return _find(tx, job)[1] is not None and _save(tx, job, "Written", place)


def _step(tx: Writing, job: "Job") -> bool:
    """Fill a batch in the order of the table; return False at the end, or when the index was deleted meanwhile."""
    table, index = _find(tx, job)
    if table is None or index is None:
        return False
    position = fill_step(tx, table, [index], bytes.fromhex(job.document["From"]))
    return position is not None and _save(tx, job, "From", position)


def _save(tx: Writing, job: "Job", member: str, key: bytes) -> bool:
    job.document = {**job.document, member: key.hex()}
    job_records.save(tx.rows, "job", job.key, job.document)
    return True


def _finish(tx: Writing, job: "Job") -> None:
    table, index = _find(tx, job)
    if table is not None and index is not None:
        _complete(tx, table)
    job.end(tx)


def _complete(tx: Writing, table: StoredTable) -> None:
    definition = {name: value for name, value in table.definition.items() if name != "Building"}
    tx.state.catalog.save(tx.rows, definition)


def _find(tx: Reading, job: "Job") -> tuple[StoredTable | None, StoredIndex | OtherIndex | None]:
    """The table and the index of the job; the index is None when it was deleted meanwhile."""
    table = tx.state.catalog.find(job.document["Table"])
    index = None if table is None else _building(table)
    return table, index if index is not None and index.space == job.document["Space"] else None


def _building(table: StoredTable) -> StoredIndex | OtherIndex | None:
    return next((index for index in table.all_indexes if index.is_building), None)
