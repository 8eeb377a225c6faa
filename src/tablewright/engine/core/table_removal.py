"""Table removal: a table is removed with its items, indexes, schedules and versions; its streams stay readable."""

from tablewright.engine.core.collection_sizes import sizes_range
from tablewright.engine.core.jobs import row_removals
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import COLLECTIONS, EXPIRY, JOURNAL, Table
from tablewright.engine.features.backups import backups, change_journal, row_copies
from tablewright.engine.features.streams import stream_records as streams
from tablewright.engine.features.ttl import ttl


def remove_table(tx: Writing, table: Table) -> None:
    """Remove a table. Its streams stay readable for a day; with point-in-time recovery, a backup is kept."""
    streams.retire(tx, table)
    tx.state.catalog.remove(tx.rows, table)
    row_removals.remove_range(tx, EXPIRY, *ttl.schedule_range(table))
    if table.has_local_indexes:
        row_removals.remove_range(tx, COLLECTIONS, *sizes_range(table))
    spaces = _left_behind(tx, table)
    if table.replica_space is not None:
        spaces.append(table.replica_space)
    row_removals.remove_spaces(tx, spaces)


def _left_behind(tx: Writing, table: Table) -> list[int]:
    """The spaces to remove: not the items' space when a backup takes it over or a job is copying it."""
    is_copied = bool(table.definition.get("Copying"))
    if table.is_journaled and not is_copied:
        row_removals.remove_range(tx, JOURNAL, *change_journal.range_of(table.id))
    if table.definition.get("Recovery"):
        backups.keep_deleted(tx, table)
    elif is_copied:
        row_copies.orphan(tx, table)
    else:
        return list(table.definition["Spaces"].values())
    return [index.space for index in table.all_indexes]
