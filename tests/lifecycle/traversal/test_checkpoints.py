"""Checkpoints: runners share work; a segment is resumed where its runner stopped, when its lease ends."""

import subprocess
import sys
from dataclasses import replace

import pytest

from tablewright import Design, Table
from tablewright.access.context import Context
from tablewright.design.designs import checkpoint_table
from tablewright.lifecycle.traversal.checkpoint_records import PassSegment, Reject, State, Tally
from tablewright.lifecycle.traversal.checkpoints import (
    LEASE,
    CheckpointStore,
    SegmentLost,
    may_run,
    runner_name,
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


def joined(store: Store, checkpoints: CheckpointStore) -> State:
    state = run_on(store, checkpoints.join("walk", "up", 2))
    assert state is not None
    return state


def test_work_is_claimed_advanced_and_finished(store: Store) -> None:
    checkpoints = runner(store)
    assert run_on(store, checkpoints.state("walk")) is None
    state = joined(store, checkpoints)
    assert (state.attempt, state.pass_number, state.status, state.pass_id) == (1, 1, "under way", "0001/01")
    moved = run_on(store, checkpoints.next_pass(state, Tally(10, 3)))
    assert moved is not None
    state = moved
    assert (state.pass_number, state.tally) == (2, Tally(10, 3))
    done = run_on(store, checkpoints.finish(state, Tally(10, 3, 1)))
    assert done is not None
    assert (done.status, done.tally) == ("incomplete", Tally(10, 3, 1))
    assert run_on(store, checkpoints.join("walk", "up", 2)) is None


def test_records_count_the_rejects_that_are_left(store: Store) -> None:
    checkpoints = runner(store)
    state = joined(store, checkpoints)
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
    run_on(store, checkpoints.finish(joined(store, checkpoints), Tally()))
    again = run_on(store, checkpoints.join("walk", "up", 2, again=True))
    assert again is not None
    assert again.attempt == 2
    run_on(store, checkpoints.finish(again, Tally()))
    down = run_on(store, checkpoints.join("walk", "down", 2))
    assert down is not None
    assert (down.attempt, down.status) == (3, "being reverted")


def taken(store: Store, checkpoints: CheckpointStore, state: State) -> PassSegment | None:
    """The first free segment, taken by a runner."""
    free = list(checkpoints.free(run_on(store, checkpoints.segments(state))))
    return run_on(store, checkpoints.take(state, free[0])) if free else None


def test_runners_share_the_segments_of_one_pass(store: Store) -> None:
    first, second = runner(store), runner(store, "elsewhere/2/b")
    state = joined(store, first)
    assert joined(store, second) == state
    one, two = taken(store, first, state), taken(store, second, state)
    assert one is not None
    assert two is not None
    assert {one.number, two.number} == {0, 1}
    assert taken(store, first, state) is None
    assert run_on(store, second.is_active(state))


def test_a_segment_is_taken_once(store: Store) -> None:
    first, second = runner(store), runner(store, "elsewhere/2/b")
    state = joined(store, first)
    assert run_on(store, first.take(state, PassSegment(0))) is not None
    assert run_on(store, second.take(state, PassSegment(0))) is None


def test_a_segment_is_resumed_by_another_runner_when_its_lease_has_expired(store: Store) -> None:
    first, second = runner(store), runner(store, "elsewhere/2/b")
    state = joined(store, first)
    segment = run_on(store, first.take(state, PassSegment(1)))
    assert segment is not None
    run_on(store, first.move(state, segment, replace(segment, after=KEY, tally=Tally(5, 2))))
    assert [each.number for each in second.free(run_on(store, second.segments(state)))] == [0]
    store.clock.advance(LEASE - 1)
    assert run_on(store, second.is_active(state))
    store.clock.advance(1.5)
    assert not run_on(store, second.is_active(state))
    _, expired = second.free(run_on(store, second.segments(state)))
    resumed = run_on(store, second.take(state, expired))
    assert resumed is not None
    assert (resumed.after, resumed.tally, resumed.runner) == (KEY, Tally(5, 2), "elsewhere/2/b")


def test_a_renewed_lease_is_respected(store: Store) -> None:
    first, second = runner(store), runner(store, "elsewhere/2/b")
    state = joined(store, first)
    segment = run_on(store, first.take(state, PassSegment(0)))
    assert segment is not None
    store.clock.advance(LEASE - 1)
    run_on(store, first.renew(state, segment))
    store.clock.advance(LEASE - 1)
    assert run_on(store, second.is_active(state))


def test_the_first_runner_notices_that_its_segment_was_taken(store: Store) -> None:
    first, second = runner(store), runner(store, "elsewhere/2/b")
    state = joined(store, first)
    segment = run_on(store, first.take(state, PassSegment(0)))
    assert segment is not None
    store.clock.advance(LEASE + 1)
    assert taken(store, second, state) is not None
    for procedure in (
        first.renew(state, segment),
        first.move(state, segment, replace(segment, after=KEY, tally=Tally(2))),
    ):
        with pytest.raises(SegmentLost):
            run_on(store, procedure)


def test_a_pass_is_ended_by_one_runner(store: Store) -> None:
    first, second = runner(store), runner(store, "elsewhere/2/b")
    state = joined(store, first)
    assert run_on(store, second.next_pass(state, Tally(1, 1))) is not None
    assert run_on(store, first.next_pass(state, Tally(1, 1))) is None
    assert run_on(store, first.finish(state, Tally(1, 1))) is None
    assert joined(store, first).pass_number == 2


def test_work_in_the_other_direction_waits_for_active_runners(store: Store) -> None:
    first, second = runner(store), runner(store, "elsewhere/2/b")
    state = joined(store, first)
    taken(store, first, state)
    before = store.clock.now()
    down = run_on(store, second.join("walk", "down", 2))
    assert store.clock.now() - before == pytest.approx(LEASE, abs=1.1)
    assert down is not None
    assert (down.direction, down.attempt) == ("down", 2)


def test_a_checkpoint_is_saved_twice_when_its_reply_was_lost(store: Store) -> None:
    checkpoints = runner(store)
    state = joined(store, checkpoints)
    segment = run_on(store, checkpoints.take(state, PassSegment(0)))
    assert segment is not None
    store.clock.freeze()
    moved = replace(segment, after=KEY, tally=Tally(1))
    saved = run_on(store, checkpoints.move(state, segment, moved))
    assert run_on(store, checkpoints.move(state, segment, moved)) == saved
    assert run_on(store, checkpoints.segments(state))[0] == saved


def test_finished_work_keeps_only_current_rejects(store: Store) -> None:
    checkpoints = runner(store)
    state = joined(store, checkpoints)
    old = Reject("things", KEY, "too old", state.pass_id)
    run_on(store, checkpoints.reject("walk", old))
    moved = run_on(store, checkpoints.next_pass(state, Tally()))
    assert moved is not None
    state = moved
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


def test_this_process_runs() -> None:
    assert may_run(runner_name())
    assert runner_name() != runner_name()


def test_a_process_that_has_ended_does_not_run() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True
    )
    host = runner_name().partition("/")[0]
    assert not may_run(f"{host}/{ended.stdout.strip()}/x")
    assert not may_run("text")


def test_a_process_of_another_host_may_run() -> None:
    assert may_run("elsewhere/1/x")
