"""Table definitions: what the catalog stores of a table."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tablewright.engine.core.plugs import Plug
from tablewright.engine.core.sessions import Reading, Sessions, Writing
from tablewright.engine.core.state.catalog import StoredTable

Definition = dict[str, Any]


class SharedSetting(NamedTuple):
    """A member of the definition that the replicas of a table have in common."""

    name: str
    apply: Callable[[Writing, StoredTable | None, Definition, Any], None]
    """Change a definition to a value; the table is None when it is being created."""
    saved: Callable[[Writing, StoredTable | None, StoredTable], None]
    """Called with the table before and after the change."""


SHARED_SETTINGS: Plug[SharedSetting] = Plug()
DEFINITION_CHANGES: Plug[Callable[[Definition, Definition, float, str], Definition]] = Plug()
"""The definition to save: from the one before a change of this region, the one after it, the time and the region."""
NEW_SETTING_CHECKS: Plug[Callable[[Mapping[str, Any]], None]] = Plug()
"""Checks of settings in a CreateTable request, before those of encryption and class."""
NEW_TABLE_CHECKS: Plug[Callable[[Mapping[str, Any]], None]] = Plug()
"""Checks of a CreateTable request that need no table; the last ones."""
NEW_TABLES: Plug[Callable[[Writing, Definition, Mapping[str, Any]], None]] = Plug()
"""Called with the definition of a new table before it is saved, and the CreateTable request."""
TABLE_VETOES: Plug[Callable[[Reading, StoredTable, str], None]] = Plug()
"""Raises the reason why a table cannot get what a word names, such as "replica"."""
SHARED_TABLES: Plug[Callable[[StoredTable], bool]] = Plug()
"""Whether clients of other databases write the same table."""
SALVAGES: Plug[Callable[[Sessions], None]] = Plug()
"""Called with a copy of a damaged file, to write anew what was not copied."""
BACKUP_DETAILS: Plug[Callable[[StoredTable], Mapping[str, Any]]] = Plug()
"""What a backup shows about a table, in `SourceTableFeatureDetails`."""


def new_definition(
    tx: Writing, description: dict[str, Any], tags: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return the definition of a new table, with an empty space for its items and for each of its indexes."""
    spaces = {"": tx.new_space()}
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes"):
        for index in description.get(member, ()):
            spaces[index["IndexName"]] = tx.new_space()
    return {
        "Id": spaces[""],
        "Spaces": spaces,
        "Description": description,
        "Tags": tags or {},
    }


def save_change(tx: Writing, table: StoredTable, definition: Definition) -> StoredTable:
    """Save a definition that a request of this region has changed."""
    for change in DEFINITION_CHANGES:
        definition = change(table.definition, definition, tx.now(), tx.state.region)
    return tx.state.catalog.save(tx.rows, definition)


def is_shared(table: StoredTable) -> bool:
    """Whether clients of other databases write the same table."""
    return any(shares(table) for shares in SHARED_TABLES)


def require_allowed(tx: Reading, table: StoredTable, what: str) -> None:
    """Reject a request that gives a table something which a feature does not allow now."""
    for veto in TABLE_VETOES:
        veto(tx, table, what)
