"""Rejects that follow their items; the behaviour in a run is tested in test_incomplete_migrations.py."""

from tablewright import Design, Table
from tablewright.access.context import Context
from tablewright.lifecycle.migrate.moved_rejects import MovedRejects
from tablewright.lifecycle.traversal.checkpoint_records import Reject
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore
from tests.lifecycle.stores import Store

things = Table("things", ("PK", "SK"))
OLD = {"PK": {"S": "a"}, "SK": {"S": "x"}}
NEW = {"PK": {"S": "b"}, "SK": {"S": "x"}}


def moved(context: Context, rejects: dict[str, list[Reject]]) -> MovedRejects:
    checkpoints = CheckpointStore(Design("things", tables=[things]), context)
    return MovedRejects.of(checkpoints, context, things, "1", rejects)


def test_rejects_of_other_migrations_get_the_new_key(store: Store) -> None:
    context = Context(now=store.clock.now)
    rejects = moved(context, {"2": [Reject("things", OLD, "odd", "0001/02")]})
    delete, put = rejects.actions(things, OLD, NEW)
    assert (delete.kind, put.kind) == ("Delete", "Put")
    assert delete.request["Key"]["name"] == {"S": "2"}
    written = put.request["Item"]
    assert (written["key"], written["reason"], written["turn"]) == (
        {"M": NEW},
        {"S": "odd"},
        {"S": "0001/02"},
    )
    assert delete.request["Key"]["place"] != written["place"]
    assert rejects.actions(things, NEW, OLD) == []


def test_own_rejects_and_those_of_other_tables_stay(store: Store) -> None:
    context = Context(now=store.clock.now)
    rejects = {"1": [Reject("things", OLD, "odd")], "2": [Reject("others", OLD, "odd")]}
    assert moved(context, rejects).actions(things, OLD, NEW) == []
