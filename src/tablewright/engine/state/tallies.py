"""Tallies: how many rows each space holds and how large they are, without counting them at every question.

A space is counted once, when first asked about, and from then on every write keeps its tally. Counting and keeping
are both done in a writer's turn, so a tally is always exact. When a group of writes is undone the tallies
are forgotten, and counted again when next asked for.
"""

from tablewright.storage import View
from tablewright.values.stored_items import StoredItem

Totals = tuple[int, int]


class Tallies:
    """Rows and bytes by space."""

    def __init__(self) -> None:
        self._known: dict[int, Totals] = {}

    def known(self, space: int) -> Totals | None:
        """The tally of a space, if there is one."""
        return self._known.get(space)

    def of(self, rows: View, space: int) -> Totals:
        """How many rows a space has, and the sum of their sizes."""
        totals = self._known.get(space)
        if totals is None:
            totals = self._known[space] = rows.totals(space)
        return totals

    def note(self, space: int, before: StoredItem | None, after: StoredItem | None) -> None:
        """A row came, went or changed."""
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
        """A space is new, and empty."""
        self._known[space] = 0, 0

    def forget(self, space: int) -> None:
        """A space is gone, or was filled past its tally."""
        self._known.pop(space, None)

    def forget_all(self) -> None:
        """Writes were undone: no tally can be trusted."""
        self._known.clear()
