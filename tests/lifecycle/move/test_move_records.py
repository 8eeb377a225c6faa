"""Move records: stored in the target, read back, and held by one runner."""

from collections.abc import Iterator

import pytest

from tablewright import Clock, embedded
from tablewright.access.context import Context
from tablewright.access.streams.shard_reader import OpenShard, Position
from tablewright.errors import MoveError
from tablewright.lifecycle.move.move_records import CopiedSegment, MoveRecords
from tablewright.lifecycle.move.sides import MoveSide
from tests.lifecycle.move.moves import DESIGN

CLOCK = Clock()


@pytest.fixture
def target() -> Iterator[MoveSide]:
    with embedded(clock=CLOCK) as connection:
        yield MoveSide("target", connection, DESIGN, Context(CLOCK.now))


def test_progress_is_read_back(target: MoveSide) -> None:
    records = MoveRecords(target)
    records.create()
    assert records.state() is None
    state = records.save(records.claim(), phase="copying", segments=3)
    assert records.state() == state
    copied = CopiedSegment(1, {"PK": {"S": "a"}, "SK": {"S": "b"}}, is_done=False, items=7)
    records.save_segment("orders", copied)
    assert records.segments("orders", 3) == [CopiedSegment(0), copied, CopiedSegment(2)]
    assert records.segments("people", 1) == [CopiedSegment(0)]
    shard = OpenShard("arn:stream", "shard-1", None, closed=False)
    records.save_position("source", shard, Position("orders", "17"))
    assert records.positions("source") == {shard.place: Position("orders", "17")}
    assert records.positions("target") == {}
    records.forget_positions("source")
    assert records.positions("source") == {}
    records.forget()
    assert records.state() is None


def test_a_lease_is_held_until_it_ends(target: MoveSide) -> None:
    first, second = MoveRecords(target), MoveRecords(target)
    first.create()
    state = first.claim()
    with pytest.raises(MoveError, match="another command moves these tables"):
        second.claim()
    CLOCK.advance(60)
    second.claim()
    with pytest.raises(MoveError, match="another command has taken over the move"):
        first.save(state)


def test_a_released_move_is_free_at_once(target: MoveSide) -> None:
    first, second = MoveRecords(target), MoveRecords(target)
    first.create()
    first.release(first.claim())
    assert second.claim().phase == "starting"
