"""Tallies: the number of rows of each space and their size, kept in memory.

A space is counted once, at first use, and every write updates its tally from then on. A large space is counted in a
snapshot, concurrently with writers, whose changes since the snapshot are added. All updates are done in a writer's
turn, so a tally is always exact. When a group of writes is undone, the tallies are dropped, and counted again at next
use.
"""

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import View

Totals = tuple[int, int]


class Tallies:
    """Rows and bytes by space."""

    def __init__(self) -> None:
        self._known: dict[int, Totals] = {}
        self._changes: dict[int, Totals] = {}
        """What writers added to spaces that are being counted, since the snapshot in which they are counted."""

    def known(self, space: int) -> Totals | None:
        """The tally of a space, or None when it was not counted yet."""
        return self._known.get(space)

    def of(self, rows: View, space: int) -> Totals:
        """The number of rows of a space, and the sum of their sizes."""
        totals = self._known.get(space)
        if totals is None:
            totals = self._known[space] = rows.totals(space)
        return totals

    def note(self, space: int, before: StoredItem | None, after: StoredItem | None) -> None:
        """Update the tally for a row that was added, deleted or changed."""
        known = self._known
        totals = known.get(space)
        if totals is None and self._changes:
            known = self._changes
            totals = known.get(space)
        if totals is not None:
            count, size = totals
            if before is not None:
                count -= 1
                size -= before.size
            if after is not None:
                count += 1
                size += after.size
            known[space] = count, size

    def watch(self, space: int) -> bool:
        """Start to note the changes of a space that is counted in a snapshot; in a writer's turn.

        Return False when the space is being counted already."""
        if space in self._changes:
            return False
        self._changes[space] = 0, 0
        return True

    def settle(self, space: int, counted: Totals) -> None:
        """Set the tally of a space that was counted in a snapshot; in a writer's turn."""
        changes = self._changes.pop(space, None)
        if changes is not None:
            self._known[space] = counted[0] + changes[0], counted[1] + changes[1]

    def begin(self, space: int) -> None:
        """Start the tally of a new, empty space."""
        self._known[space] = 0, 0

    def forget(self, space: int) -> None:
        """Drop the tally of a space that was dropped, filled without its tally, or not counted to its end."""
        self._known.pop(space, None)
        self._changes.pop(space, None)

    def forget_all(self) -> None:
        """Drop all tallies: writes were undone."""
        self._known.clear()
        self._changes.clear()
