"""Cached blocks: changed rows make the same blocks as reading them all again."""

import random

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.database import Database
from tablewright.engine.features.vectors import cached_blocks
from tablewright.engine.features.vectors.cached_blocks import (
    CachedBlocks,
    has_filters,
    next_block,
    rows_in_block,
)
from tablewright.engine.features.vectors.nearest import VectorBlock
from tablewright.engine.features.vectors.vector_index import row_of, vector_indexes_of
from tablewright.engine.storage import ReadView, open_store
from tests.engine.features.vectors.test_vector_index import PLAIN, TENANT
from tests.engine.features.vectors.vector_table import create_request, put, vector, vector_index


def row(number: int, kind: str) -> StoredItem:
    item = {"id": {"S": "x"}, "tenant": {"S": "red"}, "kind": {"S": kind}, "v": vector(number, 1, 2)}
    found = row_of(TENANT, b"", StoredItem.of(item, 0))
    assert found is not None
    return found[1]


def content(cached: CachedBlocks) -> dict[bytes, tuple[bytes, object]]:
    return {
        key: (block.vector(position), (block.labels or [])[position])
        for block in cached.blocks
        for position, key in enumerate(block.keys)
    }


def test_random_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_blocks, "MAX_ROWS", 8)
    chance = random.Random(1)
    rows: dict[bytes, StoredItem] = {}
    cached = CachedBlocks(TENANT, [])
    seen = set()
    for _ in range(60):
        before = list(cached.blocks)
        snapshot = content(cached)
        changes: dict[bytes, StoredItem | None] = {}
        for _ in range(chance.randrange(1, 12)):
            key = bytes([chance.randrange(60)])
            new = row(chance.randrange(100), chance.choice("ab")) if chance.random() < 0.7 else None
            seen.add(("old" if key in rows else "new", new is not None))
            changes[key] = new
        old, cached = cached, cached.changed(changes)
        rows = {key: value for key, value in {**rows, **changes}.items() if value is not None}
        expected = CachedBlocks(TENANT, []).changed(rows)
        assert content(cached) == content(expected)
        assert cached.size == expected.size
        assert all(0 < len(block.keys) <= 8 for block in cached.blocks)
        assert old.blocks == before, "searches that are running keep their blocks"
        assert content(old) == snapshot
    assert seen == {("old", True), ("old", False), ("new", True), ("new", False)}


def test_blocks_are_bounded_and_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    db = Database(open_store())
    schema = [{"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"}]
    db.call("CreateTable", create_request(vector_index(SearchSchema=schema)))
    for number in range(10):
        put(db, f"d{number}", number, 1, 0, kind="even" if number % 2 == 0 else "odd")
    put(db, "none", 9, 9, 9)
    (index,) = vector_indexes_of(db.state.catalog.table("documents"))

    def blocks(view: ReadView) -> list[VectorBlock]:
        found: list[VectorBlock] = []
        low: bytes | None = b""
        while low is not None:
            block, low = next_block(view, index, low, None)
            assert low is None or all(key < low for key in block.keys)
            found.append(block)
        return found

    monkeypatch.setattr(cached_blocks, "MAX_ROWS", 4)
    read = db.state.store.read(blocks)
    assert [len(block.keys) for block in read] == [4, 4, 3]
    assert all(len(block.vectors) == 12 * len(block.keys) for block in read)
    labels = [label.get("kind", {}).get("S") for block in read for label in block.labels or ()]
    assert (labels.count("even"), labels.count("odd"), labels.count(None)) == (5, 5, 1)
    monkeypatch.setattr(cached_blocks, "MAX_BYTES", 24)
    assert [len(block.keys) for block in db.state.store.read(blocks)] == [2, 2, 2, 2, 2, 1]
    monkeypatch.setattr(cached_blocks, "MAX_BYTES", 1)
    assert rows_in_block(index) == 1
    db.close()


def test_only_inline_filters_have_labels() -> None:
    assert not has_filters(PLAIN)
    assert has_filters(TENANT)
