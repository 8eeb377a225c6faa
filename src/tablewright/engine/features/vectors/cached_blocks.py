"""Cached blocks: the vectors of a range of an index in memory, refreshed with the rows that writers changed.

Blocks are immutable: a refresh makes new ones of those that have changed, and searches that are running keep theirs.

Row blocks: the rows that a search compares, read in short steps.
"""

from collections.abc import Iterable, Mapping

from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.dynamodb.values.vectors import WIDTH
from tablewright.engine.features.vectors.nearest import VectorBlock
from tablewright.engine.features.vectors.vector_index import CompiledVectorIndex, projected_item, vector_part
from tablewright.engine.storage import ReadView

MAX_ROWS = 2048
MAX_BYTES = 2 << 20
"""Bytes of vectors in one block."""


def next_block(
    view: ReadView, index: CompiledVectorIndex, low: bytes, high: bytes | None
) -> tuple[VectorBlock, bytes | None]:
    """The block of rows from the key `low` on, and the key at which the next one begins; None after the last."""
    limit = rows_in_block(index)
    keys: list[bytes] = []
    vectors: list[bytes] = []
    labels: list[Item] | None = [] if has_filters(index) else None
    for key, row in view.range(index.space, low, high):
        if len(keys) == limit:
            return VectorBlock(keys, b"".join(vectors), index.dimensions * WIDTH, labels), key
        keys.append(key)
        vectors.append(vector_part(index, row))
        if labels is not None:
            labels.append(label_of(index, row))
    return VectorBlock(keys, b"".join(vectors), index.dimensions * WIDTH, labels), None


def rows_in_block(index: CompiledVectorIndex) -> int:
    """The largest number of rows of a block."""
    return max(1, min(MAX_ROWS, MAX_BYTES // (index.dimensions * WIDTH)))


def has_filters(index: CompiledVectorIndex) -> bool:
    """Whether the search schema has inline filters."""
    return len(index.types) > (index.hash is not None)


def label_of(index: CompiledVectorIndex, row: StoredItem) -> Item:
    """The values of the search schema in a row."""
    item = projected_item(index, row)
    return {name: item[name] for name in index.types if name in item}


_ROW_BYTES = 200
"""Bytes of memory of a row beside its vector: its key, and its places in lists and maps."""


class CachedBlocks:
    """The blocks of a range, and the place of each row."""

    __slots__ = ("_index", "_places", "blocks")

    def __init__(self, index: CompiledVectorIndex, blocks: Iterable[VectorBlock]) -> None:
        self._index = index
        self.blocks = [block for block in blocks if block.keys]
        self._places = {
            key: (number, position)
            for number, block in enumerate(self.blocks)
            for position, key in enumerate(block.keys)
        }

    @property
    def size(self) -> int:
        """The bytes of memory, roughly."""
        return len(self._places) * (self._index.dimensions * WIDTH + _ROW_BYTES)

    def changed(self, rows: Mapping[bytes, StoredItem | None]) -> "CachedBlocks":
        """The blocks with these rows added, replaced or, when they are None, removed."""
        touched: dict[int, dict[bytes, StoredItem | None]] = {}
        new: list[tuple[bytes, StoredItem]] = []
        for key, row in rows.items():
            place = self._places.get(key)
            if place is not None:
                touched.setdefault(place[0], {})[key] = row
            elif row is not None:
                new.append((key, row))
        blocks = list(self.blocks)
        for number, changes in touched.items():
            blocks[number] = self._rebuilt(blocks[number], changes, ())
        limit = rows_in_block(self._index)
        if new and blocks and len(blocks[-1].keys) < limit:
            room = limit - len(blocks[-1].keys)
            blocks[-1] = self._rebuilt(blocks[-1], {}, new[:room])
            new = new[room:]
        empty = VectorBlock([], b"", self._index.dimensions * WIDTH, [] if has_filters(self._index) else None)
        for start in range(0, len(new), limit):
            blocks.append(self._rebuilt(empty, {}, new[start : start + limit]))
        return CachedBlocks(self._index, blocks)

    def _rebuilt(
        self,
        block: VectorBlock,
        changes: Mapping[bytes, StoredItem | None],
        added: Iterable[tuple[bytes, StoredItem]],
    ) -> VectorBlock:
        index = self._index
        keys, vectors = [], []
        labels: list[Item] | None = [] if block.labels is not None else None
        for position, key in enumerate(block.keys):
            row = changes.get(key)
            if row is None and key in changes:
                continue
            keys.append(key)
            vectors.append(block.vector(position) if row is None else vector_part(index, row))
            if labels is not None and block.labels is not None:
                labels.append(block.labels[position] if row is None else label_of(index, row))
        for key, row in added:
            keys.append(key)
            vectors.append(vector_part(index, row))
            if labels is not None:
                labels.append(label_of(index, row))
        return VectorBlock(keys, b"".join(vectors), block.width, labels)
