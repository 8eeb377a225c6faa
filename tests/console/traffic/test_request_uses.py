"""Requests are matched with the patterns and entities of a design."""

from typing import Any

import pytest

from tablewright.console.open_designs import OpenDesign
from tablewright.console.traffic.request_uses import RequestUse, RequestUses
from tablewright.engine.features.insights.request_observers import ObservedRequest
from tests.console.sample_console import open_system

BOARD = {"S": "BOARD#b1"}


@pytest.fixture(scope="module")
def boards() -> OpenDesign:
    return open_system("boards", samples=0)


def uses_of(opened: OpenDesign, operation: str, request: dict[str, Any], **units: float) -> list[RequestUse]:
    capacity = tuple({"TableName": table, "CapacityUnits": number} for table, number in units.items())
    return RequestUses(opened.design, opened.tables).of(
        ObservedRequest(operation, request, capacity, 0, None, 0.0)
    )


def test_a_get_is_matched_by_its_key(boards: OpenDesign) -> None:
    request = {"TableName": "Boards", "Key": {"PK": BOARD, "SK": {"S": "META"}}}
    (use,) = uses_of(boards, "GetItem", request, Boards=0.5)
    assert use == RequestUse("read", ("BoardById",), "Boards", None, ("BOARD#b1",), 0.5)


@pytest.mark.parametrize(
    ("condition", "names", "values", "expected"),
    [
        (
            "#a = :0 AND begins_with(#b, :1)",
            {"#a": "PK", "#b": "SK"},
            {":0": BOARD, ":1": {"S": "USER#"}},
            ("MembersOfBoard",),
        ),
        (
            "PK=:p AND begins_with ( SK,:s )",
            {},
            {":p": BOARD, ":s": {"S": "USER#"}},
            ("MembersOfBoard",),
        ),
        ("PK = :p AND SK > :s", {}, {":p": BOARD, ":s": {"S": "A"}}, ()),
        ("PK = :p AND begins_with(SK, :s)", {}, {":p": BOARD, ":s": {"S": "OTHER#"}}, ()),
    ],
)
def test_a_query_is_matched_by_its_key_condition(
    boards: OpenDesign,
    condition: str,
    names: dict[str, str],
    values: dict[str, Any],
    expected: tuple[str, ...],
) -> None:
    request = {
        "TableName": "BoardMemberships",
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": values,
    }
    request |= {"ExpressionAttributeNames": names} if names else {}
    (use,) = uses_of(boards, "Query", request, BoardMemberships=1.0)
    assert (use.names, use.partition, use.units) == (expected, ("BOARD#b1",), 1.0)


def test_a_query_with_another_filter_is_of_no_pattern(boards: OpenDesign) -> None:
    request = {
        "TableName": "BoardMemberships",
        "KeyConditionExpression": "PK = :p AND begins_with(SK, :s)",
        "FilterExpression": "role = :r",
        "ExpressionAttributeValues": {":p": BOARD, ":s": {"S": "USER#"}, ":r": {"S": "admin"}},
    }
    assert uses_of(boards, "Query", request)[0].names == ()


def test_patterns_with_the_same_key_differ_by_the_attributes_they_read() -> None:
    opened = open_system("student_hub", samples=0)
    table = next(name for name in opened.tables if name.endswith("deadlines"))
    request = {
        "TableName": table,
        "KeyConditionExpression": "userId = :u",
        "ExpressionAttributeValues": {":u": {"S": "u1"}},
    }
    (whole,) = uses_of(opened, "Query", request)
    (keys,) = uses_of(opened, "Query", request | {"ProjectionExpression": "deadlineId"})
    assert (whole.names, whole.partition) == (("DeadlinesOf",), ("u1",))
    assert keys.names == ("DeadlineKeysOf",)
    opened.close()


def test_the_units_of_a_transaction_are_divided_and_locks_count_for_their_entity(boards: OpenDesign) -> None:
    profile = {"PK": {"S": "USER#u1"}, "SK": {"S": "PROFILE"}}
    claim = {"PK": {"S": "USERNAME#ada"}, "SK": {"S": "UNIQUE"}}
    request = {
        "TransactItems": [
            {"Put": {"TableName": "UserProfiles", "Item": profile}},
            {"Put": {"TableName": "UserProfiles", "Item": claim}},
            {"Delete": {"TableName": "Elsewhere", "Key": {"id": {"S": "x"}}}},
        ]
    }
    table = next(name for name in boards.tables if "Profile" in name)
    request["TransactItems"][0]["Put"]["TableName"] = request["TransactItems"][1]["Put"]["TableName"] = table
    uses = uses_of(boards, "TransactWriteItems", request, **{table: 8.0})
    assert [(use.kind, use.is_main, use.units) for use in uses] == [
        ("write", True, 4.0),
        ("write", False, 4.0),
    ]
    assert uses[0].names == uses[1].names


def test_batches_have_a_use_for_each_key(boards: OpenDesign) -> None:
    keys = [{"PK": {"S": f"BOARD#{number}"}, "SK": {"S": "META"}} for number in range(3)]
    reads = uses_of(boards, "BatchGetItem", {"RequestItems": {"Boards": {"Keys": keys}}}, Boards=1.5)
    writes = uses_of(
        boards,
        "BatchWriteItem",
        {"RequestItems": {"Boards": [{"DeleteRequest": {"Key": keys[0]}}]}},
        Boards=1.0,
    )
    assert [(use.names, use.units) for use in reads] == [(("BoardById",), 0.5)] * 3
    assert [(use.kind, use.names, use.units) for use in writes] == [("write", ("Board",), 1.0)]


@pytest.mark.parametrize("operation", ["ListTables", "ExecuteStatement"])
def test_other_operations_have_no_use(boards: OpenDesign, operation: str) -> None:
    assert uses_of(boards, operation, {"Statement": "SELECT"}) == []
