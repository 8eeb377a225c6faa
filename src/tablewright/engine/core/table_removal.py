"""Table removal: a table is removed with its items and indexes, and with what features have stored for it."""

from collections.abc import Callable
from typing import Any

from tablewright.engine.core.collection_sizes import sizes_range
from tablewright.engine.core.jobs import row_removals
from tablewright.engine.core.plugs import Plug
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import COLLECTIONS, StoredTable

TABLE_DELETIONS: Plug[Callable[[Writing, StoredTable], dict[str, Any] | None]] = Plug()
"""Takes over the deletion of a table, and returns the reply; None when it does not."""
TABLE_REMOVALS: Plug[Callable[[Writing, StoredTable], None]] = Plug()
"""Called with a table whose definition was just removed."""


ROW_KEEPERS: Plug[Callable[[Writing, StoredTable], bool]] = Plug()
"""Whether a feature keeps the items of a table that is being removed: then it removes them itself, later."""


def remove_table(tx: Writing, table: StoredTable) -> None:
    """Remove a table, with its items, its indexes and what features have stored for it."""
    tx.state.catalog.remove(tx.rows, table)
    for remove in TABLE_REMOVALS:
        remove(tx, table)
    if table.has_local_indexes:
        row_removals.remove_range(tx, COLLECTIONS, *sizes_range(table))
    kept = [keep(tx, table) for keep in ROW_KEEPERS]
    if any(kept):
        spaces = [index.space for index in table.all_indexes]
    else:
        spaces = list(table.definition["Spaces"].values())
    row_removals.remove_spaces(tx, spaces)
