"""Row blocks: the rows that a search compares, read in short steps."""

from collections.abc import Iterator, Mapping

from tablewright.engine.state.vector_index import VectorIndex
from tablewright.engine.vectors.nearest import Block
from tablewright.engine.vectors.search_conditions import Range
from tablewright.engine.vectors.vector_rows import projected_item, vector_part
from tablewright.storage import View
from tablewright.values.attributes import AttributeValue
from tablewright.values.stored_items import StoredItem
from tablewright.values.vectors import WIDTH

MAX_ROWS = 2048
MAX_BYTES = 2 << 20
"""Bytes of vectors in one block."""


def next_block(view: View, index: VectorIndex, chosen: Range, low: bytes) -> tuple[Block, bytes | None]:
    """The block of rows from the key `low` on, and the key at which the next one begins; None after the last."""
    limit = max(1, min(MAX_ROWS, MAX_BYTES // (index.dimensions * WIDTH)))
    rows: list[tuple[bytes, StoredItem]] = []
    vectors: list[bytes] = []
    position = None
    for count, (key, row) in enumerate(view.range(index.space, low, chosen.high)):
        if count == limit:
            position = key
            break
        if not chosen.filters or _passes(index, row, chosen.filters):
            rows.append((key, row))
            vectors.append(vector_part(index, row))
    return Block(rows, vectors), position


def _passes(index: VectorIndex, row: StoredItem, filters: Mapping[str, AttributeValue]) -> bool:
    item = projected_item(index, row)
    return all(item.get(name) == value for name, value in filters.items())


def blocks(view: View, index: VectorIndex, chosen: Range) -> Iterator[Block]:
    """All blocks of a range, read from one view."""
    low: bytes | None = chosen.low
    while low is not None:
        block, low = next_block(view, index, chosen, low)
        yield block
