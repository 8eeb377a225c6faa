"""Row batches: the limits of one short transaction of a job, so that no other writer waits long for it."""

from collections.abc import Iterable, Iterator

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import ReadView

Row = tuple[bytes, StoredItem]

MAX_ROWS = 128
PREPARED = 8
"""How many times as many rows a step may have that writes them as they are, in the order of their keys."""
MAX_BYTES = 1 << 20
"""Bytes of items. One item is at most 400 KB, so a batch is never more than this and one item."""
MAX_SECONDS = 0.008
"""Seconds that a step which computes rows in Python may take."""


def batch_end(
    rows: ReadView, space: int, low: bytes, high: bytes | None = None, times: int = 1
) -> bytes | None:
    """The key before which the batch of rows from `low` on ends; `high` when the batch is the last one below `high`.

    A batch has `times` as many rows as other batches: `PREPARED` for rows that are written as they are.
    """
    count = MAX_ROWS * times
    while True:
        end = rows.key_after(space, low, count)
        if end is None or (high is not None and end >= high):
            end = high
        if count == 1 or rows.totals(space, low, end)[1] <= MAX_BYTES:
            return end
        count = max(1, count // 4)


def is_one_batch(rows: ReadView, space: int) -> bool:
    """Whether all rows of a space fit in one batch; also when there is no such space."""
    return not rows.has_space(space) or batch_end(rows, space, b"") is None


def batches(rows: Iterable[Row], max_rows: int | None = None) -> Iterator[list[Row]]:
    """Rows that are written as they are, in batches of one transaction.

    >>> rows = [(b"a", StoredItem(b"{}", 3)), (b"b", StoredItem(b"{}", 3)), (b"c", StoredItem(b"{}", 3))]
    >>> [len(batch) for batch in batches(rows, 2)]
    [2, 1]
    """
    limit = MAX_ROWS * PREPARED if max_rows is None else max_rows
    batch: list[Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += row[1].size
        if len(batch) >= limit or size >= MAX_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
