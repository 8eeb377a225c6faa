"""Hindsight: what rows looked like a moment ago, for index lag and stale reads.

The store always holds the present. Beside it, in memory, each change of a row leaves the row that was there before,
for as long as somebody may still look back that far.
"""

import heapq
import threading
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tablewright.values.stored_items import StoredItem


class Before(NamedTuple):
    """A row as it was until `until`; None when there was no row."""

    until: float
    item: StoredItem | None


class Hindsight:
    """The recent past of every space, up to `horizon` seconds back."""

    def __init__(self, horizon: float) -> None:
        self.horizon = horizon
        self._past: dict[int, dict[bytes, list[Before]]] = {}
        self._lock = threading.Lock()

    def remember(self, space: int, key: bytes, item: StoredItem | None, now: float) -> None:
        """Note the row that a change is about to replace."""
        with self._lock:
            befores = self._past.setdefault(space, {}).setdefault(key, [])
            befores[:] = [before for before in befores if before.until > now - self.horizon]
            befores.append(Before(now, item))

    def differences(self, space: int, at: float) -> dict[bytes, StoredItem | None]:
        """The rows of a space that were different at a time, and what they were."""
        with self._lock:
            differences = {}
            for key, befores in self._past.get(space, {}).items():
                for until, item in befores:
                    if until > at:
                        differences[key] = item
                        break
            return differences

    def get(self, space: int, key: bytes, at: float, present: StoredItem | None) -> StoredItem | None:
        """The row at `key` as it was at a time."""
        return self.differences(space, at).get(key, present)

    def range(
        self,
        space: int,
        low: bytes,
        high: bytes | None,
        at: float,
        present: Iterable[tuple[bytes, StoredItem]],
        *,
        backward: bool,
    ) -> Iterator[tuple[bytes, StoredItem]]:
        """The rows of a range as they were at a time, given the rows as they are."""
        past = self.differences(space, at)
        unchanged = (row for row in present if row[0] not in past)
        restored = (
            (key, item)
            for key, item in sorted(past.items(), key=_key, reverse=backward)
            if item is not None and key >= low and (high is None or key < high)
        )
        return heapq.merge(unchanged, restored, key=_key, reverse=backward)


def _key(row: tuple[bytes, object]) -> bytes:
    return row[0]
