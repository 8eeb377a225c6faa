"""Additions to values that another program stored in another type: read, added to, and stored in their own type."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tablewright import Repository, connect, errors, writes
from tests.access import depot
from tests.access.depot import BoxById, design

Box: Any = depot.Box
KEY = {"PK": {"S": "BOX#1"}, "SK": {"S": "BOX"}}


@pytest.fixture(params=["memory", "http"])
def db(request: pytest.FixtureRequest) -> Iterator[Repository]:
    where = request.getfixturevalue("endpoint") if request.param == "http" else None
    with connect(design, where, environment=f"test-{uuid4().hex[:12]}", create=True) as opened:
        yield opened


def stored(db: Repository) -> dict[str, Any]:
    table = db.context.table_name(Box.layout.table)
    return dict(db.connection.call("GetItem", {"TableName": table, "Key": KEY})["Item"])


def store(db: Repository, attributes: dict[str, Any]) -> None:
    """Store a box as another program would."""
    db.create(Box(box_id="1"))
    table = db.context.table_name(Box.layout.table)
    db.connection.call("PutItem", {"TableName": table, "Item": {**stored(db), **attributes}})


OTHER_TYPES: list[tuple[str, dict[str, Any], Any, Any, Any]] = [
    ("number as text", {"weight": {"S": "5"}}, Box.weight.add(1), "weight", {"N": "6"}),
    ("set as list", {"tags": {"L": [{"S": "a"}]}}, Box.tags.add("b"), "tags", {"SS": ["a", "b"]}),
    ("discard", {"tags": {"L": [{"S": "a"}, {"S": "b"}]}}, Box.tags.discard("b"), "tags", {"SS": ["a"]}),
    (
        "list as set",
        {"history": {"SS": ["a"]}},
        Box.history.append("b"),
        "history",
        {"L": [{"S": "a"}, {"S": "b"}]},
    ),
    (
        "in a map",
        {"scores": {"M": {"x": {"S": "4"}}}},
        Box.scores["x"].add(1),
        "scores",
        {"M": {"x": {"N": "5"}}},
    ),
]


@pytest.mark.parametrize(
    ("attributes", "change", "name", "expected"),
    [each[1:] for each in OTHER_TYPES],
    ids=[each[0] for each in OTHER_TYPES],
)
@pytest.mark.parametrize("together", [False, True], ids=["alone", "transaction"])
def test_additions_to_values_of_another_type(
    db: Repository, attributes: dict[str, Any], change: Any, name: str, expected: Any, together: bool
) -> None:
    store(db, attributes)
    if together:
        db.transact(writes.Update(BoxById(box_id="1"), change))
    else:
        db.update(BoxById(box_id="1"), change)
    found = stored(db)[name]
    assert {kind: sorted(value) if kind == "SS" else value for kind, value in found.items()} == expected


def test_an_addition_to_a_text_that_is_no_number_is_refused(db: Repository) -> None:
    store(db, {"weight": {"S": "five"}})
    with pytest.raises(errors.UnknownItem, match=r"BOX#1.*weight"):
        db.add(BoxById(box_id="1"), weight=1)
    assert stored(db)["weight"] == {"S": "five"}
