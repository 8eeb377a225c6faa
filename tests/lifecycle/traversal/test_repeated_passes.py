"""Repeated passes: a run ends when a pass changes nothing, or after a given number of passes."""

from collections.abc import Callable

import pytest

from tablewright import Design, Entity, Keys, Repository, Table
from tablewright.access.procedures import Procedure
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import MigrationError
from tablewright.lifecycle.traversal.checkpoint_records import State, Tally
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore
from tablewright.lifecycle.traversal.rate_limit import Meter
from tablewright.lifecycle.traversal.repeated_passes import MOST_PASSES, TraversalOptions, run_passes
from tablewright.lifecycle.traversal.table_pass import Outcome, Work
from tests.lifecycle.stores import Store, run_on

things = Table("things", "id")


class Thing(Entity, table=things):
    id: str
    keys = Keys(primary="{id}")


@pytest.fixture
def db(store: Store) -> Repository:
    db = store.open(Design("things", entities=[Thing]))
    for number in range(6):
        db.put(Thing(id=str(number)))
    return db


def repeated(
    store: Store,
    db: Repository,
    work: Work,
    passes: int | None = None,
    on_progress: Callable[[Tally], None] = lambda tally: None,
) -> State | None:
    """Run passes; return the final state, or None."""
    checkpoints = CheckpointStore(db.design, db.context)
    run_on(store, checkpoints.create())
    options = TraversalOptions(Meter(), segments=2, on_progress=on_progress)
    ended = run_on(store, run_passes(checkpoints, db.context, things, "walk", work, options, passes=passes))
    return ended.state if ended else None


def changing(times: int) -> Work:
    """Work that changes each item in its first passes."""
    seen: dict[str, int] = {}

    def work(item: Item) -> Procedure[Outcome]:
        yield from ()
        number = seen[item["id"]["S"]] = seen.get(item["id"]["S"], 0) + 1
        return "changed" if number <= times else "same"

    return work


def test_passes_repeat_until_one_changes_nothing(store: Store, db: Repository) -> None:
    state = repeated(store, db, changing(2))
    assert state is not None
    assert (state.pass_number, state.tally, state.is_done) == (3, Tally(6, 12), True)


def test_finished_work_is_not_repeated(store: Store, db: Repository) -> None:
    assert repeated(store, db, changing(0)) is not None
    assert repeated(store, db, changing(1)) is None


def test_a_given_number_of_passes_is_enough(store: Store, db: Repository) -> None:
    state = repeated(store, db, changing(5), passes=2)
    assert state is not None
    assert (state.pass_number, state.tally.changed) == (2, 12)


def test_a_table_that_never_settles_is_an_error(store: Store, db: Repository) -> None:
    with pytest.raises(
        MigrationError, match=f"walk: after {MOST_PASSES} passes, items in the old format are still"
    ):
        repeated(store, db, changing(MOST_PASSES))


def test_progress_is_reported(store: Store, db: Repository) -> None:
    reports: list[Tally] = []
    repeated(store, db, changing(0), on_progress=reports.append)
    assert reports[0] == Tally()
    assert reports[-1] == Tally(6)
