"""Preconditions: their expressions, and the errors for the items that were found."""

from typing import Any

import pytest

from tablewright.access.condition_text import Aliases
from tablewright.access.context import Context
from tablewright.access.items.footprint import Dependent
from tablewright.access.writes.preconditions import (
    MOST_COMPARED,
    DependentPrecondition,
    ItemAbsent,
    ItemUnchanged,
    MainPrecondition,
    Precondition,
    entity_exists,
    owner_text,
    unchanged,
)
from tablewright.access.writes.targets import Target
from tablewright.errors import (
    AlreadyExists,
    ConditionNotMet,
    CopyBlocked,
    DoesNotExist,
    InvalidWrite,
    UniqueViolation,
    VersionConflict,
)
from tests.access.studio import START, Artist, Ledger, Room, Studio, main

ROOM = Target(Room, {"room_id": "1"})
LEDGER = Target(Ledger, {"ledger_id": "1"})
STORED = {"PK": {"S": "ROOM#1"}, "SK": {"S": "ROOM"}, "type": {"S": "ROOM"}, "seats": {"N": "2"}}
OTHER_TYPE = {**STORED, "type": {"S": "NOTE"}}
EXPIRED = {**STORED, "expiresAt": {"N": str(int(START) - 1)}}
IS_LARGE: Any = Room.seats == 9


@pytest.mark.parametrize(
    ("precondition", "expected"),
    [
        (MainPrecondition(ROOM, START, "absent"), "(attribute_not_exists(#0)) OR (#1 BETWEEN :0 AND :1)"),
        (
            MainPrecondition(ROOM, START, "present"),
            "(attribute_exists(#0)) AND (#1 = :0) AND (NOT (#2 BETWEEN :1 AND :2))",
        ),
        (MainPrecondition(ROOM, START, "replaceable"), "(attribute_not_exists(#0)) OR (#1 = :0)"),
        (
            MainPrecondition(LEDGER, START, "replaceable", version=0),
            "((attribute_not_exists(#0)) OR (#1 = :0)) AND (attribute_not_exists(#2))",
        ),
        (ItemAbsent(main), "attribute_not_exists(#0)"),
        (
            ItemUnchanged(main, {"a": {"S": "x"}, "b": None}),
            "attribute_exists(#0) AND #1 = :0 AND attribute_not_exists(#2)",
        ),
        (
            DependentPrecondition(ROOM, START, Dependent({}, {}, copy="card"), {"_of": {"S": "x"}}),
            "(attribute_not_exists(#0)) OR (#1 = :0) OR (#2 BETWEEN :1 AND :2)",
        ),
    ],
)
def test_expressions(store: Studio, precondition: Precondition, expected: str) -> None:
    assert precondition.expression(store.context, Aliases()) == expected


@pytest.mark.parametrize(
    ("precondition", "found", "error"),
    [
        (MainPrecondition(ROOM, START, "present"), None, DoesNotExist),
        (MainPrecondition(ROOM, START, "present"), OTHER_TYPE, DoesNotExist),
        (MainPrecondition(ROOM, START, "present"), EXPIRED, DoesNotExist),
        (MainPrecondition(ROOM, START, "absent"), STORED, AlreadyExists),
        (MainPrecondition(ROOM, START, "absent", was_read=True), STORED, type(None)),
        (MainPrecondition(ROOM, START, "present", was_read=True), None, type(None)),
        (MainPrecondition(ROOM, START, "replaceable"), OTHER_TYPE, AlreadyExists),
        (MainPrecondition(ROOM, START, "present", when=IS_LARGE), STORED, ConditionNotMet),
        (
            MainPrecondition(ROOM, START, "present", read={"seats": {"N": "1"}}, when=IS_LARGE),
            STORED,
            type(None),
        ),
        (MainPrecondition(LEDGER, START, "present", version=2), None, VersionConflict),
        (ItemUnchanged(main, {}), STORED, type(None)),
        (ItemAbsent(main), STORED, type(None)),
        (ItemAbsent(main, "is taken"), STORED, InvalidWrite),
        (DependentPrecondition(ROOM, START, Dependent({}, {}, copy="card"), {}), STORED, CopyBlocked),
        (
            DependentPrecondition(ROOM, START, Dependent({}, {}, copy="card"), {}, is_removal=True),
            STORED,
            type(None),
        ),
        (
            DependentPrecondition(ROOM, START, Dependent({}, {}, field=Artist.layout.fields["email"]), {}),
            STORED,
            UniqueViolation,
        ),
    ],
)
def test_the_error_for_the_item_that_was_found(precondition: Precondition, found: Any, error: type) -> None:
    assert type(precondition.failure(found)) is error


def test_unchanged_compares_the_edited_attributes_first_and_not_too_many() -> None:
    item = {**STORED, **{f"a{number:03}": {"N": "1"} for number in range(200)}}
    read = unchanged(main, item, ["a199", "new"]).read
    assert list(read)[:2] == ["a199", "new"]
    assert (read["new"], len(read)) == (None, 120)
    assert not {"PK", "SK"} & read.keys()


def test_unchanged_requires_known_attributes_that_were_absent_to_be_absent_still() -> None:
    read = unchanged(main, {**STORED, "city": {"S": "Oslo"}}, known=["PK", "city", "new", "rank", "new"]).read
    assert (read["city"], read["new"], read["rank"]) == ({"S": "Oslo"}, None, None)
    assert not {"PK", "SK"} & read.keys()


@pytest.mark.parametrize("attributes", [0, 60, 119, 200])
def test_the_largest_condition_is_within_the_limits_of_an_expression(attributes: int) -> None:
    item = {**STORED, **{f"a{number:03}": {"N": "1"} for number in range(attributes)}}
    precondition = unchanged(main, item, known=[f"k{number}" for number in range(300)])
    assert len(precondition.read) <= MOST_COMPARED
    text = precondition.expression(Context(), Aliases()) or ""
    assert len(text) < 4096
    assert text.count("=") + text.count(" AND ") + text.count("attribute_") < 300


def test_an_entity_exists_with_its_type_and_before_its_expiry() -> None:
    found = [entity_exists(Room.layout, item, START) for item in (STORED, OTHER_TYPE, EXPIRED, None)]
    assert found == [True, False, False, False]


def test_the_owner_of_a_dependent_for_messages() -> None:
    assert owner_text({**STORED, "_of": {"M": {"PK": {"S": "ROOM#2"}}}}) == " (PK = 'ROOM#2')"
    assert owner_text(STORED) == ""
    assert owner_text({**STORED, "_of": {"S": "not a map"}}) == ""
