"""Vector search: memory always has what the store has, concurrently with writers and after undone writes."""

import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.expressions import Scope
from tablewright.dynamodb.expressions.condition import bound_condition
from tablewright.dynamodb.values.key_bytes import after
from tablewright.engine.core.sessions import Writing
from tablewright.engine.database import Database
from tablewright.engine.features.vectors import cached_blocks, vector_search
from tablewright.engine.features.vectors.vector_index import vector_indexes_of
from tablewright.engine.features.vectors.vector_search import KIND, Range, equalities_of, range_of
from tablewright.engine.features.vectors.watched_ranges import ranges_of
from tablewright.engine.storage import open_store
from tablewright.errors import ServiceError, StoreError, ValidationError
from tests.engine.features.vectors.test_vector_index import PLAIN, TENANT
from tests.engine.features.vectors.vector_table import (
    BY_TENANT,
    NAMED,
    create_request,
    delete_request,
    found,
    put,
    search_request,
    update_request,
    vector_index,
)
from tests.engine.integrity import assert_indexes_match

ITEMS = 30


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_blocks, "MAX_ROWS", 7)


@pytest.fixture(params=["memory", "file"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    database = Database(open_store(None if request.param == "memory" else tmp_path / "data.db", "relaxed"))
    database.call("CreateTable", create_request(vector_index(), BY_TENANT))
    for number in range(ITEMS):
        put(database, f"d{number}", number, 1, 0, tenant="red" if number % 2 else "blue", kind="memo")
    yield database
    database.close()


def in_tenant(tenant: str) -> dict[str, Any]:
    return {
        "IndexName": "by-tenant",
        "SearchConditionExpression": "tenant = :t",
        "ExpressionAttributeValues": {":t": {"S": tenant}},
    }


def reads(db: Database, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of rows that searches read from now on, to compare them."""
    counts: list[int] = []
    step = vector_search._step

    def counted(*arguments: Any, **named: Any) -> Any:
        block, low = step(*arguments, **named)
        counts.append(len(block.keys))
        return block, low

    monkeypatch.setattr(vector_search, "_step", counted)
    return counts


def test_a_range_is_read_once_and_then_refreshed(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = reads(db, monkeypatch)
    first = found(db, 1, 0, 0)
    assert sum(counts) == ITEMS
    counts.clear()
    assert found(db, 1, 0, 0) == first
    put(db, "new", 1, 0, 0)
    db.call("DeleteItem", {**NAMED, "Key": {"id": {"S": first[1]}}})
    assert found(db, 1, 0, 0)[:2] == ["new", first[0]]
    assert first[1] not in found(db, 1, 0, 0, TopK=100)
    assert counts == []


def test_each_partition_is_a_range_of_its_own(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = reads(db, monkeypatch)
    assert len(found(db, 1, 0, 0, TopK=100, **in_tenant("red"))) == ITEMS // 2
    assert sum(counts) == ITEMS // 2
    put(db, "d1", 1, 0, 0, tenant="blue")
    assert "d1" not in found(db, 1, 0, 0, TopK=100, **in_tenant("red"))
    assert "d1" in found(db, 1, 0, 0, TopK=100, **in_tenant("blue"))


def test_an_index_that_is_too_large_is_read_for_every_search(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_search, "MAX_CACHED_BYTES", 1000)
    counts = reads(db, monkeypatch)
    for _ in range(2):
        assert len(found(db, 1, 0, 0, TopK=100)) == ITEMS
    assert sum(counts) >= 2 * ITEMS
    put(db, "new", 1, 0, 0)
    assert found(db, 1, 0, 0, TopK=1) == ["new"]


def test_a_deleted_and_created_index_has_its_own_rows(db: Database) -> None:
    assert len(found(db, 1, 0, 0, TopK=100)) == ITEMS
    db.call("UpdateTable", delete_request())
    db.jobs.wait_for_all()
    put(db, "d0")
    with pytest.raises(ValidationError, match="does not have the specified index"):
        found(db, 1, 0, 0)
    db.call("UpdateTable", update_request(vector_index()))
    db.jobs.wait_for_all()
    assert len(found(db, 1, 0, 0, TopK=100)) == ITEMS - 1


def test_undone_writes_are_not_found(db: Database) -> None:
    assert len(found(db, 1, 0, 0, TopK=100)) == ITEMS

    def fail(tx: Writing) -> None:
        table = tx.state.catalog.table("documents")
        index = vector_indexes_of(table)[-1]
        for key, _ in list(tx.rows.range(index.space)):
            tx.rows.delete(index.space, key)
            ranges_of(tx.state).note(index.space, key)
        raise RuntimeError("after the first change")

    with pytest.raises((RuntimeError, StoreError)):
        db.sessions.write(fail)
    assert len(found(db, 1, 0, 0, TopK=100)) == ITEMS
    assert_indexes_match(db)


def test_a_row_that_changes_during_a_search_makes_it_begin_anew(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(db, 1, 0, 0, TopK=1) == [f"d{ITEMS - 1}"]
    changes = [lambda: put(db, f"d{ITEMS - 1}", -1, 0, 0)]

    blocks = vector_search._blocks

    def change_after(*arguments: Any) -> Any:
        result = list(blocks(*arguments))
        if changes:
            changes.pop()()
        return result

    monkeypatch.setattr(vector_search, "_blocks", change_after)
    assert found(db, 1, 0, 0, TopK=1) == [f"d{ITEMS - 2}"]
    assert changes == []


@pytest.mark.figure
def test_searches_beside_writers_find_what_each_wrote(db: Database) -> None:
    """Each writer searches for its own newest vector, which no other vector equals, and must find it at once."""
    problems: list[str] = []
    refreshed = [0]

    def write(seed: int) -> None:
        chance = random.Random(seed)
        for number in range(60):
            name = f"w{seed}-{chance.randrange(5)}"
            direction = (seed + 1, number + 1, 1000 + number)
            put(db, name, *direction, tenant="red")
            try:
                if found(db, *direction, TopK=1) != [name]:
                    problems.append(f"{name} was not found after its write {number}")
            except ServiceError as error:
                problems.append(str(error))
            refreshed[0] += 1
            if chance.random() < 0.2:
                db.call("DeleteItem", {**NAMED, "Key": {"id": {"S": name}}})
                reply = db.call("SearchVectors", search_request(*direction, TopK=1))
                if reply["SearchResults"][0]["Item"]["id"]["S"] == name:
                    problems.append(f"{name} was found after it was deleted")

    threads = [threading.Thread(target=write, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert refreshed[0] == 4 * 60
    everything = {item["id"]["S"] for item in db.call("Scan", NAMED)["Items"]}
    assert set(found(db, 1, 1, 1, TopK=100)) == everything
    assert_indexes_match(db)


RED, MEMO = {"S": "red"}, {"S": "memo"}


def chosen(text: str, **values: Any) -> Range:
    scope = Scope(None, {f":{name}": value for name, value in values.items()})
    return range_of(TENANT, equalities_of(bound_condition(text, scope, KIND)))


def test_a_partition_key_selects_a_range_of_keys() -> None:
    assert TENANT.hash is not None
    head = TENANT.hash.encode({"tenant": RED})
    assert chosen("tenant = :t", t=RED) == Range(head, after(head), {})
    assert chosen("(:k = kind) AND tenant = :t", t=RED, k=MEMO) == Range(head, after(head), {"kind": MEMO})


def test_an_index_without_search_schema_needs_no_condition() -> None:
    assert range_of(PLAIN, None) == Range(b"", None, {})


def test_a_partition_key_that_is_too_long_is_rejected() -> None:
    with pytest.raises(ValidationError, match="Size of hashkey"):
        chosen("tenant = :t", t={"S": "x" * 2049})


@pytest.mark.parametrize("text", ["tenant = kind", "tenant = :t OR kind = :t", "size(tenant) = :t"])
def test_only_attributes_are_compared_with_values(text: str) -> None:
    with pytest.raises(ValidationError, match="Invalid comparator used in SearchConditionExpression"):
        equalities_of(bound_condition(text, Scope(None, {":t": RED}), KIND))
