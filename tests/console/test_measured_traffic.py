"""Measured traffic: counts by pattern, entity and key, from the start of a measurement to its end."""

from typing import Any

import pytest

from tablewright import Faults, errors
from tablewright.connections import Embedded
from tablewright.console import measured_traffic
from tablewright.console.measured_traffic import MeasuredTraffic, RequestUse, RequestUses
from tablewright.console.open_designs import OpenDesign
from tablewright.engine.core.request_observers import ObservedRequest
from tests.console.sample_console import open_system


class Time:
    def __init__(self) -> None:
        self.now = 100.0


def measuring(opened: OpenDesign, time: Time) -> tuple[MeasuredTraffic, Embedded]:
    traffic = MeasuredTraffic(opened.design, opened.tables, now=lambda: time.now)
    connection = opened.db.connection
    assert isinstance(connection, Embedded)
    traffic.start(connection)
    return traffic, connection


def get(connection: Embedded, board: str) -> None:
    key = {"PK": {"S": f"BOARD#{board}"}, "SK": {"S": "META"}}
    connection.call("GetItem", {"TableName": "Boards", "Key": key})


def test_requests_are_counted_from_start_to_stop() -> None:
    opened, time = open_system(samples=0), Time()
    traffic, connection = measuring(opened, time)
    get(connection, "b1")
    get(connection, "b1")
    get(connection, "b2")
    time.now += 10
    traffic.stop()
    get(connection, "b1")
    time.now += 10
    counts = traffic.copied()
    assert (counts.requests, counts.reads[("BoardById",)].requests, traffic.seconds) == (3, 3, 10)
    ((first, measured), _) = traffic.hottest(9)
    assert first == ("Boards", None, ("BOARD#b1",))
    assert (measured.requests, measured.read) == (2, 1.0)
    assert not traffic.is_measuring
    opened.close()


def test_a_new_measurement_starts_from_nothing() -> None:
    opened = open_system(samples=0)
    traffic, connection = measuring(opened, Time())
    get(connection, "b1")
    traffic.start(connection)
    assert traffic.copied().requests == 0
    get(connection, "b1")
    assert traffic.copied().requests == 1  # observed once, not twice
    traffic.stop()
    opened.close()


def test_throttled_requests_and_other_errors_are_counted() -> None:
    opened = open_system(samples=0)
    traffic, connection = measuring(opened, Time())
    connection.faults = Faults(throttling=1.0)
    with pytest.raises(errors.ProvisionedThroughputExceeded):
        get(connection, "b1")
    connection.faults = None
    with pytest.raises(errors.ValidationError):
        connection.call("GetItem", {"TableName": "Boards", "Key": {"PK": {"S": "x"}}})
    counts = traffic.copied()
    assert (counts.reads[("BoardById",)].throttled, counts.reads[("BoardById",)].read) == (1, 0.0)
    assert counts.errors == {"ValidationException": 1}
    traffic.stop()
    opened.close()


def test_the_number_of_keys_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured_traffic, "MAX_KEYS", 10)
    opened = open_system(samples=0)
    traffic, connection = measuring(opened, Time())
    for _ in range(3):
        get(connection, "hot")
    for number in range(30):
        get(connection, str(number))
    keys = traffic.hottest(100)
    assert len(keys) <= 10
    assert keys[0][0][2] == ("BOARD#hot",)
    traffic.stop()
    opened.close()


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
