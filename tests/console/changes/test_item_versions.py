"""Where the versions of items come from: the journal of an embedded database, or the stream of any table."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import Clock
from tablewright.console.changes import item_versions
from tablewright.console.changes.item_versions import (
    JournalVersions,
    StreamVersions,
    recovery_of,
    version_source,
)
from tablewright.console.open_designs import OpenDesign
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import UnknownOperation, UsageError
from tests.access.streams.goals import START, Step, main, quiet, switch_stream
from tests.console.goals_console import goals_console

PARTITION: Item = {"PK": {"S": "GOAL#g"}}


class Remote:
    """A connection that is not embedded, to the same data."""

    def __init__(self, connection: Any, *unknown: str) -> None:
        self.connection = connection
        self.unknown = unknown

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation in self.unknown:
            raise UnknownOperation(f"{operation} is not supported")
        reply: dict[str, Any] = self.connection.call(operation, request)
        return reply

    def close(self) -> None:
        """Nothing to close."""


@pytest.fixture
def opened() -> Iterator[OpenDesign]:
    with goals_console(recovery=True) as console:
        yield console.opened


def make_remote(opened: OpenDesign, *unknown: str) -> None:
    opened.db.connection = Remote(opened.db.connection, *unknown)


def write(opened: OpenDesign, clock: Clock, number: int, *, done: bool = False) -> None:
    clock.advance(10)
    opened.db.put(Step(goal_id="g", step_id=str(number), done=done))


def source_of(opened: OpenDesign, name: str = main.name) -> Any:
    return version_source(opened, name, recovery_of(opened, name))


def clock_of(opened: OpenDesign) -> Clock:
    clock: Clock = opened.db.connection.clock  # type: ignore[attr-defined]
    return clock


def test_an_embedded_table_with_recovery_has_a_journal(opened: OpenDesign) -> None:
    source = source_of(opened)
    assert isinstance(source, JournalVersions)
    assert source.first == int(START)


def test_recovery_that_is_off_leaves_the_stream(opened: OpenDesign) -> None:
    assert source_of(opened, quiet.name) is None  # its stream has no old images
    make_remote(opened)
    assert isinstance(source_of(opened), StreamVersions)


def test_a_table_without_stream_has_no_versions_elsewhere(opened: OpenDesign) -> None:
    switch_stream(opened.db, on=False)
    make_remote(opened)
    assert source_of(opened) is None


def test_an_absent_table_and_an_endpoint_without_recovery(opened: OpenDesign) -> None:
    opened.db.connection.call("DeleteTable", {"TableName": quiet.name})
    assert not recovery_of(opened, quiet.name).exists
    assert source_of(opened, quiet.name) is None
    make_remote(opened, "DescribeContinuousBackups")
    recovery = recovery_of(opened, main.name)
    assert (recovery.exists, recovery.enabled) == (True, False)
    assert "DescribeContinuousBackups is not supported" in (recovery.problem or "")


def both(opened: OpenDesign) -> tuple[Any, Any]:
    """The journal and the stream of the same table."""
    journal = source_of(opened)
    stream = StreamVersions.of(opened, main.name)
    assert stream is not None
    return journal, stream


def test_the_journal_and_the_stream_have_the_same_changes(opened: OpenDesign) -> None:
    clock = clock_of(opened)
    for number, done in ((1, False), (2, False), (1, True)):
        write(opened, clock, number, done=done)
    clock.advance(10)
    opened.db.delete(Step(goal_id="g", step_id="2"))
    journal, stream = both(opened)
    for key in ({}, PARTITION, PARTITION | {"SK": {"S": "STEP#1"}}):
        mine, other = (source.changes(key, None, None, 100) for source in (journal, stream))
        assert [
            (change["at"], change["key"], change["before"], change["after"]) for change in mine["changes"]
        ] == [(change["at"], change["key"], change["before"], change["after"]) for change in other["changes"]]
        assert mine["complete"]
        assert other["complete"]


def test_the_journal_and_the_stream_have_the_same_items_at_a_time(opened: OpenDesign) -> None:
    clock = clock_of(opened)
    for number, done in ((1, False), (2, False), (1, True), (3, False)):
        write(opened, clock, number, done=done)
    journal, stream = both(opened)
    times = [START + 5, START + 25, START + 35, START + 40]
    assert journal.items_at(PARTITION, times, None) == stream.items_at(PARTITION, times, None)
    one = PARTITION | {"SK": {"S": "STEP#1"}}
    assert len(stream.items_at(one, times, None)["items"]) == 1


def test_pages_of_the_stream(opened: OpenDesign) -> None:
    clock = clock_of(opened)
    for number in range(3):
        write(opened, clock, number)
    _, stream = both(opened)
    first = stream.changes(PARTITION, None, None, 2)
    assert (len(first["changes"]), first["complete"]) == (2, False)
    rest = stream.changes(PARTITION, None, first["changes"][-1]["sequence"], 2)
    assert (len(rest["changes"]), rest["complete"]) == (1, True)
    assert stream.changes(PARTITION, START + 10, None, 9)["changes"] == rest["changes"]


def test_a_stream_with_old_images_only_has_the_versions_too(opened: OpenDesign) -> None:
    clock = clock_of(opened)
    switch_stream(opened.db, on=False)
    clock.advance(1)
    specification = {"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"}
    opened.db.connection.call("UpdateTable", {"TableName": main.name, "StreamSpecification": specification})
    for done in (False, True, False):
        write(opened, clock, 1, done=done)
    journal, stream = both(opened)
    mine, other = (source.changes(PARTITION, None, None, 9)["changes"] for source in (journal, stream))
    assert [(each["before"], each["after"]) for each in mine] == [
        (each["before"], each["after"]) for each in other
    ]


def test_a_time_that_the_stream_does_not_cover_is_an_error(opened: OpenDesign) -> None:
    _, stream = both(opened)
    for time in (START - 10, START + 10):
        with pytest.raises(UsageError, match="the stream of goals-main does not cover the time"):
            stream.items_at(PARTITION, [time], None)


def test_a_long_stream_is_an_error(opened: OpenDesign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_versions, "MOST_RECORDS", 2)
    clock = clock_of(opened)
    for number in range(3):
        write(opened, clock, number)
    _, stream = both(opened)
    with pytest.raises(UsageError, match="more than 2 records; follow it in the view Streams"):
        stream.changes(PARTITION, None, None, 9)
