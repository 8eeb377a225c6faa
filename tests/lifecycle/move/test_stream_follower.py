"""Stream followers: what is skipped, what is applied, and from where it continues."""

from collections.abc import Iterator

import pytest

from tablewright import Clock, embedded
from tablewright.access.context import Context
from tablewright.errors import MoveError
from tablewright.lifecycle.move.move_records import MoveRecords
from tablewright.lifecycle.move.sides import MoveSide
from tablewright.lifecycle.move.stream_follower import StreamFollower
from tests.lifecycle.move.moves import DESIGN, create, put_order

Sides = tuple[MoveSide, MoveSide, MoveRecords]
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


@pytest.fixture
def sides() -> Iterator[Sides]:
    with embedded(clock=Clock()) as one, embedded() as other:
        create(one)
        create(other)
        for table in DESIGN.tables:
            one.call("UpdateTable", {"TableName": table.name, "StreamSpecification": STREAM})
        target = MoveSide("target", other, DESIGN, Context())
        records = MoveRecords(target)
        records.create()
        yield MoveSide("source", one, DESIGN, Context()), target, records


def follower(sides: Sides) -> StreamFollower:
    return StreamFollower(DESIGN.tables, *sides)


def states(side: MoveSide) -> dict[str, str]:
    items = side.call("Scan", TableName="move-orders")["Items"]
    return {item["PK"]["S"]: item["state"]["S"] for item in items}


def test_records_before_the_start_are_skipped(sides: Sides) -> None:
    source, target, _ = sides
    put_order(source.connection, 1, "before")
    started = follower(sides)
    started.skip_to_the_end()
    put_order(source.connection, 2, "after")
    done = started.follow()
    assert (done.records, done.is_caught_up) == (1, True)
    assert states(target) == {"o2": "after"}


def test_the_last_change_of_a_key_wins_and_the_position_is_kept(sides: Sides) -> None:
    source, target, _ = sides
    started = follower(sides)
    started.skip_to_the_end()
    for state in ("a", "b", "c"):
        put_order(source.connection, 1, state)
    put_order(source.connection, 2, "x")
    source.call("DeleteItem", TableName="move-orders", Key={"PK": {"S": "o2"}, "SK": {"S": "order"}})
    assert started.follow().records == 5
    assert states(target) == {"o1": "c"}
    assert follower(sides).follow().records == 0


def test_a_stream_that_was_replaced_is_followed_in_order(sides: Sides) -> None:
    source, target, _ = sides
    started = follower(sides)
    started.skip_to_the_end()
    put_order(source.connection, 1, "old stream")
    source.call("UpdateTable", TableName="move-orders", StreamSpecification={"StreamEnabled": False})
    source.call("UpdateTable", TableName="move-orders", StreamSpecification=STREAM)
    put_order(source.connection, 1, "new stream")
    while not started.follow().is_caught_up:
        pass
    started.follow()
    assert states(target) == {"o1": "new stream"}


def test_lost_records_are_an_error(sides: Sides) -> None:
    source, _, _ = sides
    started = follower(sides)
    started.skip_to_the_end()
    put_order(source.connection, 1, "seen")
    started.follow()
    put_order(source.connection, 1, "lost")
    source.connection.clock.advance(25 * 3600)  # type: ignore[attr-defined]
    put_order(source.connection, 1, "late")
    with pytest.raises(
        MoveError, match="stopped for more than 24 hours; start the copy again with --restart"
    ):
        follower(sides).follow()
