"""Checkpoints: one runner at a time, resumed where it stopped, taken over when its lease ends."""

from dataclasses import replace

import pytest

from tablewright import Design, Table
from tablewright.access.context import Context
from tablewright.errors import MigrationError
from tablewright.lifecycle.traversal.checkpoints import (
    LEASE,
    CheckpointStore,
    Reject,
    Segment,
    State,
    Tally,
    checkpoint_table,
)
from tests.lifecycle.stores import Store, run_on

DESIGN = Design("things", tables=[Table("things", "id")])
KEY = {"id": {"S": "0007"}}


def runner(store: Store, name: str = "elsewhere/1/a") -> CheckpointStore:
    """A runner on another machine; only its lease shows whether it is running."""
    made = CheckpointStore(DESIGN, Context(now=store.clock.now, prefix=store.prefix))
    made.runner = name
    run_on(store, made.create())
    return made


def claimed(store: Store, checkpoints: CheckpointStore) -> State:
    state = run_on(store, checkpoints.claim("walk", "up", 2))
    assert state is not None
    return state


def test_work_is_claimed_advanced_and_finished(store: Store) -> None:
    checkpoints = runner(store)
    assert run_on(store, checkpoints.state("walk")) is None
    state = claimed(store, checkpoints)
    assert (state.attempt, state.pass_number, state.status, state.pass_id) == (1, 1, "under way", "0001/01")
    state = run_on(store, checkpoints.next_pass(state, Tally(10, 3)))
    assert (state.pass_number, state.tally) == (2, Tally(10, 3))
    done = run_on(store, checkpoints.finish(state, Tally(10, 3, 1)))
    assert (done.status, done.tally) == ("incomplete", Tally(10, 3, 1))
    assert run_on(store, checkpoints.claim("walk", "up", 2)) is None


def test_records_count_the_rejects_that_are_left(store: Store) -> None:
    checkpoints = runner(store)
    state = claimed(store, checkpoints)
    reject = Reject("things", KEY, "too odd", state.pass_id)
    run_on(store, checkpoints.reject("walk", reject))
    run_on(store, checkpoints.finish(state, Tally(10, 3, 1)))
    states, rejects = run_on(store, checkpoints.records())
    assert (states["walk"].status, states["walk"].tally) == ("incomplete", Tally(10, 3, 1))
    assert rejects == {"walk": [reject]}
    run_on(store, checkpoints.forget("walk", reject))
    states, rejects = run_on(store, checkpoints.records())
    assert (states["walk"].status, rejects) == ("applied", {})


def test_finished_work_can_be_reverted_or_repeated(store: Store) -> None:
    checkpoints = runner(store)
    run_on(store, checkpoints.finish(claimed(store, checkpoints), Tally()))
    again = run_on(store, checkpoints.claim("walk", "up", 2, again=True))
    assert again is not None
    assert again.attempt == 2
    run_on(store, checkpoints.finish(again, Tally()))
    down = run_on(store, checkpoints.claim("walk", "down", 2))
    assert down is not None
    assert (down.attempt, down.status) == (3, "being reverted")


def test_a_second_runner_waits_for_the_lease_and_resumes(store: Store) -> None:
    first, second = runner(store), runner(store, "elsewhere/2/b")
    state = claimed(store, first)
    run_on(store, first.move(state, Segment(1), Segment(1, KEY, tally=Tally(5, 2))))
    before = store.clock.now()
    resumed = claimed(store, second)
    assert store.clock.now() - before == pytest.approx(LEASE, abs=1.1)
    assert (resumed.attempt, resumed.pass_number) == (1, 1)
    assert run_on(store, second.segments(resumed)) == [Segment(0), Segment(1, KEY, tally=Tally(5, 2))]


def test_a_renewed_lease_is_respected(store: Store) -> None:
    first, second = runner(store), runner(store, "elsewhere/2/b")
    state = claimed(store, first)
    store.clock.advance(LEASE - 1)
    run_on(store, first.renew(state))
    before = store.clock.now()
    claimed(store, second)
    assert store.clock.now() - before == pytest.approx(LEASE, abs=1.1)


def test_the_first_runner_notices_that_it_was_replaced(store: Store) -> None:
    first, second = runner(store), runner(store, "elsewhere/2/b")
    state = claimed(store, first)
    run_on(store, second.move(claimed(store, second), Segment(0), Segment(0, KEY, tally=Tally(1))))
    for procedure in (
        first.renew(state),
        first.next_pass(state, Tally()),
        first.finish(state, Tally()),
        first.move(state, Segment(0), Segment(0, {"id": {"S": "0001"}}, tally=Tally(2))),
    ):
        with pytest.raises(MigrationError, match="walk was taken over by another runner, which continues it"):
            run_on(store, procedure)


def test_a_checkpoint_is_saved_twice_when_its_reply_was_lost(store: Store) -> None:
    checkpoints = runner(store)
    state = claimed(store, checkpoints)
    moved = Segment(0, KEY, tally=Tally(1))
    run_on(store, checkpoints.move(state, Segment(0), moved))
    run_on(store, checkpoints.move(state, Segment(0), moved))
    assert run_on(store, checkpoints.segments(state))[0] == moved


def test_finished_work_keeps_only_current_rejects(store: Store) -> None:
    checkpoints = runner(store)
    state = claimed(store, checkpoints)
    old = Reject("things", KEY, "too old", state.pass_id)
    run_on(store, checkpoints.reject("walk", old))
    state = run_on(store, checkpoints.next_pass(state, Tally()))
    current = Reject("things", {"id": {"S": "0008"}}, "too odd", state.pass_id)
    run_on(store, checkpoints.reject("walk", current))
    run_on(store, checkpoints.finish(state, Tally()))
    assert run_on(store, checkpoints.rejects("walk")) == [current]
    run_on(store, checkpoints.forget("walk", current))
    assert run_on(store, checkpoints.rejects("walk")) == []


def test_a_reject_of_an_item_has_one_place() -> None:
    reject = Reject("things", KEY, "first reason")
    assert replace(reject, reason="second reason").place == reject.place
    assert replace(reject, table="other").place != reject.place


@pytest.mark.parametrize(
    ("design", "name"),
    [
        (DESIGN, "things-migrations"),
        (Design("my app", tables=[Table("app-{env}-x", "id")]), "my-app-{env}-migrations"),
    ],
)
def test_the_table_has_an_environment_if_the_others_have(design: Design, name: str) -> None:
    assert checkpoint_table(design).name == name
