"""Nearest reads: entities with scores, filters, limits, and rows that are not returned."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tablewright import Clock, connect, fields, reads
from tablewright.access.repository import Repository
from tablewright.errors import (
    FieldNotRead,
    InvalidWrite,
    UnknownOperation,
    UsageError,
    ValueNotStorable,
    VectorSearchUnsupported,
)
from tests.access.conftest import BACKENDS, START, Awaited
from tests.access.reads.library import (
    Book,
    Note,
    NoteById,
    SimilarMemos,
    SimilarNotes,
    SimilarTexts,
    TitlesNearby,
    design,
    note,
)


@pytest.fixture(params=BACKENDS)
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """The library, empty."""
    place, _, awaited = request.param.partition(" ")
    where = tmp_path / "library.db" if place == "file" else None
    if place == "http":
        where = request.getfixturevalue("endpoint")
    environment = f"test-{uuid4().hex[:12]}"
    repository = connect(design, where, environment=environment, clock=Clock(start=START), create=True)
    used = Awaited(repository) if awaited else repository
    yield used
    used.close()


@pytest.fixture
def memory() -> Iterator[Repository]:
    with connect(design, environment="dev", clock=Clock(start=START)) as opened:
        yield opened


def names(page: reads.Page[Any]) -> list[str]:
    return [entity.note_id for entity, _ in page]


def test_a_search_returns_entities_and_scores_the_nearest_first(db: Any) -> None:
    for each in (note("cats", 0.9, 0.1, 0), note("dogs", 0.8, 0.3, 0), note("taxes", 0, 0.1, 0.9)):
        db.create(each)
    page = db.run(SimilarNotes(meaning=[1, 0, 0], tenant="acme"))
    assert names(page) == ["cats", "dogs"]
    assert page[0].entity.title == "Cats"
    assert 0 < page[0].score < page[1].score < 0.1
    assert page.cursor is None
    assert page.searched_bytes == 1024
    assert page.consumed == 0
    assert names(db.run(SimilarNotes(meaning=[1, 0, 0], tenant="acme"), limit=3)) == ["cats", "dogs", "taxes"]


def test_a_search_sees_one_partition(memory: Repository) -> None:
    memory.create(note("ours", 1, 0, 0))
    memory.create(note("theirs", 1, 0, 0, tenant="other"))
    assert names(memory.run(SimilarNotes(meaning=[1, 0, 0], tenant="acme"))) == ["ours"]


def test_filters_are_compared_and_left_out_when_none(memory: Repository) -> None:
    memory.create(note("memo", 0.9, 0.1, 0))
    memory.create(note("mail", 1, 0, 0, kind="mail"))
    assert names(memory.run(SimilarNotes(meaning=[1, 0, 0], tenant="acme", kind="memo"))) == ["memo"]
    assert names(memory.run(SimilarNotes(meaning=[1, 0, 0], tenant="acme"))) == ["mail", "memo"]


def test_a_filter_with_values_and_parameters(memory: Repository) -> None:
    memory.create(note("old", 1, 0, 0, year=1999))
    memory.create(note("new", 0, 1, 0))
    memory.create(note("mail", 0, 1, 0, kind="mail"))
    assert names(memory.run(SimilarMemos(meaning=[1, 0, 0], tenant="acme", since=2026))) == ["new"]


def test_a_search_for_one_entity_leaves_out_the_others(memory: Repository) -> None:
    memory.create(note("note", 0, 1, 0))
    memory.create(Book(book_id="book", tenant="acme", meaning=[1, 0, 0]))
    assert names(memory.run(SimilarNotes(meaning=[1, 0, 0], tenant="acme"))) == ["note"]
    both = [type(entity) for entity, _ in memory.run(SimilarTexts(meaning=[1, 0, 0], tenant="acme"))]
    assert both == [Book, Note]


def test_the_vector_is_not_read(memory: Repository) -> None:
    memory.create(note("cats", 0.9, 0.1, 0))
    (found,) = memory.run(SimilarNotes(meaning=[1, 0, 0], tenant="acme"))
    assert found.entity.is_partial
    with pytest.raises(
        FieldNotRead, match=r"^this Note was found by a search, which does not return meaning; read"
    ):
        found.entity.meaning  # noqa: B018
    with pytest.raises(InvalidWrite, match="was read from a copy or a search that lacks some fields"):
        memory.put(found.entity)
    changed = found.entity.changed(title="Big cats")
    assert (changed.title, changed.is_partial, found.entity.title) == ("Big cats", True, "Cats")
    memory.update(found.entity, set={"title": "Big cats"})
    stored = memory.get_or_raise(NoteById(note_id="cats"))
    assert (stored.title, stored.meaning) == ("Big cats", [0.9, 0.1, 0])


def test_rows_may_have_the_vector(memory: Repository) -> None:
    memory.create(note("here", 1, 0, 0, place=[0.1, 0]))
    memory.create(note("there", 1, 0, 0, place=[3, 4]))
    (here, first), (_, second) = memory.rows(TitlesNearby(place=[0, 0]))
    assert here["title"] == "Here"
    assert here["place"] == pytest.approx([0.1, 0])
    assert [first, second] == pytest.approx([0.1, 5])
    with pytest.raises(UsageError, match=r"reads only some fields of its entity; run it with db\.rows"):
        memory.run(TitlesNearby(place=[0, 0]))


def test_expired_items_are_left_out_and_replaced_by_the_next(db: Any) -> None:
    for number in range(5):
        db.put(note(f"old{number}", 1, number / 100, 0, expires_at=int(START) - 60))
    db.put(note("near", 0.9, 0.1, 0, expires_at=int(START) + 60))
    db.put(note("far", 0, 1, 0))
    request = SimilarNotes(meaning=[1, 0, 0], tenant="acme")
    assert names(db.run(request)) == ["near", "far"]
    assert names(db.run(request, include_expired=True)) == ["old0", "old1"]


def test_unknown_items_are_listed_and_do_not_take_a_place(memory: Repository) -> None:
    vector = {"L": [{"N": "1"}, {"N": "0"}, {"N": "0"}]}
    for number in range(3):
        item = {"PK": {"S": f"X{number}"}, "SK": {"S": "X"}, "type": {"S": "NOTE"}, "tenant": {"S": "acme"}}
        memory.connection.call("PutItem", {"TableName": "library-dev", "Item": {**item, "meaning": vector}})
    memory.create(note("cats", 0.9, 0.1, 0))
    page = memory.run(SimilarNotes(meaning=[1, 0, 0], tenant="acme"))
    assert names(page) == ["cats"]
    assert {error.key["PK"]["S"] for error in page.unknown} == {"X0", "X1", "X2"}
    assert "meaning" not in page.unknown[0].item


def test_copies_are_not_found(memory: Repository) -> None:
    memory.create(note("cats", 1, 0, 0, readers=["ada", "bob"]))
    memory.create(note("dogs", 0.9, 0.1, 0))
    reply = memory.connection.call(
        "SearchVectors",
        {
            "TableName": "library-dev",
            "IndexName": "by-meaning",
            "SearchVector": [{"N": "1"}, {"N": "0"}, {"N": "0"}],
            "TopK": 9,
            "SearchConditionExpression": "tenant = :t",
            "ExpressionAttributeValues": {":t": {"S": "acme"}},
        },
    )
    assert [result["Item"]["PK"]["S"] for result in reply["SearchResults"]] == ["NOTE#cats", "NOTE#dogs"]


@pytest.mark.parametrize(
    ("meaning", "problem"),
    [
        ([1, 0], "must have 3 numbers, got 2"),
        ([1, 0, float("nan")], "must have finite numbers"),
        ([1e39, 0, 0], "must have numbers that fit a 32-bit float"),
    ],
)
def test_a_vector_that_cannot_be_searched_is_rejected(
    memory: Repository, meaning: list[float], problem: str
) -> None:
    with pytest.raises(
        ValueNotStorable, match=rf"^SimilarNotes\.meaning {problem}; by-meaning has 3 dimensions"
    ):
        memory.run(SimilarNotes(meaning=meaning, tenant="acme"))


def test_limits_and_cursors_are_checked(memory: Repository) -> None:
    request = SimilarNotes(meaning=[1, 0, 0], tenant="acme")
    for limit in (0, 101):
        with pytest.raises(UsageError, match=f"SimilarNotes: limit must be 1 to 100, got {limit}"):
            memory.run(request, limit=limit)
    untyped: Any = memory
    with pytest.raises(UsageError, match="SimilarNotes is a Nearest and has no pages; leave out cursor"):
        untyped.run(request, cursor="x")
    with pytest.raises(UsageError, match=r"SimilarNotes is a Nearest and has no pages; read up to 100"):
        untyped.all(request)
    with pytest.raises(UsageError, match="is a Nearest and returns many entities"):
        untyped.get_or_raise(request)


def test_an_endpoint_without_searches_is_named(memory: Repository) -> None:
    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        raise UnknownOperation("Unknown operation: SearchVectors")

    memory._call = call
    with pytest.raises(
        VectorSearchUnsupported,
        match=r"^SimilarNotes searches the vector index by-meaning, and this endpoint has no SearchVectors \(Unknown",
    ):
        memory.run(SimilarNotes(meaning=[1, 0, 0], tenant="acme"))


def test_writes_reject_a_vector_of_another_size(memory: Repository) -> None:
    stored = memory.create(note("cats", 1, 0, 0))
    with pytest.raises(InvalidWrite, match="must have 3 numbers, got 2"):
        memory.update(stored, set={"meaning": [1, 0]})
    with pytest.raises(InvalidWrite, match="must have 3 numbers, got 4"):
        memory.update(stored, fields.of(Note.meaning).append(0.5))
    memory.update(stored, set={"meaning": [0, 1, 0], "place": [1, 2]})
    assert memory.get_or_raise(NoteById(note_id="cats")).meaning == [0, 1, 0]


def test_a_search_is_explained(memory: Repository) -> None:
    explanation = memory.explain(SimilarNotes(meaning=[1, 0, 0], tenant="acme", kind="memo"), limit=7)
    assert explanation.operation == "SearchVectors"
    assert explanation.index == "by-meaning"
    assert explanation.request == {
        "TableName": "library-dev",
        "IndexName": "by-meaning",
        "ReturnConsumedCapacity": "TOTAL",
        "SearchVector": [{"N": "1.0"}, {"N": "0.0"}, {"N": "0.0"}],
        "SearchConditionExpression": "#s0 = :0 AND #s1 = :1 AND #s2 = :2",
        "ExpressionAttributeNames": {"#s0": "tenant", "#s1": "kind", "#s2": "type"},
        "ExpressionAttributeValues": {":0": {"S": "acme"}, ":1": {"S": "memo"}, ":2": {"S": "NOTE"}},
        "TopK": 7,
    }
    assert "about 7,221 bytes of vector search: 7 x 1024 bytes" in str(explanation)
