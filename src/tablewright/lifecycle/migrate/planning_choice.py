"""Choose how many processes plan the pages of a migration, and find out why only this one can."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tablewright.access.repository import Repository
from tablewright.connections import Embedded
from tablewright.design.designs import Design
from tablewright.design.entities.migrations import Migration
from tablewright.errors import MigrationError
from tablewright.lifecycle.migrate.item_migration import EntityMigration, MigrationWork
from tablewright.lifecycle.traversal.checkpoint_records import Direction
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore

if TYPE_CHECKING:
    from tablewright.lifecycle.migrate.planning_pool import PlanningPool
    from tablewright.lifecycle.traversal.bulk_pages import BulkPages

WORTHWHILE = 20_000
"""Items of a table from which several processes are faster: each takes half a second to start."""
MOST = 4
"""Processes that are chosen at most: then the one that writes is busy."""


@dataclass(frozen=True, slots=True)
class Processes:
    """How many processes plan the pages of a migration."""

    count: int | None = 1
    """None chooses: several for a large table, as many as there are idle cores, up to four."""
    design: str | None = None
    """Where the processes import the design, as `module:name`; None looks for it in the imported modules."""
    is_required: bool = True
    """Whether `MigrationError` is raised when several are wanted and only one is possible."""
    on_choice: Callable[[Migration, int, str], None] = lambda migration, count, reason: None
    """Called with the number of processes for each migration, and with the reason when several were wanted."""


def planning_pool(
    db: Repository,
    migration: Migration,
    direction: Direction,
    work: MigrationWork,
    bulk: "BulkPages | None",
    wanted: Processes,
) -> "PlanningPool | None":
    """Return the running processes that plan a migration; None when it is planned in this process."""
    count = _chosen(bulk) if wanted.count is None else wanted.count
    if count == 1:
        wanted.on_choice(migration, 1, "")
        return None
    name = wanted.design or importable_name(db.design)
    reason = _obstacle(db, migration, work, bulk, name)
    if reason is None and bulk is not None and name is not None:
        pool = _pool(db, migration, direction, work, bulk, name, count)
        try:
            pool.start()
        except MigrationError as error:
            reason = str(error)
        else:
            wanted.on_choice(migration, count, "")
            return pool
    if wanted.count is not None and wanted.is_required:
        raise MigrationError(f"{migration.name} cannot be planned in {count} processes: {reason}")
    wanted.on_choice(migration, 1, reason or "")
    return None


def importable_name(design: Design) -> str | None:
    """Return where a design can be imported from, as `module:name`; None when no module has it as a variable."""
    for module_name, module in list(sys.modules.items()):
        if module_name in ("__main__", "__mp_main__"):
            continue
        for name, member in list(getattr(module, "__dict__", {}).items()):
            if member is design:
                return f"{module_name}:{name}"
    return None


def _chosen(bulk: "BulkPages | None") -> int:
    """The number of processes that is best for a table."""
    if bulk is None or sys.platform == "win32" or bulk.count() < WORTHWHILE:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    idle = cores - round(os.getloadavg()[0])  # on a busy machine, several take more time than one
    return max(min(idle, MOST), 1)


def _obstacle(
    db: Repository, migration: Migration, work: MigrationWork, bulk: "BulkPages | None", name: str | None
) -> str | None:
    """Why a migration can only be planned in this process, or None."""
    if sys.platform == "win32":
        return "several processes are not supported on Windows"
    if bulk is None or _data_file(db) is None:
        return "several processes can plan only a migration of a data file that this process has opened"
    if not work.is_local:
        return "its function looks up other entities, which only this process can read"
    if isinstance(work, EntityMigration) and work.layout.secrets:
        return f"{work.layout.entity.__name__} has secret fields, and other processes have no keys for them"
    if bulk.access.table(db.context.table_name(migration.table)).definition.get("Insights"):
        return "the table has contributor insights, which count reads of this process only"
    if name is None:
        return (
            "the design cannot be imported by other processes; make it a variable of a module, "
            "and import it from there"
        )
    return None


def _data_file(db: Repository) -> Path | None:
    """The path of the data file that the connection has opened; None when it has none."""
    return db.connection.path if isinstance(db.connection, Embedded) else None


def _pool(
    db: Repository,
    migration: Migration,
    direction: Direction,
    work: MigrationWork,
    bulk: "BulkPages",
    name: str,
    count: int,
) -> "PlanningPool":
    # Imported here, so that a migration of another database does not load the engine.
    from tablewright.lifecycle.migrate.planning_pool import PlanningPool, PlanningSettings

    path, context = _data_file(db), db.context
    assert path is not None
    moved = work.moved_rejects if isinstance(work, EntityMigration) else None
    rejects = {} if moved is None else dict(moved.rejects)
    settings = PlanningSettings(
        path, name, migration.name, direction, context.environment, context.prefix, rejects
    )
    tables = [context.table_name(migration.table)]
    if rejects:
        tables.append(CheckpointStore(db.design, context).table)
    return PlanningPool(bulk.access, context, tables, settings, count)
