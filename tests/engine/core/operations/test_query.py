"""Query: golden cases, and errors that plain notation cannot express."""

from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ServiceError
from tests.engine.core.operations.reading import PLAYERS, TAGS, opened
from tests.engine.scripts import play


@pytest.fixture
def db() -> Database:
    return opened(PLAYERS, TAGS)


def test_cases(db: Database, update_golden: bool) -> None:
    play("query.txt", db, update=update_golden)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            {},
            "The provided starting key is invalid: Supplied AttributeValue is empty, must contain exactly one",
        ),
        (
            {"S": "a", "N": "1"},
            "The provided starting key is invalid: Supplied AttributeValue has more than one",
        ),
        (
            {"NULL": False},
            "The provided starting key is invalid: One or more parameter values were invalid: Null",
        ),
        (
            {"SS": []},
            "The provided starting key is invalid: One or more parameter values were invalid: An string",
        ),
        # AWS's messages for these do not name the parameter.
        ({"NS": []}, "One or more parameter values were invalid: An number set  may not be empty"),
        ({"SS": ["a", "a"]}, "One or more parameter values were invalid: Input collection ["),
        ({"N": "ten"}, "The parameter cannot be converted to a numeric value: ten"),
        ({"N": "1" * 39}, "Attempting to store more than 38 significant digits in a Number"),
        (
            {"N": "1e126"},
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
        ),
    ],
)
def test_values_of_start_keys(db: Database, value: dict[str, Any], words: str) -> None:
    for operation in ("Query", "Scan"):
        request = {"TableName": "absent", "ExclusiveStartKey": {"team": value}}
        assert error_message(db, operation, request).startswith(words)


def test_the_order_of_checks(db: Database) -> None:
    """AWS reports one mistake at a time, in this order; the test corrects them one by one."""
    request: dict[str, Any] = {
        "TableName": "players",
        "IndexName": "by-city",
        "ConsistentRead": True,
        "Select": "ALL_ATTRIBUTES",
        "KeyConditionExpression": "team = :t",
        "FilterExpression": "city.x = :t AND more = :t",
        "ProjectionExpression": "pos.x",
        "ExpressionAttributeValues": {":t": {"S": "red"}, ":u": {"S": "red"}},
        "ExclusiveStartKey": {"team": {"SS": []}},
        "AttributesToGet": ["nick", "nick"],
        "Limit": 0,
    }
    for mended, words in (
        ({}, "1 validation error detected: Value at 'Limit'"),
        ({"Limit": 1}, "Can not use both expression and non-expression parameters in the same request"),
        ({"AttributesToGet": None}, "The provided starting key is invalid: One or more parameter values"),
        ({"ExclusiveStartKey": {"team": {"N": "1"}}}, "Value provided in ExpressionAttributeValues unused"),
        (
            {"ExpressionAttributeValues": {":t": {"S": "red"}}},
            "1 validation error detected: Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
        ),
        ({"Select": None}, "Consistent reads are not supported on global secondary indexes"),
        ({"ConsistentRead": False}, "The provided starting key is invalid"),
        ({"ExclusiveStartKey": None}, "Query condition missed key schema element: city"),
        ({"KeyConditionExpression": "city = :t"}, "Key attributes must be scalars; list random access"),
        ({"ProjectionExpression": "more"}, "Filter Expression can only contain non-primary key attributes"),
        (
            {"FilterExpression": "more = :t AND team.x = :t"},
            "One or more parameter values were invalid: Secondary",
        ),
        (
            {"FilterExpression": "team.x = :t"},
            "One or more parameter values were invalid: Global secondary index",
        ),
        ({"ProjectionExpression": "note"}, "Key attributes must be scalars; list random access"),
    ):
        request.update(mended)
        assert error_message(db, "Query", request).startswith(words)
    assert db.call("Query", {**request, "FilterExpression": "team = :t"})["Count"] == 0


def error_message(database: Database, operation: str, request: dict[str, Any]) -> str:
    with pytest.raises(ServiceError) as caught:
        database.call(operation, request)
    return caught.value.message
