"""Dispatch: a record becomes an event for the listeners of its entity, with retries."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tablewright.access.context import Context
from tablewright.access.procedures import Procedure, Reply, run_sync
from tablewright.access.streams.dispatch import Dispatcher, Failure, require_sync
from tablewright.access.streams.events import Event, Inserted, Listener, on
from tablewright.errors import UnknownItem, UsageError
from tests.access.streams.goals import START, Recorder, Step, main, quiet

KEY = {"PK": {"S": "GOAL#g1"}, "SK": {"S": "STEP#s1"}}
SERVICE = {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}


def image(kind: str = "STEP", *, done: bool = False) -> dict[str, Any]:
    return {**KEY, "type": {"S": kind}, "goalId": {"S": "g1"}, "stepId": {"S": "s1"}, "done": {"BOOL": done}}


def record(name: str, old: Any = None, new: Any = None, identity: Any = None) -> dict[str, Any]:
    images = {"OldImage": old, "NewImage": new}
    change = {"Keys": KEY, "ApproximateCreationDateTime": START, "SequenceNumber": "1"}
    change |= {member: value for member, value in images.items() if value is not None}
    made = {"eventID": "e1", "eventName": name, "dynamodb": change}
    return made | ({"userIdentity": identity} if identity else {})


def run(procedure: Procedure[Any], pause: Callable[[float], None] = lambda seconds: None) -> Any:
    def no_call(operation: str, request: dict[str, Any]) -> Reply:
        raise AssertionError("dispatch makes no calls")

    return run_sync(procedure, no_call, pause)


def dispatched(
    record: dict[str, Any], *listeners: Listener[Any], tries: int = 1
) -> tuple[int, list[Failure]]:
    result: tuple[int, list[Failure]] = run(Dispatcher(Context(), listeners, tries).dispatch(main, record))
    return result


@pytest.mark.parametrize(
    ("record", "event"),
    [
        (record("INSERT", new=image()), "Inserted"),
        (record("MODIFY", image(), image(done=True)), "Modified"),
        (record("REMOVE", image()), "Removed"),
        (record("REMOVE", image(), identity=SERVICE), "Expired"),
        (
            record("REMOVE", image(), identity={"type": "Service", "principalId": SERVICE["PrincipalId"]}),
            "Expired",
        ),
        (record("REMOVE", image(), identity={"Type": "User", "PrincipalId": "ada"}), "Removed"),
        (record("MODIFY", image("GOAL"), image()), "Inserted"),
        (record("MODIFY", image(), image("GOAL")), "Removed"),
        (record("INSERT", new=image("GOAL")), None),
        (record("INSERT", new=image() | {"_of": {"S": "a copy"}}), None),
    ],
)
def test_the_event_of_a_record(record: dict[str, Any], event: str | None) -> None:
    recorder = Recorder(Step)
    assert dispatched(record, recorder.listener) == (1 if event else 0, [])
    assert recorder.names() == ([event] if event else [])


def test_an_event_has_the_id_and_the_time_of_its_record() -> None:
    recorder = Recorder(Step)
    dispatched(record("INSERT", new=image()), recorder.listener)
    expected = Inserted("e1", datetime.fromtimestamp(START, UTC), Step(goal_id="g1", step_id="s1"))
    assert recorder.events == [expected]


def test_a_listener_gets_only_its_events_and_its_table() -> None:
    inserted, removed = Recorder(Step, "inserted"), Recorder(Step, "removed")
    assert dispatched(record("REMOVE", image()), inserted.listener, removed.listener) == (1, [])
    assert (inserted.names(), removed.names()) == ([], ["Removed"])
    dispatcher = Dispatcher(Context(), [removed.listener], 1)
    assert run(dispatcher.dispatch(quiet, record("REMOVE", image()))) == (0, [])


def test_a_listener_is_called_up_to_tries_times() -> None:
    attempts: list[Any] = []

    @on(Step, "inserted")
    def fails_twice(event: Event[Step]) -> None:
        attempts.append(event)
        if len(attempts) < 3:
            raise OSError("not now")

    pauses: list[float] = []
    dispatcher = Dispatcher(Context(), [fails_twice], 3)
    assert run(dispatcher.dispatch(main, record("INSERT", new=image())), pauses.append) == (1, [])
    assert (len(attempts), len(pauses)) == (3, 2)


def test_the_last_error_is_the_failure() -> None:
    @on(Step, "inserted")
    def fails(event: Event[Step]) -> None:
        raise OSError("never")

    delivered, (failure,) = dispatched(record("INSERT", new=image()), fails, tries=2)
    assert delivered == 0
    assert (failure.id, failure.table, failure.key, str(failure.error)) == ("e1", main.name, KEY, "never")


def test_an_image_that_cannot_be_decoded_is_a_failure() -> None:
    broken = {name: value for name, value in image().items() if name != "done"} | {"done": {"S": "maybe"}}
    _, (failure,) = dispatched(record("INSERT", new=broken), Recorder(Step).listener)
    assert isinstance(failure.error, UnknownItem)


def test_listeners_and_tries_are_required() -> None:
    with pytest.raises(UsageError, match="there are no listeners"):
        Dispatcher(Context(), [], 1)
    with pytest.raises(UsageError, match="tries must be at least 1, got 0"):
        Dispatcher(Context(), [Recorder(Step).listener], 0)


def test_sync_code_cannot_use_async_listeners() -> None:
    @on(Step, "inserted")
    async def slow(event: Event[Step]) -> None:
        raise AssertionError

    require_sync([Recorder(Step).listener])
    with pytest.raises(UsageError, match=r"slow is async; use db\.aio\.streams"):
        require_sync([slow])
