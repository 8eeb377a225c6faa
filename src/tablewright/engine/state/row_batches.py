"""Row batches: the limits of one short transaction of a job, so that no other writer waits long for it."""

from tablewright.storage import View

MAX_ROWS = 128
GROUP_BATCHES = 512
"""Batches whose rows are sorted together before they are written: the keys of 65,536 rows take some 20 MB."""
MAX_BYTES = 1 << 20
"""Bytes of items. One item is at most 400 KB, so a batch is never more than this and one item."""
MAX_SECONDS = 0.008
"""Seconds that a step which computes rows in Python may take."""


def batch_end(rows: View, space: int, low: bytes, high: bytes | None = None) -> bytes | None:
    """The key before which the batch of rows from `low` on ends; `high` when the batch is the last one below `high`."""
    count = MAX_ROWS
    while True:
        end = rows.key_after(space, low, count)
        if end is None or (high is not None and end >= high):
            end = high
        if count == 1 or rows.totals(space, low, end)[1] <= MAX_BYTES:
            return end
        count = max(1, count // 4)


def is_one_batch(rows: View, space: int) -> bool:
    """Whether all rows of a space fit in one batch; also when there is no such space."""
    return not rows.has_space(space) or batch_end(rows, space, b"") is None
