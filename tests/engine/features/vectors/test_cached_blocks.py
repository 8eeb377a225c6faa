"""Cached blocks: changed rows make the same blocks as reading them all again."""

import random

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.features.vectors import row_blocks
from tablewright.engine.features.vectors.cached_blocks import CachedBlocks
from tablewright.engine.features.vectors.vector_rows import row_of
from tests.engine.features.vectors.test_vector_index import TENANT
from tests.engine.features.vectors.vector_table import vector


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
    monkeypatch.setattr(row_blocks, "MAX_ROWS", 8)
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
