"""Rate limits: a meter slows a procedure down to its rate."""

from contextlib import suppress
from typing import Any

import pytest

from tablewright import Clock, errors
from tablewright.access.procedures import Call, Pause, Procedure, run_sync
from tablewright.lifecycle.traversal.rate_limit import Meter, metered, units_of


def test_a_procedure_is_slowed_down_to_the_rate() -> None:
    clock = Clock(start=0)
    meter = Meter(10, clock.now)

    def reads() -> Procedure[str]:
        for _ in range(4):
            reply = yield Call("Scan", {"TableName": "t"})
            assert reply["Items"] == []
        return "done"

    paused: list[float] = []

    def pause(seconds: float) -> None:
        paused.append(seconds)
        clock.advance(seconds)

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        assert request["ReturnConsumedCapacity"] == "TOTAL"
        return {"Items": [], "ConsumedCapacity": {"CapacityUnits": 50.0}}

    assert run_sync(metered(reads(), meter), call, pause) == "done"
    assert clock.now() == pytest.approx(20)
    assert max(paused) <= 10
    assert meter.units == 200


def test_a_long_pause_has_heartbeats() -> None:
    def read() -> Procedure[None]:
        yield Call("GetItem", {})

    def heartbeat() -> Procedure[None]:
        yield Call("UpdateItem", {"heartbeat": True})

    effects = metered(read(), Meter(1, lambda: 0.0), heartbeat)
    next(effects)
    seen: list[object] = [effects.send({"ConsumedCapacity": {"CapacityUnits": 25.0}})]
    with suppress(StopIteration):
        while True:
            seen.append(effects.send({}))
    heartbeat_call = Call("UpdateItem", {"heartbeat": True})
    assert seen == [Pause(10.0), heartbeat_call, Pause(10.0), heartbeat_call, Pause(5.0)]


def test_the_units_of_a_call() -> None:
    assert units_of({"ConsumedCapacity": [{"CapacityUnits": 2.0}, {"CapacityUnits": 0.5}]}) == 2.5
    assert units_of({}) == 0
    assert units_of(errors.ConditionalCheckFailed()) == 1
    assert units_of(errors.Throttling()) == 0


def test_a_meter_without_a_rate_only_counts() -> None:
    meter = Meter()
    assert [meter.charge(5), meter.charge(2.5)] == [0.0, 0.0]
    assert meter.units == 7.5


def test_unused_time_is_not_saved_up() -> None:
    clock = Clock(start=0)
    meter = Meter(10, clock.now)
    assert meter.charge(10) == 1.0
    clock.advance(100)
    assert meter.charge(10) == 1.0


def test_errors_reach_the_procedure() -> None:
    def careful() -> Procedure[str]:
        try:
            yield Call("PutItem", {})
        except errors.ConditionalCheckFailed:
            return "caught"
        return "written"

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        raise errors.ConditionalCheckFailed()

    meter = Meter()
    assert run_sync(metered(careful(), meter), call) == "caught"
    assert meter.units == 1


def test_other_calls_are_not_metered() -> None:
    def describe() -> Procedure[dict[str, Any]]:
        return (yield Call("DescribeTable", {"TableName": "t"}))

    assert run_sync(metered(describe(), Meter()), lambda operation, request: request) == {"TableName": "t"}
