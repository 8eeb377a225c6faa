"""Tallies: the number of rows of each space and their size, kept in memory.

A space is counted once, at first use, and every write updates its tally from then on. Counting and updating are both
done in a writer's turn, so a tally is always exact. When a group of writes is undone, the tallies
are dropped, and counted again at next use.
"""

from tablewright.storage import View
from tablewright.values.stored_items import StoredItem

Totals = tuple[int, int]


class Tallies:
    """Rows and bytes by space."""

    def __init__(self) -> None:
        self._known: dict[int, Totals] = {}

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
        totals = self._known.get(space)
        if totals is not None:
            count, size = totals
            if before is not None:
                count -= 1
                size -= before.size
            if after is not None:
                count += 1
                size += after.size
            self._known[space] = count, size

    def begin(self, space: int) -> None:
        """Start the tally of a new, empty space."""
        self._known[space] = 0, 0

    def forget(self, space: int) -> None:
        """Drop the tally of a space that was dropped, or filled without its tally."""
        self._known.pop(space, None)

    def forget_all(self) -> None:
        """Drop all tallies: writes were undone."""
        self._known.clear()
