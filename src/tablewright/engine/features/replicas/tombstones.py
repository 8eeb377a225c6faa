"""Tombstones: the versions of deleted items, removed when no older write can arrive any more.

A deleted item keeps its version, so that an older write of another region does not bring it back. The version can be
removed a day later, when every other region has read the deletion, and when all changes of every other region were
read after that day: then no region has an older write of the item.
"""

from itertools import islice

from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import Table
from tablewright.engine.features.replicas.replica_groups import other_members
from tablewright.engine.features.replicas.replica_progress import links_of
from tablewright.engine.features.replicas.versions import deleted, entry_of, forget_deleted

KEPT = 24 * 3600.0
"""Seconds for which every deletion is kept."""
_AT_ONCE = 500


def aged_tombstones(tx: Reading, table: Table) -> list[tuple[bytes, bytes]]:
    """Some tombstones that can be removed, oldest first."""
    space, progress = table.replica_space, links_of(tx.state).progress
    assert space is not None
    others = other_members(table.definition, tx.state.region)
    if not others:
        return []
    complete = min(progress.complete_at(space, region) for region in others)
    read = min(progress.read_by(space, region) for region in others)
    before = max(0, int((min(complete, tx.now()) - KEPT) * 1_000_000))
    found: list[tuple[bytes, bytes]] = []
    for place, key in islice(deleted(tx.rows, space, before), _AT_ONCE):
        entry = entry_of(tx.rows, space, key)
        if entry is None or entry.number <= read:
            found.append((place, key))
    return found


def remove_tombstones(tx: Writing, table: Table, found: list[tuple[bytes, bytes]]) -> None:
    """Remove tombstones, unless the item was written again meanwhile."""
    space = table.replica_space
    assert space is not None
    for place, key in found:
        if tx.rows.get(space, place) is not None:
            forget_deleted(tx.rows, space, place, key)
