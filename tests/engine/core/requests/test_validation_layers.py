"""Validation layers: the same invalid value in the messages of each operation."""

from typing import Any

import orjson
import pytest

from tablewright.engine.core.requests.validation_layers import MAX_READABLE_DEPTH, is_deep
from tablewright.engine.database import Database
from tablewright.errors import ValidationError
from tests.engine.core.operations.writing import shop
from tests.golden import CASES

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
