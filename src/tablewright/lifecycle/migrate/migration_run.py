"""Run migrations: each once, in order, forward or back.

Applied migrations are recorded in a table of the design, beside the checkpoints of running ones. A run that was killed
continues when it is started again. Several runs of one migration, on one machine or several, share its work.

A migration that rejected items is incomplete: the next one does not start, unless the caller allows it, until the items
are corrected and migrated by `retry`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from tablewright.access.layout_records import record_complete
from tablewright.access.procedures import Procedure, run_sync
from tablewright.access.reads.item_reads import item_at
from tablewright.access.repository import Repository
from tablewright.connections import Embedded
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.entities.migrations import Migration
from tablewright.errors import MigrationError, MigrationIncomplete, ResourceNotFound
from tablewright.lifecycle.migrate.dry_run_connection import DryRunConnection
from tablewright.lifecycle.migrate.item_migration import MigrationWork, MovedRejects, migration_work
from tablewright.lifecycle.migrate.planning_choice import Processes, planning_pool
from tablewright.lifecycle.traversal.checkpoint_records import Direction, Reject, State, Tally
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore
from tablewright.lifecycle.traversal.rate_limit import Meter
from tablewright.lifecycle.traversal.repeated_passes import TraversalOptions, run_passes
from tablewright.lifecycle.traversal.table_pass import SEGMENTS, WORKERS, Rejected, in_threads

if TYPE_CHECKING:
    from tablewright.lifecycle.traversal.bulk_pages import BulkPages


@dataclass(frozen=True, slots=True)
class MigrationProgress:
    """How far a run is with one migration."""

    migration: Migration
    direction: Direction
    tally: Tally
    """The counts of the current pass."""
    pass_number: int
    units: float
    """The capacity units that this run has consumed, for all its migrations."""


OnProgress: TypeAlias = Callable[[MigrationProgress], None]


def no_report(progress: MigrationProgress) -> None:
    """Ignore the progress."""


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
    """The status of a migration: pending, under way, applied, incomplete, being reverted, reverted, partly reverted.

    An incomplete or partly reverted migration has rejects. An interrupted one is under way, and no runner works on it.
    """

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
    allow_incomplete: bool = False,
    rate: float | None = None,
    segments: int = SEGMENTS,
    workers: int = WORKERS,
    processes: int | Processes = 1,
    on_progress: OnProgress = no_report,
    pause: Callable[[float], None] = time.sleep,
) -> list[Result]:
    """Apply the pending migrations, up to `to`; or with `down` revert the last one, or all after `to`.

    A migration with rejects is incomplete. The next one is then not started, and `MigrationIncomplete` is raised with
    the results so far; `allow_incomplete` starts it. `dry_run` does the same and holds back every write: the results
    are those of the run. `rate` limits the consumed capacity units per second. `on_progress` is called after each page.

    Several runs, in several processes or on several machines, share a migration: each works on `workers` of its
    `segments` at a time. The first run decides the number of segments.

    `processes` plan the items of a data file, and this process writes them. The processes import the design, so it must
    be a variable of a module. A migration that cannot be planned in several processes raises `MigrationError`. A dry
    run uses one.
    """
    how = _RunSettings(to, down, allow_incomplete, rate, segments, workers, _processes(processes))
    if dry_run:
        with DryRunConnection(db.connection, on_disk=True) as held_back:
            dry = Repository(db.design, held_back, db.context.with_new_vault())
            return _migrate(dry, replace(how, processes=Processes()), on_progress, pause)
    return _migrate(db, how, on_progress, pause)


@dataclass(frozen=True, slots=True)
class _RunSettings:
    """What to migrate, and how."""

    to: str | None
    down: bool
    allow_incomplete: bool
    rate: float | None
    segments: int
    workers: int
    processes: Processes


def _processes(count: int | Processes) -> Processes:
    processes = count if isinstance(count, Processes) else Processes(count)
    if processes.count is not None and processes.count < 1:
        raise MigrationError(f"processes must be at least 1, got {processes.count}")
    return processes


def _migrate(
    db: Repository, how: _RunSettings, on_progress: OnProgress, pause: Callable[[float], None]
) -> list[Result]:
    states, _ = run_sync(_records(db), db.connection.call, pause)
    incomplete = {name: state.tally.rejected for name, state in states.items() if state.is_incomplete}
    meter = Meter(how.rate, db.context.now)
    direction: Direction = "down" if how.down else "up"
    results: list[Result] = []
    for migration in chosen(db.design, states, how.to, down=how.down):
        blocking = _blocking(db.design, migration, incomplete, down=how.down)
        if blocking is not None and not how.allow_incomplete:
            raise _not_started(migration, blocking, incomplete[blocking.name], results)
        report = _Reporter(migration, direction, meter, on_progress)
        options = _options(db, how.segments, how.workers, report, pause)
        run = _run(db, migration, direction, options, how.processes)
        result = run_sync(run, db.connection.call, pause)
        results.append(result)
        incomplete.pop(migration.name, None)
        if result.rejects:
            incomplete[migration.name] = len(result.rejects)
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
        return [
            migration
            for migration in design.migrations[:end]
            if not _is_done(states.get(migration.name), "up")
        ]
    applied = [migration for migration in design.migrations if _can_be_reverted(states.get(migration.name))]
    selected = applied[-1:] if end is None else [entry for entry in applied if names.index(entry.name) >= end]
    for status_entry in selected:
        if status_entry.down is None:
            raise MigrationError(
                f"{status_entry.name} has no down function, so nothing was reverted; give it one"
            )
    return selected[::-1]


def status(db: Repository) -> list[MigrationStatus]:
    """Return the status of each migration, in order; at the end those that were run and are no longer in the design."""
    return run_sync(_statuses(db), db.connection.call)


def _statuses(db: Repository) -> Procedure[list[MigrationStatus]]:
    checkpoints = CheckpointStore(db.design, db.context)
    states, _ = yield from checkpoints.records()
    names = [migration.name for migration in db.design.migrations]
    listed = []
    for name in (*names, *(name for name in states if name not in names and "/" not in name)):
        state = states.get(name)
        label = "pending" if state is None else state.status
        if state is not None and not state.is_done and not (yield from checkpoints.is_active(state)):
            label = "interrupted"
        listed.append(MigrationStatus(name, label, state, is_known=name in names))
    return listed


def rejects(db: Repository, name: str | None = None) -> dict[str, list[Reject]]:
    """Return the items that migrations rejected, by migration, with the reasons."""
    checkpoints = CheckpointStore(db.design, db.context)
    names = [migration.name for migration in db.design.migrations if name in (None, migration.name)]
    by_name = {}
    for migration_name in names:
        try:
            by_name[migration_name] = run_sync(checkpoints.rejects(migration_name), db.connection.call)
        except ResourceNotFound:
            return {}
    return {migration: listed for migration, listed in by_name.items() if listed}


def retry(
    db: Repository,
    name: str | None = None,
    *,
    rate: float | None = None,
    segments: int = SEGMENTS,
    workers: int = WORKERS,
    on_progress: OnProgress = no_report,
    pause: Callable[[float], None] = time.sleep,
) -> dict[str, list[Reject]]:
    """Migrate the rejected items again; return those that are still rejected.

    When nothing is stored under the key of a reject, another program has deleted or moved the item. Then the migration
    makes a new pass over the table, which finds the item if it was moved.
    """
    left = {}
    meter = Meter(rate, db.context.now)
    for migration in db.design.migrations:
        if name not in (None, migration.name):
            continue
        options = _options(db, segments, workers, _Reporter(migration, "up", meter, on_progress), pause)
        left[migration.name] = run_sync(_retry(db, migration, options), db.connection.call, pause)
    return {migration_name: listed for migration_name, listed in left.items() if listed}


@dataclass(slots=True)
class _Reporter:
    """Reports the progress of one migration."""

    migration: Migration
    direction: Direction
    meter: Meter
    on_progress: OnProgress
    pass_number: int = 1

    def begin_pass(self, number: int) -> None:
        self.pass_number = number

    def __call__(self, tally: Tally) -> None:
        progress = MigrationProgress(
            self.migration, self.direction, tally, self.pass_number, self.meter.units
        )
        self.on_progress(progress)


def _options(
    db: Repository, segments: int, workers: int, report: _Reporter, pause: Callable[[float], None]
) -> TraversalOptions:
    concurrency = in_threads(db.connection.call, pause)
    return TraversalOptions(report.meter, segments, concurrency, report, workers, report.begin_pass)


def _records(db: Repository) -> Procedure[tuple[dict[str, State], dict[str, list[Reject]]]]:
    return (yield from CheckpointStore(db.design, db.context).records())


def _blocking(
    design: Design, migration: Migration, incomplete: Mapping[str, int], *, down: bool
) -> Migration | None:
    """The incomplete migration that must be completed first: an earlier one, or a later one on the way back."""
    place = design.migrations.index(migration)
    before = design.migrations[place + 1 :] if down else design.migrations[:place]
    return next((earlier for earlier in before if earlier.name in incomplete), None)


def _not_started(
    migration: Migration, blocking: Migration, rejects: int, results: Sequence[Result]
) -> MigrationIncomplete:
    counted = f"{rejects} reject{'' if rejects == 1 else 's'}"
    return MigrationIncomplete(
        f"{migration.name} was not started: {blocking.name} has {counted}. Correct the items and run migrate --retry; "
        f"or start {migration.name} anyway with --allow-incomplete (in Python: allow_incomplete=True)",
        results,
    )


def _run(
    db: Repository,
    migration: Migration,
    direction: Direction,
    options: TraversalOptions,
    processes: Processes,
) -> Procedure[Result]:
    checkpoints = CheckpointStore(db.design, db.context)
    work = yield from _migrating(db, checkpoints, migration, direction)
    name = migration.name
    bulk = _bulk_pages(db, migration, work)
    with planning_pool(db, migration, direction, work, bulk, processes) or nullcontext() as pool:
        if bulk is not None:
            bulk.planners = pool
        yield from checkpoints.create()
        ended = yield from run_passes(
            checkpoints, db.context, migration.table, name, work, options, direction, bulk=bulk
        )
    if ended is None:
        return Result(migration, direction, Tally(), ran_here=False)
    rejects = tuple((yield from checkpoints.rejects(name)))
    if isinstance(migration.of, type) and not isinstance(db.connection, DryRunConnection):
        yield from _record(db, migration.of, direction)
    return Result(migration, direction, ended.state.tally, rejects, ended.ran_here)


def _record(db: Repository, entity: type[Entity], direction: Direction) -> Procedure[None]:
    """Record that all items of a class have its index keys, copies and locks; after a revert they have not."""
    table = entity.layout.table
    if entity not in db.design.entities_of(table):
        return
    up = direction == "up"
    done, undone = ([entity], []) if up else ([], [entity])
    yield from record_complete(db.design, table, db.context.table_name(table), done, without=undone)
    if up:
        db.context.incomplete.pop(entity, None)


def _retry(db: Repository, migration: Migration, options: TraversalOptions) -> Procedure[list[Reject]]:
    checkpoints, name = CheckpointStore(db.design, db.context), migration.name
    states, rejects = yield from checkpoints.records()
    state, listed = states.get(name), rejects.get(name, [])
    if state is None or not listed:
        return []
    work = yield from _migrating(db, checkpoints, migration, state.direction)
    changed, left, gone = 0, [], 0
    for reject in listed:
        item = yield from item_at(db.context, migration.table, reject.key)
        if item is None:
            gone += 1
            continue
        outcome = yield from work(item)
        changed += outcome == "changed"
        if isinstance(outcome, Rejected):
            left.append(Reject(reject.table, reject.key, outcome.reason, reject.pass_id))
            yield from checkpoints.reject(name, left[-1])
        else:
            yield from checkpoints.forget(name, reject)
    changed += state.tally.changed
    if not gone:
        if state.is_done:
            yield from checkpoints.amend(state, Tally(state.tally.seen, changed, len(left)))
        return left
    context, direction = db.context, state.direction
    yield from run_passes(
        checkpoints, context, migration.table, name, work, options, direction, again=True, changed=changed
    )
    return (yield from checkpoints.rejects(name))


def _migrating(
    db: Repository, checkpoints: CheckpointStore, migration: Migration, direction: Direction
) -> Procedure[MigrationWork]:
    """The work of a migration; the rejects of other migrations follow the items that it moves."""
    _, rejects = yield from checkpoints.records()
    moved = MovedRejects.of(checkpoints, db.context, migration.table, migration.name, rejects)
    return migration_work(db.design, db.context, migration, direction, moved)


def _bulk_pages(db: Repository, migration: Migration, work: MigrationWork) -> "BulkPages | None":
    """Work on whole pages, if the repository has an embedded database."""
    access = db.connection.bulk_access() if isinstance(db.connection, Embedded) else None
    if access is None or not access.supports(db.context.table_name(migration.table)):
        return None
    # Imported here, so that a migration of another database does not load the engine.
    from tablewright.lifecycle.traversal.bulk_pages import BulkPages

    return BulkPages(access, db.context, migration.table, work.planner, work.is_local)


def _is_done(state: State | None, direction: Direction) -> bool:
    return state is not None and state.is_done and state.direction == direction


def _can_be_reverted(state: State | None) -> bool:
    return state is not None and not _is_done(state, "down")
