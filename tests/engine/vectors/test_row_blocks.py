"""Row blocks: all rows of a range, in blocks of bounded size, filtered."""

import pytest

from tablewright.engine.database import Database
from tablewright.engine.vectors import row_blocks
from tablewright.engine.vectors.row_blocks import blocks, next_block
from tablewright.engine.vectors.search_conditions import Range
from tablewright.storage import open_store
from tests.engine.vectors.vector_table import create_request, put, vector_index


def test_blocks_are_bounded_and_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_blocks, "MAX_ROWS", 4)
    db = Database(open_store())
    schema = [{"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"}]
    db.call("CreateTable", create_request(vector_index(SearchSchema=schema)))
    for number in range(10):
        put(db, f"d{number}", number, 1, 0, kind="even" if number % 2 == 0 else "odd")
    put(db, "none", 9, 9, 9)
    index = db.state.catalog.table("documents").vector_indexes[0]
    everything = Range(b"", None, {})
    read = db.state.store.read
    sizes = read(lambda view: [len(block.rows) for block in blocks(view, index, everything)])
    assert sizes == [4, 4, 3]
    even = Range(b"", None, {"kind": {"S": "even"}})
    found = read(lambda view: [row for block in blocks(view, index, even) for row in block.rows])
    assert len(found) == 5
    block, position = read(lambda view: next_block(view, index, everything, b""))
    assert position is not None
    assert all(key < position for key, _ in block.rows)
    monkeypatch.setattr(row_blocks, "MAX_BYTES", 24)
    sizes = read(lambda view: [len(block.rows) for block in blocks(view, index, everything)])
    assert sizes == [2, 2, 2, 2, 2, 1]
    db.close()
