"""Actions: their requests, whether they can be repeated, and whether an item shows that they were executed."""

from typing import Any

import pytest

from tablewright.access.condition_text import Aliases
from tablewright.access.context import Context
from tablewright.access.items.footprint import Dependent
from tablewright.access.writes import actions
from tablewright.access.writes.actions import (
    MOST_COMPARED,
    DependentPrecondition,
    ItemAbsent,
    ItemEdit,
    ItemUnchanged,
    MainPrecondition,
    Precondition,
    entity_exists,
    owner_text,
    unchanged,
)
from tablewright.access.writes.values import Target
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

KEY = {"PK": {"S": "LEDGER#1"}, "SK": {"S": "LEDGER"}}
ANY = ItemUnchanged(main, {})
COUNT = ItemEdit({}, increase=(("total", {"N": "0"}, {"N": "5"}),))


def of_version(version: int | None) -> MainPrecondition:
    return MainPrecondition(Target(Ledger, {"ledger_id": "1"}), START, "present", version)


def test_the_expression_of_an_edit() -> None:
    edit = ItemEdit(
        {"name": {"S": "n"}},
        remove=frozenset({"b", "a"}),
        increase=(("total", {"N": "0"}, {"N": "5"}),),
        join={"tags": {"SS": ["x"]}},
        versions=("version",),
    )
    aliases = Aliases()
    assert edit.expression(aliases) == (
        "SET #0 = :0, #1 = if_not_exists(#1, :1) + :2, #2 = if_not_exists(#2, :3) + :4 REMOVE #3, #4 ADD #5 :5"
    )
    names = aliases.members()["ExpressionAttributeNames"]
    assert names == {"#0": "name", "#1": "total", "#2": "version", "#3": "a", "#4": "b", "#5": "tags"}


def test_an_edit_without_changes_is_false() -> None:
    assert not ItemEdit({})
    assert all(
        (ItemEdit({"a": {"S": "a"}}), ItemEdit({}, frozenset("a")), ItemEdit({}, versions=("v",)), COUNT)
    )


def test_the_request_of_an_action(store: Studio) -> None:
    action = actions.put(store.context, main, {**KEY, "total": {"N": "1"}}, ItemAbsent(main))
    assert (action.kind, action.key) == ("Put", KEY)
    call = action.call()
    assert call.operation == "PutItem"
    assert call.request == {
        "TableName": "studio-test",
        "Item": {**KEY, "total": {"N": "1"}},
        "ConditionExpression": "attribute_not_exists(#0)",
        "ExpressionAttributeNames": {"#0": "PK"},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    assert actions.update(store.context, main, KEY, COUNT, ANY).call().request["ReturnValues"] == "ALL_NEW"
    assert actions.delete(store.context, main, KEY, ANY).call().request["ReturnValues"] == "ALL_OLD"


@pytest.mark.parametrize(
    ("edit", "version", "expected"),
    [
        (ItemEdit({"name": {"S": "n"}}), None, True),
        (ItemEdit({"name": {"S": "n"}}, versions=("version",)), None, True),
        (COUNT, None, False),
        (COUNT, 3, True),
    ],
)
def test_adding_to_a_number_is_repeatable_only_with_a_version(
    store: Studio, edit: ItemEdit, version: int | None, expected: bool
) -> None:
    action = actions.update(store.context, main, KEY, edit, of_version(version))
    assert action.is_repeatable is expected


@pytest.mark.parametrize(
    ("edit", "found", "expected"),
    [
        (ItemEdit({"rank": {"N": "1"}}), {"rank": {"N": "1.0"}}, True),
        (ItemEdit({"rank": {"N": "1"}}), {"rank": {"N": "2"}}, False),
        (ItemEdit({}, frozenset({"rank"})), {"rank": {"N": "1"}}, False),
        (ItemEdit({}, join={"tags": {"SS": ["a"]}}), {"tags": {"SS": ["a", "b"]}}, True),
        (ItemEdit({}, join={"tags": {"SS": ["a"]}}), {"tags": {"SS": ["b"]}}, False),
        (COUNT, {"total": {"N": "5"}}, False),
        (ItemEdit({"rank": {"N": "1"}}), None, False),
    ],
)
def test_an_item_shows_whether_an_update_was_executed(
    store: Studio, edit: ItemEdit, found: Any, expected: bool
) -> None:
    action = actions.update(store.context, main, KEY, edit, ANY)
    assert action.is_applied_to(None if found is None else {**KEY, **found}) is expected


def test_an_item_shows_whether_a_put_or_delete_was_executed(store: Studio) -> None:
    put = actions.put(store.context, main, {**KEY, "total": {"N": "1"}}, ANY)
    assert put.is_applied_to({**KEY, "total": {"N": "1.0"}})
    assert not put.is_applied_to(KEY)
    delete = actions.delete(store.context, main, KEY, ANY)
    assert delete.is_applied_to(None)
    assert not delete.is_applied_to(KEY)


def test_places_are_compared_by_value(store: Studio) -> None:
    one, other = (actions.check(store.context, main, {**KEY}, ANY) for _ in range(2))
    assert one.identity == other.identity


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
