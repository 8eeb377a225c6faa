"""Moves: copied, followed, compared and switched, with writers and kills."""

import random
from collections.abc import Iterator

import pytest

from tablewright import Clock, Connection, Design, Table, embedded
from tablewright.access.context import Context
from tablewright.connections.remote import Remote
from tablewright.errors import MoveError
from tablewright.lifecycle.move import move_run
from tablewright.lifecycle.move.move_records import MoveRecords
from tablewright.lifecycle.move.move_run import MoveProgress, TableCopy, TableMove
from tablewright.lifecycle.move.sides import MoveSide
from tests.lifecycle.move.moves import (
    DESIGN,
    change,
    create,
    fill,
    items,
    killed_move,
    move_of,
    orders,
    people,
    put_order,
)
from tests.lifecycle.stores import writers
from tests.server.processes import ServerProcess


@pytest.fixture
def source() -> Iterator[Connection]:
    with embedded() as connection:
        create(connection)
        yield connection


@pytest.fixture(params=["memory", "server"])
def target(request: pytest.FixtureRequest) -> Iterator[Connection]:
    if request.param == "memory":
        with embedded(clock=Clock()) as connection:
            yield connection
        return
    with ServerProcess("--memory") as process:
        remote = Remote("us-east-1", process.url, clock=Clock())
        yield remote
        remote.close()


def test_a_quiet_store_is_copied(source: Connection, target: Connection) -> None:
    fill(source, 30)
    reports: list[MoveProgress] = []
    notes: list[str] = []
    move = move_of(source, target, on_progress=reports.append, on_note=notes.append)
    move.copy()
    assert "enabled the stream of move-orders at the source; disable it after the move" in notes
    move.catch_up()
    found = move.compare()
    assert (found.items, found.differences, found.changing) == (60, (), 0)
    assert items(source) == items(target)
    assert {report.phase for report in reports} == {"copying", "following", "comparing"}
    assert max(report.items for report in reports if report.table == "move-orders") == 30


def test_changes_during_the_copy_are_followed(source: Connection, target: Connection) -> None:
    fill(source, 60)
    random_source = random.Random(7)
    with writers(lambda number: change(source, random_source, number)) as running:
        running.wait_for(5)
        move = move_of(source, target)
        move.copy()
        running.wait_for(20)
        move.catch_up()
        assert move.compare().differences == ()
    move.catch_up()
    assert items(source) == items(target)


@pytest.mark.parametrize(
    ("step", "least"), [(5, 3), pytest.param(1, 15, marks=pytest.mark.soak)], ids=["few kills", "many kills"]
)
def test_a_killed_move_continues(
    source: Connection, target: Connection, monkeypatch: pytest.MonkeyPatch, step: int, least: int
) -> None:
    monkeypatch.setattr(move_run, "PAGE", 3)
    fill(source, 60)
    random_source = random.Random(8)
    kills = 0
    with writers(lambda number: change(source, random_source, number)) as running:
        running.wait_for(1)
        for calls in range(3, 33, step):
            kills += killed_move(source, target, calls)
            running.wait_for(1)
        move = move_of(source, target)
        move.copy()
    move.catch_up()
    assert kills >= least
    assert items(source) == items(target)
    assert move.compare().differences == ()


def test_a_deletion_is_not_undone_by_the_copy(source: Connection, target: Connection) -> None:
    """A page is read, then its item is deleted, before the page is written."""
    fill(source, 3)

    class Deleting:
        """Deletes an order after it was read."""

        def call(self, operation: str, request: dict[str, object]) -> dict[str, object]:
            reply = source.call(operation, request)
            if operation == "Scan" and request["TableName"] == "move-orders":
                key = {"PK": {"S": "o1"}, "SK": {"S": "order"}}
                source.call("DeleteItem", {"TableName": "move-orders", "Key": key})
            return reply

        def close(self) -> None:
            pass

    move = move_of(Deleting(), target)
    move.copy()
    move.catch_up()
    assert items(source) == items(target)


def test_programs_switch_and_have_a_way_back(source: Connection, target: Connection) -> None:
    fill(source, 5)
    move = move_of(source, target)
    move.copy()
    put_order(source, 1, "before")
    assert move.switch("target").differences == ()
    put_order(target, 1, "after")
    put_order(target, 9, "after")
    move.catch_up()
    assert items(source) == items(target)
    move.release()
    back = move_of(source, target)
    put_order(target, 2, "last")
    back.switch("source")
    put_order(source, 3, "back")
    back.catch_up()
    assert items(source) == items(target)


def test_a_switch_waits_for_writers_to_stop(source: Connection, target: Connection) -> None:
    fill(source, 2)
    move = move_of(source, target)
    move.copy()
    random_source = random.Random(9)

    class Written:
        """A source that is written to whenever its stream is read."""

        def call(self, operation: str, request: dict[str, object]) -> dict[str, object]:
            if operation == "GetRecords":
                change(source, random_source, 0)
                put_order(source, 1, str(random_source.random()))
            return source.call(operation, request)

        def close(self) -> None:
            pass

    move.release()
    with pytest.raises(MoveError, match="programs still write to the source; stop them"):
        move_of(Written(), target).switch("target")


def test_a_difference_is_reported_and_prevents_the_switch(source: Connection, target: Connection) -> None:
    fill(source, 3)
    move = move_of(source, target)
    move.copy()
    put_order(target, 1, "written to the wrong side")
    put_order(target, 7, "only here")
    found = move.compare()
    assert {(difference.key["PK"]["S"], difference.missing_at) for difference in found.differences} == {
        ("o1", None),
        ("o7", "source"),
    }
    with pytest.raises(MoveError, match="2 items differ, so programs must stay on the source"):
        move.switch("target")
    move.repair(found)
    assert move.switch("target").differences == ()
    put_order(source, 3, "written to the wrong side")
    found = move.compare()
    assert [(difference.key["PK"]["S"], difference.missing_at) for difference in found.differences] == [
        ("o3", "target")
    ]
    move.repair(found)
    assert move.switch("source").differences == ()
    assert items(source) == items(target)


def test_another_source_is_refused_before_any_write(source: Connection, target: Connection) -> None:
    fill(source, 3)
    move = move_of(source, target)
    move.copy()
    move.release()
    before = items(target)
    with embedded() as other:
        create(other)
        put_order(other, 1, "staging")
        for work in ("copy", "compare", "restart"):
            with pytest.raises(
                MoveError, match="were copied from another source; give that source with --from"
            ):
                getattr(move_of(other, target), work)()
    assert items(target) == before


@pytest.mark.parametrize("work", ["copy", "restart", "compare"])
def test_one_store_is_not_both_sides(source: Connection, target: Connection, work: str) -> None:
    fill(source, 3)
    move = move_of(source, target)
    move.copy()
    move.release()
    with pytest.raises(MoveError, match="the source and the target are the same store"):
        getattr(move_of(target, target), work)()
    assert items(source) == items(target)


def test_a_target_with_items_is_not_overwritten(source: Connection, target: Connection) -> None:
    create(target)
    put_order(target, 1, "old")
    with pytest.raises(MoveError, match="table move-orders of the target has items"):
        move_of(source, target).copy()


def test_a_missing_source_table_is_an_error(target: Connection) -> None:
    with (
        embedded() as empty,
        pytest.raises(MoveError, match="table move-orders does not exist at the source"),
    ):
        move_of(empty, target).copy()


def test_a_switch_needs_a_complete_copy(source: Connection, target: Connection) -> None:
    fill(source, 40)
    assert killed_move(source, target, 26)
    with pytest.raises(MoveError, match="the copy is not complete"):
        move_of(source, target).switch("target")


def test_a_move_that_starts_again_copies_everything(source: Connection, target: Connection) -> None:
    fill(source, 3)
    move = move_of(source, target)
    move.copy()
    put_order(target, 7, "only here")
    move.restart()
    assert move.state is None
    move.copy()
    assert items(source) == items(target)
    move.switch("target")
    with pytest.raises(MoveError, match="programs use the target, so that it is not deleted"):
        move.restart()


def test_a_table_that_was_deleted_at_the_target_is_named_and_copied_again(
    source: Connection, target: Connection
) -> None:
    fill(source, 10)
    move = move_of(source, target)
    move.copy()
    move.release()
    target.call("DeleteTable", {"TableName": "move-people"})
    for work in ("copy", "follow", "compare"):
        with pytest.raises(
            MoveError, match=r"table move-people does not exist at the target.*again with --restart"
        ):
            getattr(move_of(source, target), work)()
    again = move_of(source, target)
    again.restart()
    again.copy()
    again.catch_up()
    assert items(source) == items(target)


def test_a_table_that_was_deleted_in_use_is_not_copied_again(source: Connection, target: Connection) -> None:
    """Its items exist on the other side only, which is the copy now."""
    move = move_of(source, target)
    move.copy()
    move.catch_up()
    move.switch("target")
    move.release()
    target.call("DeleteTable", {"TableName": "move-people"})
    again = move_of(source, target)
    with pytest.raises(MoveError, match="programs use the target, so that it is not deleted"):
        again.restart()


def test_a_stream_that_was_disabled_is_enabled_again(source: Connection, target: Connection) -> None:
    """Otherwise the move would follow a stream without records for ever."""
    fill(source, 3)
    move = move_of(source, target)
    move.copy()
    move.release()
    stream = {"TableName": "move-people", "StreamSpecification": {"StreamEnabled": False}}
    source.call("UpdateTable", stream)
    notes: list[str] = []
    again = move_of(source, target, on_note=notes.append)
    again.catch_up()
    assert notes == ["enabled the stream of move-people at the source; disable it after the move"]
    source.call("PutItem", {"TableName": "move-people", "Item": {"id": {"S": "later"}}})
    again.catch_up()
    assert items(source) == items(target)


def test_a_switch_of_no_move_changes_nothing(source: Connection, target: Connection) -> None:
    with pytest.raises(
        MoveError, match="there is no move to this target; run the command without --switch-to"
    ):
        move_of(source, target).switch("target")
    assert target.call("ListTables", {})["TableNames"] == []


def test_two_commands_do_not_move_at_once(source: Connection, target: Connection) -> None:
    first = move_of(source, target)
    first.copy()
    with pytest.raises(MoveError, match="another command moves these tables"):
        move_of(source, target).copy()
    first.release()
    move_of(source, target).copy()


def test_applied_migrations_are_known_to_the_target(source: Connection, target: Connection) -> None:
    record = {"name": {"S": "2026-prices"}, "place": {"S": "state"}, "done": {"BOOL": True}}
    table = Table("moved-migrations", ("name", "place"))
    source.call("CreateTable", table.definition())
    source.call("PutItem", {"TableName": "moved-migrations", "Item": record})
    move_of(source, target).copy()
    key = {name: record[name] for name in ("name", "place")}
    assert target.call("GetItem", {"TableName": "moved-migrations", "Key": key})["Item"] == record


@pytest.mark.parametrize("view", ["KEYS_ONLY", "OLD_IMAGE", "NEW_IMAGE"])
def test_any_stream_can_be_followed(target: Connection, view: str) -> None:
    table = Table("viewed", "id", stream=view)  # type: ignore[arg-type]
    design = Design("viewed", tables=[table])
    with embedded() as source:
        source.call("CreateTable", table.definition())
        move = TableMove(design, source, target, pause=lambda seconds: None)
        move.copy()
        for number in range(5):
            source.call(
                "PutItem", {"TableName": "viewed", "Item": {"id": {"S": f"i{number}"}, "n": {"N": "1"}}}
            )
        source.call("DeleteItem", {"TableName": "viewed", "Key": {"id": {"S": "i2"}}})
        move.catch_up()
        assert move.compare().items == 4
        assert move.compare().differences == ()


def test_the_rate_limits_both_sides(source: Connection) -> None:
    fill(source, 20)
    pauses: list[float] = []
    with embedded() as target:
        move = TableMove(DESIGN, source, target, segments=1, rate=10, pause=pauses.append)
        move.copy()
    assert sum(pauses) > 1


def test_pages_of_all_segments_and_turns_alternate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(move_run, "PAGE", 4)
    with embedded() as one, embedded() as other:
        create(one)
        create(other)
        fill(one, 20)
        source, target = (
            MoveSide("source", one, DESIGN, Context()),
            MoveSide("target", other, DESIGN, Context()),
        )
        records = MoveRecords(target)
        records.create()
        turns: list[int] = []
        for table in (orders, people):
            copy = TableCopy(table, source, target, records, 2)
            copy.run(turns.append)
            assert copy.items == 20
        assert len(turns) > 4
        assert items(one) == items(other)
        again: list[int] = []
        TableCopy(orders, source, target, records, 2).run(again.append)
        assert again == []
