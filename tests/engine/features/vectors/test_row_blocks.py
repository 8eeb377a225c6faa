"""Row blocks: all rows of a range, in blocks of bounded size, with the values of inline filters."""

import pytest

from tablewright.engine.database import Database
from tablewright.engine.features.vectors import row_blocks
from tablewright.engine.features.vectors.nearest import Block
from tablewright.engine.features.vectors.row_blocks import has_filters, next_block, rows_in_block
from tablewright.engine.storage import View, open_store
from tests.engine.features.vectors.test_vector_index import PLAIN, TENANT
from tests.engine.features.vectors.vector_table import create_request, put, vector_index


def test_blocks_are_bounded_and_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    db = Database(open_store())
    schema = [{"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"}]
    db.call("CreateTable", create_request(vector_index(SearchSchema=schema)))
    for number in range(10):
        put(db, f"d{number}", number, 1, 0, kind="even" if number % 2 == 0 else "odd")
    put(db, "none", 9, 9, 9)
    index = db.state.catalog.table("documents").vector_indexes[0]

    def blocks(view: View) -> list[Block]:
        found: list[Block] = []
        low: bytes | None = b""
        while low is not None:
            block, low = next_block(view, index, low, None)
            assert low is None or all(key < low for key in block.keys)
            found.append(block)
        return found

    monkeypatch.setattr(row_blocks, "MAX_ROWS", 4)
    read = db.state.store.read(blocks)
    assert [len(block.keys) for block in read] == [4, 4, 3]
    assert all(len(block.vectors) == 12 * len(block.keys) for block in read)
    labels = [label.get("kind", {}).get("S") for block in read for label in block.labels or ()]
    assert (labels.count("even"), labels.count("odd"), labels.count(None)) == (5, 5, 1)
    monkeypatch.setattr(row_blocks, "MAX_BYTES", 24)
    assert [len(block.keys) for block in db.state.store.read(blocks)] == [2, 2, 2, 2, 2, 1]
    monkeypatch.setattr(row_blocks, "MAX_BYTES", 1)
    assert rows_in_block(index) == 1
    db.close()


def test_only_inline_filters_have_labels() -> None:
    assert not has_filters(PLAIN)
    assert has_filters(TENANT)
