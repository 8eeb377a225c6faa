"""Row blocks: the rows that a search compares, read in short steps."""

from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.dynamodb.values.vectors import WIDTH
from tablewright.engine.features.vectors.nearest import Block
from tablewright.engine.features.vectors.vector_index import VectorIndex
from tablewright.engine.features.vectors.vector_rows import projected_item, vector_part
from tablewright.engine.storage import View

MAX_ROWS = 2048
MAX_BYTES = 2 << 20
"""Bytes of vectors in one block."""


def next_block(view: View, index: VectorIndex, low: bytes, high: bytes | None) -> tuple[Block, bytes | None]:
    """The block of rows from the key `low` on, and the key at which the next one begins; None after the last."""
    limit = rows_in_block(index)
    keys: list[bytes] = []
    vectors: list[bytes] = []
    labels: list[Item] | None = [] if has_filters(index) else None
    for key, row in view.range(index.space, low, high):
        if len(keys) == limit:
            return Block(keys, b"".join(vectors), index.dimensions * WIDTH, labels), key
        keys.append(key)
        vectors.append(vector_part(index, row))
        if labels is not None:
            labels.append(label_of(index, row))
    return Block(keys, b"".join(vectors), index.dimensions * WIDTH, labels), None


def rows_in_block(index: VectorIndex) -> int:
    """The largest number of rows of a block."""
    return max(1, min(MAX_ROWS, MAX_BYTES // (index.dimensions * WIDTH)))


def has_filters(index: VectorIndex) -> bool:
    """Whether the search schema has inline filters."""
    return len(index.types) > (index.hash is not None)


def label_of(index: VectorIndex, row: StoredItem) -> Item:
    """The values of the search schema in a row."""
    item = projected_item(index, row)
    return {name: item[name] for name in index.types if name in item}
