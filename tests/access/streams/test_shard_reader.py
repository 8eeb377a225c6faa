"""Shards: their order, and iterators after a position."""

from typing import Any, TypeVar

from tablewright import Clock, Repository
from tablewright.access.procedures import Procedure, Reply, run_sync
from tablewright.access.streams.shard_reader import Position, iterator_at, shards_of
from tests.access.streams.goals import goal, main, switch_stream

T = TypeVar("T")


def run(db: Repository, procedure: Procedure[T]) -> T:
    return run_sync(procedure, db.connection.call)


def records(db: Repository, iterator: str) -> list[Any]:
    found: list[Any] = db.connection.call("GetRecords", {"ShardIterator": iterator})["Records"]
    return found


def test_an_old_stream_is_read_before_a_new_one(db: Repository, clock: Clock) -> None:
    (before,) = run(db, shards_of(main.name))
    switch_stream(db, on=False)
    clock.advance(1)
    switch_stream(db, on=True)
    first, second = run(db, shards_of(main.name))
    assert (first.stream, first.closed) == (before.stream, True)
    assert (second.stream != before.stream, second.closed) == (True, False)
    assert first.place == f"shard/{first.stream}/{first.id}"


def test_shards_of_a_stream_are_sorted_and_know_their_parent() -> None:
    pages: dict[str | None, Reply] = {
        None: {"Shards": [_shard("2", parent="1"), _shard("1", end="9")], "LastEvaluatedShardId": "1"},
        "1": {"Shards": [_shard("0", end="5")]},
    }

    def call(operation: str, request: dict[str, Any]) -> Reply:
        if operation == "ListStreams":
            return {"Streams": [{"StreamArn": "arn", "StreamLabel": "2026"}]}
        return {"StreamDescription": pages[request.get("ExclusiveStartShardId")]}

    shards = run_sync(shards_of("t"), call)
    assert [(shard.id, shard.closed) for shard in shards] == [("0", True), ("1", True), ("2", False)]
    assert [shard.parent_place for shard in shards] == [None, None, "shard/arn/1"]


def _shard(number: str, parent: str | None = None, end: str | None = None) -> dict[str, Any]:
    numbers = {"StartingSequenceNumber": "1"} | ({"EndingSequenceNumber": end} if end else {})
    return {"ShardId": number, "SequenceNumberRange": numbers} | ({"ParentShardId": parent} if parent else {})


def test_an_iterator_begins_after_the_position(db: Repository) -> None:
    db.create(goal(1))
    (shard,) = run(db, shards_of(main.name))
    iterator, gap = run(db, iterator_at(shard, Position(main.name)))
    seen = records(db, iterator)
    assert (len(seen) > 0, gap) == (True, False)
    last = seen[-1]["dynamodb"]["SequenceNumber"]
    iterator, gap = run(db, iterator_at(shard, Position(main.name, last)))
    assert (records(db, iterator), gap) == ([], False)


def test_a_trimmed_position_is_a_gap(db: Repository, clock: Clock) -> None:
    first = db.create(goal(1))
    (shard,) = run(db, shards_of(main.name))
    iterator, _ = run(db, iterator_at(shard, Position(main.name)))
    after = records(db, iterator)[0]["dynamodb"]["SequenceNumber"]
    clock.advance(2 * 24 * 3600)
    db.delete(first)
    iterator, gap = run(db, iterator_at(shard, Position(main.name, after)))
    assert gap
    assert {record["eventName"] for record in records(db, iterator)} == {"REMOVE"}
