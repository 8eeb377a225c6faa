"""Shapes: the members of a request, checked for presence, type and constraints."""

from typing import Any

import pytest

from tablewright.engine.core.requests.shapes import (
    ITEM,
    MAX_VIOLATIONS,
    TABLE_NAME,
    Boolean,
    ListOf,
    MapOf,
    Number,
    Shape,
    Text,
    one_of,
    required,
    shown_in_java,
    structure,
)
from tablewright.errors import SerializationError, ValidationError

KEYS = ListOf(
    structure("KeySchemaElement", AttributeName=required(Text(shortest=1)), KeyType=required(one_of("HASH"))),
    shortest=1,
    longest=2,
)
SHAPE = Shape(TableName=TABLE_NAME, Keys=KEYS, Limit=Number(), Consistent=Boolean(), Item=ITEM)


def message(request: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        SHAPE.check(request)
    return caught.value.message


@pytest.mark.parametrize(
    "request_",
    [
        {"TableName": "music"},
        {"TableName": "music", "Unknown": 5},
        {"TableName": "music", "Limit": None},
        {"TableName": "music", "Keys": [{"AttributeName": "a", "KeyType": "HASH"}], "Consistent": True},
        {"TableName": "music", "Item": {"a": {"S": "x"}, "b": {"M": {"c": {"L": []}}}}},
    ],
)
def test_unknown_members_and_null_are_ignored(request_: dict[str, Any]) -> None:
    SHAPE.check(request_)


def test_a_missing_member_and_a_violation_are_listed_together() -> None:
    said = message({"Keys": [{"AttributeName": "", "KeyType": "SORT"}]})
    assert said.startswith("3 validation errors detected: Value null at 'tableName' failed to satisfy")
    assert "Value '' at 'keys.1.member.attributeName'" in said
    assert "Value 'SORT' at 'keys.1.member.keyType'" in said


def test_no_more_than_ten_violations_are_listed() -> None:
    keys = MapOf(Text(shortest=2), "java.lang.String")
    with pytest.raises(ValidationError) as caught:
        Shape(Names=keys).check({"Names": {f"n{number}": "x" for number in range(50)}})
    assert caught.value.message.count("failed to satisfy constraint") == MAX_VIOLATIONS


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ([], "Unrecognized collection type|Unexpected|Start of"),
        ({"TableName": "music", "Keys": {}}, "Start of structure or map found where not expected"),
        ({"TableName": "music", "Keys": "x"}, "Unexpected field type"),
        ({"TableName": "music", "Item": {"a": {"S": 5}}}, "NUMBER_VALUE cannot be converted to String"),
        ({"TableName": "music", "Item": {"a": {"M": {"b": {"BOOL": 5}}}}}, "cannot be converted to Boolean"),
    ],
)
def test_a_wrong_type_at_any_depth_is_found(request_: Any, expected: str) -> None:
    with pytest.raises(SerializationError, match=expected):
        SHAPE.require_type(request_)


def test_a_value_that_contains_itself_is_checked_once() -> None:
    value: dict[str, Any] = {"M": {}}
    value["M"]["self"] = value
    SHAPE.require_type({"TableName": "music", "Item": {"a": value}})


def test_structures_are_shown_as_in_java_and_large_ones_cut() -> None:
    element = {"AttributeName": "pk", "KeyType": "HASH"}
    assert shown_in_java(KEYS, [element]) == "[KeySchemaElement(attributeName=pk, keyType=HASH)]"
    assert len(shown_in_java(KEYS, [element] * 100_000)) < 1_000_000


def test_a_required_copy_does_not_change_the_member() -> None:
    text, entry = Text(), structure("Tag", Key=Text())
    assert required(text).required
    assert required(entry).required
    assert not text.required
    assert not entry.required
