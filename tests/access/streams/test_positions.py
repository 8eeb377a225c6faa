"""Positions: conditional writes, so that only one process of a consumer moves a position."""

from collections.abc import Iterator
from typing import Any, TypeVar

import pytest

from tablewright import Design, Table, embedded
from tablewright.access.context import Context
from tablewright.access.create_tables import create_missing
from tablewright.access.procedures import Procedure, run_sync
from tablewright.access.streams.dispatch import Failure
from tablewright.access.streams.shard_reader import Position, Positions
from tablewright.design.designs import position_table
from tests.access.streams.goals import design

T = TypeVar("T")
PLACE = "shard/arn/1"
START = Position("goals-main")


class Store:
    """The position table, in memory."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def run(self, procedure: Procedure[T]) -> T:
        return run_sync(procedure, self._connection.call)


@pytest.fixture
def store() -> Iterator[Store]:
    with embedded() as connection:
        store = Store(connection)
        store.run(create_missing([position_table(design)], Context()))
        yield store


@pytest.fixture
def positions() -> Positions:
    return Positions("goals-positions", "mailer")


def test_a_position_is_moved_and_loaded(store: Store, positions: Positions) -> None:
    assert store.run(positions.load()) == {}
    first, last = Position("goals-main", "100"), Position("goals-main", "200", done=True)
    assert store.run(positions.move(PLACE, START, first))
    assert store.run(positions.load()) == {PLACE: first}
    assert store.run(positions.move(PLACE, first, last))
    assert store.run(positions.load()) == {PLACE: last}


def test_a_position_that_another_process_moved_is_not_moved_back(store: Store, positions: Positions) -> None:
    moved = Position("goals-main", "100")
    assert store.run(positions.move(PLACE, START, moved))
    assert not store.run(positions.move(PLACE, START, Position("goals-main", "50")))
    assert store.run(positions.load()) == {PLACE: moved}


def test_consumers_have_their_own_positions(store: Store, positions: Positions) -> None:
    store.run(positions.move(PLACE, START, Position("goals-main", "100")))
    assert store.run(Positions(positions.table, "index").load()) == {}
    store.run(positions.forget(PLACE))
    assert store.run(positions.load()) == {}


def test_failures_are_kept_beside_the_positions(store: Store, positions: Positions) -> None:
    key = {"PK": {"S": "GOAL#g1"}, "SK": {"S": "GOAL"}}
    store.run(positions.keep_failed(Failure("announce", "e1", "goals-main", key, ValueError("secret text"))))
    (failed,) = store.run(positions.failed())
    assert failed["place"] == {"S": "failed/e1/announce"}
    assert (failed["key"]["M"], failed["error"]) == (key, {"S": "ValueError"})
    assert store.run(positions.load()) == {}


def test_the_table_has_an_environment_if_the_others_have() -> None:
    assert position_table(design).name == "goals-positions"
    assert (
        position_table(Design("app", tables=[Table("app-{env}-x", key="id")])).name == "app-{env}-positions"
    )
