"""Procedures: the same generator runs with sync calls and with awaited calls."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tablewright import errors
from tablewright.access.procedures import (
    BlockingTask,
    Call,
    Concurrent,
    Pause,
    Procedure,
    Reply,
    all_items,
    consumed_units,
    run_async,
    run_sync,
)
from tablewright.errors import LostConnection, ServiceError, Throttling, UsageError


class Recorder:
    """Replies to calls with their number, and records calls and pauses."""

    def __init__(self, *errors: ServiceError | LostConnection) -> None:
        self.log: list[object] = []
        self._errors = list(errors)

    def call(self, operation: str, request: dict[str, Any]) -> Reply:
        self.log.append((operation, request))
        if self._errors:
            raise self._errors.pop(0)
        return {"Number": len(self.log)}

    def pause(self, seconds: float) -> None:
        self.log.append(seconds)


def in_sync(procedure: Procedure[Any], recorder: Recorder) -> Any:
    return run_sync(procedure, recorder.call, recorder.pause)


def in_async(procedure: Procedure[Any], recorder: Recorder) -> Any:
    async def call(operation: str, request: dict[str, Any]) -> Reply:
        return recorder.call(operation, request)

    async def pause(seconds: float) -> None:
        recorder.pause(seconds)

    return asyncio.run(run_async(procedure, call, pause))


both = pytest.mark.parametrize("run", [in_sync, in_async])
Run = Callable[[Procedure[Any], Recorder], Any]


@both
def test_effects_are_executed_in_order_and_replies_are_sent_back(run: Run) -> None:
    def procedure() -> Procedure[list[int]]:
        first = yield Call("GetItem", {"Key": 1})
        yield Pause(2.5)
        last = yield Call("PutItem", {"Item": 2})
        return [first["Number"], last["Number"]]

    recorder = Recorder()
    assert run(procedure(), recorder) == [1, 3]
    assert recorder.log == [("GetItem", {"Key": 1}), 2.5, ("PutItem", {"Item": 2})]


@both
@pytest.mark.parametrize("error", [Throttling("busy"), LostConnection("gone")])
def test_an_error_is_raised_inside_the_procedure(run: Run, error: ServiceError | LostConnection) -> None:
    def procedure() -> Procedure[str]:
        try:
            yield Call("GetItem", {})
        except (Throttling, LostConnection) as caught:
            yield Call("PutItem", {})
            return str(caught)
        return "no error"

    assert run(procedure(), Recorder(error)) == str(error)


@both
def test_an_error_that_the_procedure_does_not_catch_is_raised(run: Run) -> None:
    def procedure() -> Procedure[None]:
        yield Call("GetItem", {})

    with pytest.raises(Throttling, match="busy"):
        run(procedure(), Recorder(Throttling("busy")))


@both
def test_a_blocking_task_returns_its_reply(run: Run) -> None:
    def procedure() -> Procedure[str]:
        reply = yield BlockingTask(lambda: {"Thread": threading.current_thread().name})
        return str(reply["Thread"])

    in_main_thread = run(procedure(), Recorder()) == threading.main_thread().name
    assert in_main_thread is (run is in_sync)


def coroutine_task() -> Procedure[str]:
    async def reply() -> Reply:
        await asyncio.sleep(0)
        return {"Value": "awaited"}

    def begin() -> Coroutine[Any, Any, Reply]:
        return reply()

    return str((yield BlockingTask(begin))["Value"])


def test_a_coroutine_needs_an_async_runner() -> None:
    assert in_async(coroutine_task(), Recorder()) == "awaited"
    with pytest.raises(UsageError, match=r"db\.aio"):
        in_sync(coroutine_task(), Recorder())


@both
def test_concurrent_procedures_give_their_results_in_order(run: Run) -> None:
    def one(key: int) -> Procedure[int]:
        yield Call("GetItem", {"Key": key})
        return key * 10

    def procedure() -> Procedure[list[int]]:
        return (yield Concurrent([one(1), one(2), one(3)]))["results"]  # type: ignore[no-any-return]

    assert run(procedure(), Recorder()) == [10, 20, 30]


@both
def test_an_error_of_a_concurrent_procedure_reaches_the_procedure(run: Run) -> None:
    def one() -> Procedure[int]:
        return (yield Call("GetItem", {}))["Number"]  # type: ignore[no-any-return]

    def procedure() -> Procedure[str]:
        try:
            yield Concurrent([one(), one()])
        except Throttling:
            return "caught"
        return "no error"

    assert run(procedure(), Recorder(Throttling("slow down"))) == "caught"


@pytest.mark.parametrize(
    ("reply", "units"),
    [
        ({}, 0.0),
        ({"ConsumedCapacity": None}, 0.0),
        ({"ConsumedCapacity": {"TableName": "t", "CapacityUnits": 2.5}}, 2.5),
        ({"ConsumedCapacity": [{"CapacityUnits": 2.0}, {"TableName": "other"}, {"CapacityUnits": 1.0}]}, 3.0),
    ],
)
def test_units_of_a_reply(reply: dict[str, Any], units: float) -> None:
    assert consumed_units(reply) == units


PAGES: list[Reply] = [
    {"Items": [{"id": {"S": "1"}}], "LastEvaluatedKey": {"id": {"S": "1"}}},
    {"Items": [], "LastEvaluatedKey": {"id": {"S": "5"}}},
    {"Items": [{"id": {"S": "7"}}]},
]


def test_all_pages_are_read() -> None:
    requests: list[dict[str, Any]] = []
    replies = iter(PAGES)

    def call(operation: str, request: dict[str, Any]) -> Reply:
        assert operation == "Scan"
        requests.append(request)
        return next(replies)

    found = run_sync(all_items("Scan", {"TableName": "t"}), call)
    assert found == [{"id": {"S": "1"}}, {"id": {"S": "7"}}]
    assert requests == [
        {"TableName": "t"},
        {"TableName": "t", "ExclusiveStartKey": {"id": {"S": "1"}}},
        {"TableName": "t", "ExclusiveStartKey": {"id": {"S": "5"}}},
    ]


def test_a_throttled_page_is_read_again() -> None:
    replies: list[Reply | errors.Throttling] = [PAGES[0], errors.Throttling("busy"), PAGES[2]]

    def call(operation: str, request: dict[str, Any]) -> Reply:
        reply = replies.pop(0)
        if isinstance(reply, errors.Throttling):
            raise reply
        return reply

    assert len(run_sync(all_items("Query", {}), call, lambda seconds: None)) == 2
