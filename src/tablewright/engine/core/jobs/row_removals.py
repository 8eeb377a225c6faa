"""Row removals: the rows of deleted tables, indexes, backups and journals, deleted in short transactions.

A removal is announced in the transaction of its request: from then on no request reads these rows. The first batch is
removed in that transaction, so a small table is gone at once; a job removes the others, batch by batch, and continues
after a restart.
"""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from tablewright.engine.core.jobs.job_runner import new_key, schedule
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.row_batches import batch_end

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job


def remove_spaces(tx: Writing, spaces: Iterable[int]) -> None:
    """Remove spaces with all their rows; no table or backup may use them any more."""
    tx.state.catalog.removals += 1
    left = [space for space in spaces if not _drop_if_small(tx, space)]
    if left:
        schedule(tx, new_key(tx), "removal", {"Spaces": left})


def remove_range(tx: Writing, space: int, low: bytes, high: bytes) -> None:
    """Remove the rows of a range; no row may be added to it any more."""
    if not _remove_batch(tx, space, low, high):
        document = {"Spaces": [], "Range": [space, low.hex(), high.hex()]}
        schedule(tx, new_key(tx), "removal", document)


def remove_index(tx: Writing, table: str, space: int) -> None:
    """Remove the space of a deleted index; its table shows the index as being deleted until then."""
    tx.state.catalog.removals += 1
    if _drop_if_small(tx, space):
        _forget_deleted(tx, table, space)
    else:
        schedule(tx, new_key(tx), "index_removal", {"Spaces": [space], "Table": table})


def run(job: "Job") -> None:
    """Run the job: remove batches until nothing is left."""
    document = job.document
    for space in document["Spaces"]:
        while not job.write(partial(_drop_step, space=space)):
            pass
    if "Range" in document:
        space, low, high = document["Range"]
        step = partial(_remove_batch, space=space, low=bytes.fromhex(low), high=bytes.fromhex(high))
        while not job.write(step):
            pass
    job.write(partial(_finish, job=job, document=document))


def _drop_step(tx: Writing, space: int) -> bool:
    """Remove a batch of a space; return whether the space is gone."""
    if not tx.rows.has_space(space) or _drop_if_small(tx, space):
        return True
    _remove_batch(tx, space)
    return False


def _drop_if_small(tx: Writing, space: int) -> bool:
    if batch_end(tx.rows, space, b"") is not None:
        return False
    tx.drop_space(space)
    return True


def _remove_batch(tx: Writing, space: int, low: bytes = b"", high: bytes | None = None) -> bool:
    """Remove the first batch of a range; return whether it was the last."""
    end = batch_end(tx.rows, space, low, high)
    tx.rows.delete_range(space, low, end)
    return end == high


def _finish(tx: Writing, job: "Job", document: dict[str, Any]) -> None:
    if "Table" in document:
        _forget_deleted(tx, document["Table"], document["Spaces"][0])
    job.end(tx)


def _forget_deleted(tx: Writing, name: str, space: int) -> None:
    """Remove a deleted index from what DescribeTable shows."""
    table = tx.state.catalog.find(name)
    if table is not None and table.definition.get("Deleting", {}).get("Space") == space:
        definition = {key: value for key, value in table.definition.items() if key != "Deleting"}
        tx.state.catalog.save(tx.rows, definition)
