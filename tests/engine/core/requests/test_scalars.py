"""Scalars: valid values, wrong JSON types, and violated constraints in AWS's words."""

from typing import Any

import orjson
import pytest

from tablewright.engine.core.requests.scalars import (
    MAX_READABLE_DEPTH,
    Blob,
    Boolean,
    Member,
    Number,
    TableName,
    Text,
    is_deep,
    java_text,
)
from tablewright.engine.database import Database
from tablewright.errors import SerializationError, ValidationError
from tests.engine.core.operations.writing import shop
from tests.golden import CASES

NAME = TableName(shortest=1, longest=255, pattern="[a-zA-Z0-9_.-]+")


@pytest.mark.parametrize(
    ("member", "value", "accepted"),
    [
        (Text(shortest=2, longest=3), "ab", True),
        (Text(shortest=2, longest=3), "abcd", False),
        (Text(pattern="[a-z]+"), "ab1", False),
        (Text(choices=("A", "B")), "B", True),
        (Text(choices=("A", "B")), "C", False),
        (Text(), 1, False),
        (Number(), 5, True),
        (Number(), True, False),
        (Boolean(), False, True),
        (Boolean(), "true", False),
        (NAME, "music", True),
        (NAME, "ab", False),
        (NAME, "arn:aws:dynamodb:us-east-1:123456789012:table/music", True),
        (NAME, "arn:aws:s3:::bucket", False),
        (Blob(), b"x", True),
        (Blob(), 5, False),
    ],
)
def test_a_member_accepts_values_within_its_constraints(member: Member, value: Any, accepted: bool) -> None:
    assert member.accepts(value) is accepted


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        (Text(), 5, "NUMBER_VALUE cannot be converted to String"),
        (Text(), True, "TRUE_VALUE cannot be converted to String"),
        (Number(), "5", "STRING_VALUE cannot be converted to"),
        (Boolean(), 5, "NUMBER_VALUE cannot be converted to Boolean"),
        (Text(), {}, "Start of structure or map found where not expected"),
        (Blob(), "abc", "expected a multiple of 4 bytes but found: 3"),
        (Blob(), 5, "only base-64-encoded strings are convertible to bytes"),
    ],
)
def test_a_wrong_json_type_is_a_serialization_error(member: Member, value: Any, message: str) -> None:
    with pytest.raises(SerializationError, match=message):
        member.require_type(value)


def test_each_violated_constraint_has_its_message() -> None:
    member = Text(shortest=3, longest=255, pattern="[a-z]+")
    assert list(member.violations("A", "tableName")) == [
        "Value 'A' at 'tableName' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [a-z]+",
        "Value 'A' at 'tableName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 3",
    ]
    assert list(Text(choices=("A", "B")).violations("C", "select")) == [
        "Value 'C' at 'select' failed to satisfy constraint: Member must satisfy enum value set: [A, B]"
    ]


def test_values_are_shown_as_in_java() -> None:
    assert java_text({"a": [True, 1, "x"]}) == "{a=[true, 1, x]}"


def test_a_valid_arn_of_a_table_has_no_violations() -> None:
    """Members that are valid are asked for their violations too, when another member is invalid."""
    member = TableName(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+")
    arn = "arn:aws:dynamodb:us-east-1:123456789012:table/users"
    assert list(member.violations(arn, "tableName")) == []
    assert len(list(member.violations("arn:aws:dynamodb", "tableName"))) == 1


ARROW = " -> "
NESTED = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
OLDER_ENUM = (
    "1 validation error detected: Value 'SOME' at 'returnValues' failed to satisfy constraint: "
    "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
)
NEWER_ENUM = (
    "1 validation error detected: Failed to satisfy constraint: "
    "Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
)


def error_message(database: Database, operation: str, request: dict[str, Any]) -> str:
    """The error message of a request."""
    with pytest.raises(ValidationError) as caught:
        database.call(operation, request)
    return caught.value.message


def nested(levels: int) -> dict[str, Any]:
    """A text inside of so many maps."""
    value: dict[str, Any] = {"S": "leaf"}
    for _ in range(levels):
        value = {"M": {"n": value}}
    return value


def test_invalid_values_have_the_message_of_each_operation(update_golden: bool) -> None:
    """Lines `value V` name a value; the requests below them hold it where they say VALUE."""
    path = CASES / "engine" / "layers.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    value, played = "", []
    with shop() as database:
        for line in lines:
            word, _, rest = line.partition(" ")
            if word == "value":
                value = rest
            if ARROW in line:
                request = rest.split(ARROW)[0]
                words = error_message(database, word, orjson.loads(request.replace("VALUE", value)))
                line = f"{word} {request}{ARROW}{words}"
            played.append(line)
    if update_golden:
        path.write_text("\n".join(played) + "\n", encoding="utf-8")
    assert played == path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("levels", "enum"), [(40, NEWER_ENUM), (62, NEWER_ENUM), (63, OLDER_ENUM)])
def test_deep_requests_fall_back_on_the_older_layer(levels: int, enum: str) -> None:
    request: dict[str, Any] = {
        "TableName": "absent",
        "Key": {"id": {"S": "a"}},
        "ConditionExpression": "x = :deep",
        "ExpressionAttributeValues": {":deep": nested(levels)},
    }
    with shop() as database:
        assert error_message(database, "UpdateItem", request | {"ReturnValues": "SOME"}) == enum
        enveloped = error_message(database, "UpdateItem", request)
    assert (enveloped == f"1 validation error detected: {NESTED}") == (enum == NEWER_ENUM)


def test_depth_is_counted_in_levels_of_json() -> None:
    request: Any = []
    for _ in range(MAX_READABLE_DEPTH - 1):
        request = [request]
    assert not is_deep(request)
    assert is_deep([request])


def test_a_transaction_checks_its_actions_one_by_one() -> None:
    deep = {"Put": {"TableName": "absent", "Item": {"id": {"S": "a"}, "x": nested(40)}}}
    nameless = {"Put": {"TableName": "absent", "Item": {"id": {"S": "b"}, "x": nested(40), "": {"S": "x"}}}}
    askew = {
        "Delete": {
            "TableName": "absent",
            "Key": {"id": nested(40)},
            "ConditionExpression": "attribute_exists(",
        }
    }
    syntax = 'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "("'
    with shop() as database:
        for actions, words in (
            ([deep, nameless], NESTED),
            ([nameless, deep], "Empty attribute name"),
            ([askew, deep], syntax),
            ([deep, askew], NESTED),
        ):
            assert error_message(database, "TransactWriteItems", {"TransactItems": actions}) == words
