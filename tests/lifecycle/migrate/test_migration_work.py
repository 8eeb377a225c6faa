"""The work of a migration depends on what it migrates, and on the direction."""

from tablewright import connect, embedded, migrations
from tablewright.lifecycle.migrate.entity_migration import EntityMigration
from tablewright.lifecycle.migrate.migration_work import MigrationWork, migration_work
from tablewright.lifecycle.migrate.moved_rejects import MovedRejects
from tablewright.lifecycle.migrate.raw_migration import RawMigration
from tablewright.lifecycle.traversal.checkpoint_records import Direction
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore
from tests.lifecycle.albums import Album, designed, main, price_as_number, price_as_text


def work(of: type[Album] | None, direction: Direction) -> MigrationWork:
    migration = migrations.Migration("prices", of or main, price_as_number, price_as_text)
    with embedded() as connection:
        db = connect(designed(migration), connection, create=True)
        moved = MovedRejects(db.context, CheckpointStore(db.design, db.context).design_table)
        return migration_work(db.design, db.context, migration, direction, moved)


def test_an_entity_is_migrated_with_its_copies_and_locks() -> None:
    up, down = work(Album, "up"), work(Album, "down")
    assert isinstance(up, EntityMigration)
    assert isinstance(down, EntityMigration)
    assert (up.change, up.is_down) == (price_as_number, False)
    assert (down.change, down.is_down) == (price_as_text, True)


def test_items_of_a_table_are_migrated_as_they_are() -> None:
    up, down = work(None, "up"), work(None, "down")
    assert isinstance(up, RawMigration)
    assert isinstance(down, RawMigration)
    assert (up.change, down.change) == (price_as_number, price_as_text)
    assert {"albumId", "GSI1PK"} <= set(up.known)
