"""Measured traffic: counts by pattern, entity and key, from the start of a measurement to its end."""

import pytest

from tablewright import Faults, errors
from tablewright.connections import Embedded
from tablewright.console.open_designs import OpenDesign
from tablewright.console.traffic import measured_traffic
from tablewright.console.traffic.measured_traffic import MeasuredTraffic
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
