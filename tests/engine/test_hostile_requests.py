"""Requests that only Python can send, or with wrong types: always a service error, never an internal error."""

import reprlib
from collections import OrderedDict
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tablewright.dynamodb.values.stored_items import to_json
from tablewright.engine.core.operations import find_operation
from tablewright.engine.database import Database
from tablewright.engine.feature_list import operation_names
from tablewright.engine.storage import open_store
from tablewright.errors import InternalFailure, SerializationError, ServiceError

NAMES = operation_names()
TABLE = {
    "TableName": "Hostile",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
KEY = {"pk": {"S": "a"}}


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(levels):
        value = {"L": [value]}
    return value


def ring() -> dict[str, Any]:
    """A value that contains itself, twice: a traversal of it never ends."""
    value: dict[str, Any] = {}
    value["M"] = {"left": value, "right": value}
    return value


HOSTILE: list[Any] = [
    True,
    -1,
    1.5,
    10**400,
    float("nan"),
    "",
    "x",
    "\ud800",
    b"x",
    [],
    [None],
    [["x"]],
    {},
    {"x": None},
    {1: {"S": "x"}},
    {None: None},
    {"\ud800": {"S": "x"}},
    {"pk": "x"},
    {"pk": {"S": "\ud800"}},
    {"pk": {"L": 5}},
    {"pk": nested(40)},
    {"pk": nested(2000)},
    {"pk": ring()},
    OrderedDict(pk=OrderedDict(S="x")),
    {"x"},
    ("x",),
    Decimal("1.5"),
    datetime(2030, 1, 1, tzinfo=UTC),
    object(),
]


@pytest.fixture
def database() -> Iterator[Database]:
    opened = Database(open_store())
    opened.call("CreateTable", TABLE)
    yield opened
    opened.close()


def error_of(database: Database, operation: str, request: Any) -> ServiceError | None:
    try:
        database.call(operation, request)
    except InternalFailure as failure:
        pytest.fail(f"{operation} with {reprlib.repr(request)}: {failure.__cause__!r}")
    except ServiceError as caught:
        return caught
    return None


@pytest.mark.parametrize("operation", NAMES)
def test_a_hostile_member_is_rejected_or_ignored(database: Database, operation: str) -> None:
    found = find_operation(operation)
    assert found is not None
    for member in found.shape.members:
        for value in HOSTILE:
            error_of(database, operation, {"TableName": "Hostile", "Key": KEY, member: value})
            error_of(database, operation, {member: value})


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("PutItem", {"TableName": "Hostile", "Item": KEY | {1: {"S": "x"}}}),
        ("PutItem", {"TableName": "Hostile", "Item": KEY | {"x": {"S": "\ud800"}}}),
        ("PutItem", {"TableName": "Hostile", "Item": KEY | {"x": {"M": {2: {"S": "x"}}}}}),
        ("PutItem", {"TableName": "Hostile", "Item": KEY | {"x": {"N": Decimal(1)}}}),
        ("GetItem", {"TableName": "Hostile", "Key": {"pk": {"S": 5}}}),
        ("GetItem", None),
        ("GetItem", []),
        ("BatchWriteItem", {"RequestItems": {"Hostile": [{"PutRequest": {"Item": {"pk": "x"}}}] * 26}}),
        ("BatchWriteItem", {"RequestItems": {"Hostile": [{"PutRequest": {"Item": {"pk": {"L": 1}}}}] * 26}}),
    ],
)
def test_values_that_json_cannot_represent_are_serialization_errors(
    database: Database, operation: str, request_: Any
) -> None:
    assert isinstance(error_of(database, operation, request_), SerializationError)


def test_json_requests_have_the_same_errors() -> None:
    database = Database(open_store())
    items = [{"PutRequest": {"Item": {"pk": "x"}}}] * 26
    status, _ = database.call_json("BatchWriteItem", to_json({"RequestItems": {"Hostile": items}}))
    assert status == 400
    database.close()


def test_the_error_of_a_large_request_is_short(database: Database) -> None:
    many = [{"PutRequest": {"Item": {"pk": {"L": [{"S": ""}] * 2_000}}}}] * 26
    caught = error_of(database, "BatchWriteItem", {"RequestItems": {"Hostile": many}})
    assert caught is not None
    assert caught.message.startswith("1 validation error detected: Value '{Hostile=[WriteRequest(")
    assert len(caught.message) < 100_000
    caught = error_of(database, "TransactWriteItems", {"TransactItems": [{}] * 50_000})
    assert caught is not None
    assert len(caught.message) < 200_000
