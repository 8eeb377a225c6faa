"""Stale reads: earlier versions of rows, for index lag and for eventually consistent reads.

The store always holds the current rows. Beside it, in memory, each change of a row records the row that it replaced,
for as long as a read may need it.
"""

import heapq
import threading
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tablewright.dynamodb.values.stored_items import StoredItem


class Version(NamedTuple):
    """A row as it was until `until`; `item` is None when there was no row."""

    until: float
    item: StoredItem | None


class RowHistory:
    """The replaced rows of every space, up to `horizon` seconds back."""

    def __init__(self, horizon: float) -> None:
        self.horizon = horizon
        self._versions: dict[int, dict[bytes, list[Version]]] = {}
        self._lock = threading.Lock()

    def record(self, space: int, key: bytes, item: StoredItem | None, now: float) -> None:
        """Record the row that a change is about to replace."""
        with self._lock:
            versions = self._versions.setdefault(space, {}).setdefault(key, [])
            versions[:] = [version for version in versions if version.until > now - self.horizon]
            versions.append(Version(now, item))

    def differences(self, space: int, at: float) -> dict[bytes, StoredItem | None]:
        """The rows of a space that were different at a time, as they were."""
        with self._lock:
            differences = {}
            for key, versions in self._versions.get(space, {}).items():
                for until, item in versions:
                    if until > at:
                        differences[key] = item
                        break
            return differences

    def get(self, space: int, key: bytes, at: float, current: StoredItem | None) -> StoredItem | None:
        """The row at `key` as it was at a time."""
        return self.differences(space, at).get(key, current)

    def range(
        self,
        space: int,
        low: bytes,
        high: bytes | None,
        at: float,
        current: Iterable[tuple[bytes, StoredItem]],
        *,
        backward: bool,
    ) -> Iterator[tuple[bytes, StoredItem]]:
        """The rows of a range as they were at a time, given the current rows."""
        earlier = self.differences(space, at)
        unchanged = (row for row in current if row[0] not in earlier)
        restored = (
            (key, item)
            for key, item in sorted(earlier.items(), key=_key, reverse=backward)
            if item is not None and key >= low and (high is None or key < high)
        )
        return heapq.merge(unchanged, restored, key=_key, reverse=backward)


def _key(row: tuple[bytes, object]) -> bytes:
    return row[0]
