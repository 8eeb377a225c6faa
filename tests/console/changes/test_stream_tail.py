"""The tail of a stream: starts, continues where another tail stopped, and follows splits of shards."""

from typing import Any

import pytest

from tablewright import Clock, Repository, connect
from tablewright.console.changes import stream_tail
from tablewright.console.changes.stream_tail import StreamTail, TailStart
from tests.access.streams.goals import START, Step, design, main, switch_stream


@pytest.fixture
def db() -> Any:
    with connect(design, clock=Clock(START)) as opened:
        yield opened


def write(db: Repository, number: int) -> None:
    """Write a step; a second passes, which is the precision of the times of records."""
    db.put(Step(goal_id="g", step_id=str(number)))
    db.connection.clock.advance(1)  # type: ignore[attr-defined]


def tail(db: Repository, start: TailStart) -> StreamTail:
    return StreamTail(db.connection, main.name, start, db.context.now())


def numbers(found: StreamTail) -> list[str]:
    """Read to the end; return which steps were written."""
    read: list[str] = []
    while True:
        polled = found.poll()
        read += [record["dynamodb"]["NewImage"]["stepId"]["S"] for _, record in polled.records]
        if polled.is_at_end:
            return read


def test_a_tail_from_now_has_later_records_only(db: Repository) -> None:
    write(db, 1)
    found = tail(db, TailStart())
    assert numbers(found) == []
    write(db, 2)
    assert numbers(found) == ["2"]
    assert numbers(found) == []


def test_a_tail_from_the_oldest_record_has_all(db: Repository) -> None:
    write(db, 1)
    write(db, 2)
    assert numbers(tail(db, TailStart("oldest"))) == ["1", "2"]


def test_a_tail_continues_behind_the_positions_of_another(db: Repository) -> None:
    first = tail(db, TailStart("oldest"))
    write(db, 1)
    assert numbers(first) == ["1"]
    write(db, 2)
    again = tail(db, TailStart("oldest", first.positions, first.since))
    assert numbers(again) == ["2"]


def test_a_tail_that_had_no_record_continues_at_its_start(db: Repository) -> None:
    write(db, 1)
    first = tail(db, TailStart())
    assert numbers(first) == []
    write(db, 2)
    assert numbers(tail(db, TailStart("now", first.positions, first.since))) == ["2"]


def test_an_expired_iterator_is_replaced_without_loss_or_repetition(db: Repository) -> None:
    write(db, 1)
    found = tail(db, TailStart())
    assert numbers(found) == []
    db.connection.clock.advance(3600)  # type: ignore[attr-defined]
    write(db, 2)
    assert numbers(found) == ["2"]
    db.connection.clock.advance(3600)  # type: ignore[attr-defined]
    write(db, 3)
    assert numbers(found) == ["3"]


def test_records_that_were_trimmed_are_a_gap(db: Repository) -> None:
    write(db, 1)
    first = tail(db, TailStart("oldest"))
    assert numbers(first) == ["1"]
    write(db, 2)
    db.connection.clock.advance(25 * 3600)  # type: ignore[attr-defined]
    write(db, 3)
    polled = tail(db, TailStart("oldest", first.positions, first.since)).poll()
    assert polled.has_gap
    assert [record["dynamodb"]["NewImage"]["stepId"]["S"] for _, record in polled.records] == ["3"]


def test_a_stream_that_is_enabled_again_is_followed(db: Repository) -> None:
    found = tail(db, TailStart())
    write(db, 1)
    assert numbers(found) == ["1"]
    switch_stream(db, on=False)
    db.connection.clock.advance(1)  # type: ignore[attr-defined]
    switch_stream(db, on=True)
    write(db, 2)
    assert numbers(found) == ["2"]


def test_new_shards_are_found_while_nothing_arrives(db: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_tail, "REFRESH_POLLS", 2)
    calls: list[str] = []

    class Counted:
        def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            calls.append(operation)
            return db.connection.call(operation, request)

        def close(self) -> None:
            """Nothing to close."""

    found = StreamTail(Counted(), main.name, TailStart(), db.context.now())
    for _ in range(5):
        found.poll()
    assert calls.count("ListStreams") == 3


class SplitShards:
    """A stream whose shard was split, as on AWS: the children are read after the parent."""

    def __init__(self) -> None:
        self.order: list[str] = []

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "ListStreams":
            return {"Streams": [{"StreamArn": "arn", "StreamLabel": "1"}]}
        if operation == "DescribeStream":
            closed = {"StartingSequenceNumber": "1", "EndingSequenceNumber": "9"}
            shards = [
                {"ShardId": "a", "SequenceNumberRange": closed},
                {
                    "ShardId": "b",
                    "ParentShardId": "a",
                    "SequenceNumberRange": {"StartingSequenceNumber": "9"},
                },
            ]
            return {"StreamDescription": {"Shards": shards}}
        if operation == "GetShardIterator":
            return {"ShardIterator": f"{request['ShardId']}/0"}
        shard, number = request["ShardIterator"].split("/")
        self.order.append(request["ShardIterator"])
        change = {"SequenceNumber": f"{shard}{number}", "ApproximateCreationDateTime": 10}
        following = (
            {} if (shard, number) == ("a", "1") else {"NextShardIterator": f"{shard}/{int(number) + 1}"}
        )
        return {"Records": [{"dynamodb": change}], **following}

    def close(self) -> None:
        """Nothing to close."""


def test_a_child_shard_is_read_after_its_parent() -> None:
    stream = SplitShards()
    found = StreamTail(stream, "t", TailStart("oldest"), 0.0)
    read = [record["dynamodb"]["SequenceNumber"] for _ in range(3) for _, record in found.poll().records]
    assert read == ["a0", "a1", "b0", "b1"]
    assert found.positions == {"a": "a1", "b": "b1"}
