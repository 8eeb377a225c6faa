"""The work of a migration on one item, by what it migrates: the items of an entity, or all items of a table."""

from typing import TypeAlias

from tablewright.access.context import Context
from tablewright.design.designs import Design
from tablewright.design.entities.migrations import Migration
from tablewright.design.layouts.known_attributes import known_attributes
from tablewright.lifecycle.migrate.entity_migration import EntityMigration
from tablewright.lifecycle.migrate.moved_rejects import MovedRejects
from tablewright.lifecycle.migrate.raw_migration import RawMigration
from tablewright.lifecycle.traversal.checkpoint_records import Direction

MigrationWork: TypeAlias = EntityMigration | RawMigration


def migration_work(
    design: Design, context: Context, migration: Migration, direction: Direction, moved_rejects: MovedRejects
) -> MigrationWork:
    """Return the work of a migration in one direction."""
    change = migration.up if direction == "up" else migration.down
    if isinstance(migration.of, type):
        return EntityMigration(
            design,
            context,
            migration.of.layout,
            migration.name,
            change,
            is_down=direction == "down",
            moved_rejects=moved_rejects,
        )
    assert change is not None  # a migration of a table has an up, and one without down is not reverted
    known = known_attributes(entity.layout for entity in design.entities_of(migration.table))
    return RawMigration(context, migration.table, migration.name, change, known)
