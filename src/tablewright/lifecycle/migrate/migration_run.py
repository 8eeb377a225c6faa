"""Run migrations: each once, in order, forward or back.

Applied migrations are recorded in a table of the design, beside the checkpoints of running ones. A run that was killed
continues when it is started again. Of two runs of one migration, the second waits and then finds it applied.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tablewright.access.calls.procedures import Procedure, run_sync
from tablewright.access.reads.item_reads import item_at
from tablewright.access.repository import Repository
from tablewright.design.designs import Design
from tablewright.design.entities.migrations import Migration
from tablewright.errors import MigrationError, ResourceNotFound
from tablewright.lifecycle.migrate.entity_migration import EntityMigration
from tablewright.lifecycle.migrate.raw_migration import RawMigration
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore, Direction, Reject, State, Tally
from tablewright.lifecycle.traversal.rate_limit import Meter
from tablewright.lifecycle.traversal.repeated_passes import TraversalOptions, run_passes
from tablewright.lifecycle.traversal.table_pass import SEGMENTS, Pass, Rejected, Work, in_threads

OnProgress: TypeAlias = Callable[[Migration, Tally], None]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of running one migration."""

    migration: Migration
    direction: Direction
    tally: Tally
    rejects: tuple[Reject, ...] = ()
    ran_here: bool = True
    """Whether this run applied it, and not another run at the same time."""


@dataclass(frozen=True, slots=True)
class MigrationStatus:
    """The status of a migration: pending, running, applied, being reverted, or reverted."""

    name: str
    status: str
    state: State | None = None
    is_known: bool = True
    """Whether the design still has the migration."""


def migrate(
    db: Repository,
    *,
    to: str | None = None,
    down: bool = False,
    dry_run: bool = False,
    rate: float | None = None,
    segments: int = SEGMENTS,
    on_progress: OnProgress = lambda migration, tally: None,
    pause: Callable[[float], None] = time.sleep,
) -> list[Result]:
    """Apply the pending migrations, up to `to`; or with `down` revert the last one, or all after `to`.

    `dry_run` writes nothing and returns what would be changed and rejected. `rate` limits the consumed capacity
    units per second. `on_progress` is called with each migration and its counts.
    """
    states = run_sync(_states(db), db.connection.call, pause)
    meter = Meter(rate, db.context.now)
    direction: Direction = "down" if down else "up"
    results = []
    for migration in chosen(db.design, states, to, down=down):

        def report_progress(tally: Tally, migration: Migration = migration) -> None:
            on_progress(migration, tally)

        options = TraversalOptions(meter, segments, in_threads(db.connection.call, pause), report_progress)
        run_one = _dry_run if dry_run else _run
        results.append(run_sync(run_one(db, migration, direction, options), db.connection.call, pause))
    return results


def chosen(
    design: Design, states: Mapping[str, State], to: str | None = None, *, down: bool = False
) -> list[Migration]:
    """Return the migrations to run, in order."""
    names = [migration.name for migration in design.migrations]
    if to is not None and to not in names:
        known = ", ".join(names) or "none"
        raise MigrationError(f"{design.name} has no migration {to}; it has: {known}")
    end = None if to is None else names.index(to) + 1
    if not down:
        return [each for each in design.migrations[:end] if not _is_done(states.get(each.name), "up")]
    applied = [each for each in design.migrations if _can_be_reverted(states.get(each.name))]
    selected = applied[-1:] if end is None else [each for each in applied if names.index(each.name) >= end]
    for each in selected:
        if each.down is None:
            raise MigrationError(f"{each.name} has no down function, so nothing was reverted; give it one")
    return selected[::-1]


def status(db: Repository) -> list[MigrationStatus]:
    """Return the status of each migration, in order; at the end those that were run and are no longer in the design."""
    states = run_sync(_states(db), db.connection.call)
    known = [_status(migration.name, states.get(migration.name)) for migration in db.design.migrations]
    names = {migration.name for migration in db.design.migrations}
    others = [state for name, state in states.items() if name not in names and "/" not in name]
    return [*known, *(MigrationStatus(state.name, state.status, state, is_known=False) for state in others)]


def rejects(db: Repository, name: str | None = None) -> dict[str, list[Reject]]:
    """Return the items that migrations rejected, by migration, with the reasons."""
    checkpoints = CheckpointStore(db.design, db.context)
    names = [migration.name for migration in db.design.migrations if name in (None, migration.name)]
    found = {}
    for each in names:
        try:
            found[each] = run_sync(checkpoints.rejects(each), db.connection.call)
        except ResourceNotFound:
            return {}
    return {each: listed for each, listed in found.items() if listed}


def retry(db: Repository, name: str | None = None) -> dict[str, list[Reject]]:
    """Migrate the rejected items again; return those that are still rejected."""
    migrations = {migration.name: migration for migration in db.design.migrations}
    checkpoints = CheckpointStore(db.design, db.context)
    left = {}
    for each, listed in rejects(db, name).items():
        retrying = _retry(db, checkpoints, migrations[each], listed)
        left[each] = run_sync(retrying, db.connection.call)
    return {each: listed for each, listed in left.items() if listed}


def _states(db: Repository) -> Procedure[dict[str, State]]:
    return (yield from CheckpointStore(db.design, db.context).states())


def _run(
    db: Repository, migration: Migration, direction: Direction, options: TraversalOptions
) -> Procedure[Result]:
    checkpoints = CheckpointStore(db.design, db.context)
    yield from checkpoints.create()
    work = _work(db, migration, direction)
    name = migration.name
    state = yield from run_passes(checkpoints, db.context, migration.table, name, work, options, direction)
    if state is None:
        return Result(migration, direction, Tally(), ran_here=False)
    return Result(migration, direction, state.tally, tuple((yield from checkpoints.rejects(name))))


def _dry_run(
    db: Repository, migration: Migration, direction: Direction, options: TraversalOptions
) -> Procedure[Result]:
    found: list[Reject] = []
    work = _work(db, migration, direction, dry_run=True)
    one = Pass(db.context, migration.table, work, options.meter, options.on_progress, rejects=found)
    tally = yield from one.run(options.concurrency, options.segments)
    return Result(migration, direction, tally, tuple(found))


def _retry(
    db: Repository, checkpoints: CheckpointStore, migration: Migration, listed: Sequence[Reject]
) -> Procedure[list[Reject]]:
    state = yield from checkpoints.state(migration.name)
    work = _work(db, migration, state.direction if state else "up")
    left = []
    for reject in listed:
        item = yield from item_at(db.context, migration.table, reject.key)
        outcome = "same" if item is None else (yield from work(item))
        if isinstance(outcome, Rejected):
            left.append(Reject(reject.table, reject.key, outcome.reason, reject.pass_id))
            yield from checkpoints.reject(migration.name, left[-1])
        else:
            yield from checkpoints.forget(migration.name, reject)
    return left


def _work(db: Repository, migration: Migration, direction: Direction, *, dry_run: bool = False) -> Work:
    change = migration.up if direction == "up" else migration.down
    if isinstance(migration.of, type):
        layout, is_down = migration.of.layout, direction == "down"
        return EntityMigration(
            db.design, db.context, layout, migration.name, change, is_down=is_down, dry_run=dry_run
        )
    assert change is not None  # a migration of a table has an up, and one without down is not reverted
    return RawMigration(db.context, migration.table, migration.name, change, dry_run)


def _status(name: str, state: State | None) -> MigrationStatus:
    return MigrationStatus(name, state.status if state else "pending", state)


def _is_done(state: State | None, direction: Direction) -> bool:
    return state is not None and state.is_done and state.direction == direction


def _can_be_reverted(state: State | None) -> bool:
    return state is not None and not _is_done(state, "down")
