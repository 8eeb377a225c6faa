"""Table rules: limits of keys, indexes and projections."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.table_cases import index_of, outcome_of, request_of

NOON = 1_700_000_000.123


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=NOON))
    yield database
    database.close()


def global_indexes(count: int, **projection: Any) -> dict[str, Any]:
    indexes = [index_of(f"index-{number}", "artist") for number in range(count)]
    for index in indexes:
        index["Projection"] = projection or {"ProjectionType": "ALL"}
    return {"GlobalSecondaryIndexes": indexes}


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (global_indexes(19), "ok"),
        (global_indexes(20), "ok"),
        (global_indexes(21), "GlobalSecondaryIndex count exceeds the per-table limit of 20"),
    ],
    ids=["19", "20", "21"],
)
def test_twenty_global_indexes(db: Database, members: dict[str, Any], words: str) -> None:
    assert outcome_of(db, "CreateTable", {**request_of("music", "artist | artist:S"), **members}).endswith(
        words
    )


@pytest.mark.parametrize(
    ("count", "words"),
    [(4, "ok"), (5, "ok"), (6, "Number of LocalSecondaryIndexes exceeds per-table limit of 5")],
)
def test_five_local_indexes(db: Database, count: int, words: str) -> None:
    indexes = " ".join(f"+ lsi index-{number} artist song" for number in range(count))
    request = request_of("music", f"artist song | artist:S song:S {indexes}")
    assert outcome_of(db, "CreateTable", request).endswith(words)


@pytest.mark.parametrize(
    ("last", "words"),
    [(19, "ok"), (20, "ok"), (21, "Member must have length less than or equal to 20")],
)
def test_twenty_projected_attributes_an_index(db: Database, last: int, words: str) -> None:
    names = [f"a{number}" for number in range(last)]
    members = global_indexes(1, ProjectionType="INCLUDE", NonKeyAttributes=names)
    assert outcome_of(db, "CreateTable", {**request_of("music", "artist | artist:S"), **members}).endswith(
        words
    )


@pytest.mark.parametrize(("count", "accepted"), [(99, True), (100, True), (101, False)])
def test_a_hundred_projected_attributes_a_table(db: Database, count: int, accepted: bool) -> None:
    names = [f"a{number}" for number in range(count)]
    chunks = [names[start : start + 20] for start in range(0, count, 20)]
    indexes = [index_of(f"index-{chunk[0]}", "artist", f"INCLUDE={','.join(chunk)}") for chunk in chunks]
    request = {**request_of("music", "artist | artist:S"), "GlobalSecondaryIndexes": indexes}
    assert (outcome_of(db, "CreateTable", request) == "ok") is accepted
