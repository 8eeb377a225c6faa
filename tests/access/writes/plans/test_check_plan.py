"""Checks: one condition check, no write."""

import pytest

from tablewright.access.writes.plans.plan_write import plan_absence_check, plan_check
from tablewright.access.writes.plans.write_plan import Planner
from tablewright.access.writes.single import create
from tablewright.access.writes.targets import Target
from tablewright.access.writes.transact import transact
from tablewright.access.writes.values import Check, CheckAbsent, Put
from tablewright.errors import TransactionFailed
from tests.access.studio import Note, Room, Studio

ROOM = Target(Room, {"room_id": "1"})


def test_a_check_is_one_condition_check(store: Studio) -> None:
    present = store.run_sync(plan_check(Planner(store.context, Check(ROOM), ROOM)))
    absent = store.run_sync(plan_absence_check(Planner(store.context, CheckAbsent(ROOM), ROOM)))
    for plan in (present, absent):
        (action,) = plan.actions
        assert (action.kind, action.key) == ("ConditionCheck", {"PK": {"S": "ROOM#1"}, "SK": {"S": "ROOM"}})
    assert store.operations() == []


def test_checks_decide_about_the_transaction(store: Studio) -> None:
    note = Put(Note(note_id="1"))
    with pytest.raises(TransactionFailed):
        store.run_sync(transact(store.context, note, Check(ROOM)))
    store.run_sync(transact(store.context, note, CheckAbsent(ROOM)))
    store.run_sync(create(store.context, Room(room_id="1")))
    store.run_sync(transact(store.context, note, Check(ROOM)))
    with pytest.raises(TransactionFailed):
        store.run_sync(transact(store.context, note, CheckAbsent(ROOM)))
