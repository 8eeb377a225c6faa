"""Recorded calls: the counts and the capacity of each request."""

from typing import Any

import pytest

from tablewright import errors
from tablewright.console.patterns.recorded_calls import RecordingConnection
from tests.console.sample_console import open_system


@pytest.fixture(scope="module")
def connection() -> Any:
    opened = open_system("boards", samples=1)
    yield opened.db.connection
    opened.db.close()


def test_a_scan_records_what_it_examined_and_returned(connection: Any) -> None:
    recording = RecordingConnection(connection)
    table = connection.call("ListTables", {})["TableNames"][0]
    reply = recording.call(
        "Scan", {"TableName": table, "FilterExpression": "attribute_not_exists(absent)", "Limit": 2}
    )
    (call,) = recording.calls
    assert (call.examined, call.returned) == (2, len(reply["Items"]))
    assert call.units == reply["ConsumedCapacity"]["CapacityUnits"] > 0
    assert "ReturnConsumedCapacity" not in call.request


def test_reads_by_key_are_counted(connection: Any) -> None:
    recording = RecordingConnection(connection)
    table = connection.call("ListTables", {})["TableNames"][0]
    described = connection.call("DescribeTable", {"TableName": table})["Table"]
    names = [each["AttributeName"] for each in described["KeySchema"]]
    item = connection.call("Scan", {"TableName": table, "Limit": 1})["Items"][0]
    key = {name: item[name] for name in names}
    recording.call("GetItem", {"TableName": table, "Key": key})
    recording.call("BatchGetItem", {"RequestItems": {table: {"Keys": [key]}}})
    recording.call("TransactGetItems", {"TransactItems": [{"Get": {"TableName": table, "Key": key}}]})
    assert [each.returned for each in recording.calls] == [1, 1, 1]
    assert all(each.units > 0 for each in recording.calls)


def test_a_write_is_never_passed_on(connection: Any) -> None:
    with pytest.raises(errors.UsageError, match="finds nothing"):
        RecordingConnection(connection).call("PutItem", {})


def test_long_throttling_is_reported_instead_of_waited_for(connection: Any) -> None:
    with pytest.raises(errors.Throttling, match="run it again"):
        RecordingConnection(connection).pause(60)
