"""Watched ranges: ranges of index rows that are cached in memory, and the keys that writers changed since.

A writer notes each key that it changes, before its commit. A cached range is brought up to date by taking its changed
keys in a writer's turn, after all commits, and reading their rows again: so no change is missed.
"""

import threading
from collections.abc import Callable
from typing import Any

from tablewright.engine.core.state.engine_state import EngineState


class WatchedRange:
    """A range of keys of a space, `low <= key < high`, with its cached content."""

    __slots__ = ("changed", "content", "high", "lock", "low", "size", "space")

    def __init__(self, space: int, low: bytes, high: bytes | None) -> None:
        self.space = space
        self.low = low
        self.high = high
        self.lock = threading.Lock()
        """Held by the reader that loads or refreshes the content."""
        self.changed: set[bytes] = set()
        self.content: Any = None
        """What is cached; None when nothing is."""
        self.size = 0
        """The bytes of the content."""

    def take_changed(self) -> set[bytes]:
        """The changed keys, which are forgotten; in a writer's turn."""
        taken, self.changed = self.changed, set()
        return taken


class WatchedRanges:
    """All watched ranges of one database, the one used last at the end."""

    def __init__(self) -> None:
        self._ranges: dict[tuple[int, bytes], WatchedRange] = {}
        self._by_space: dict[int, list[WatchedRange]] = {}
        self._lock = threading.Lock()

    def of(self, space: int, low: bytes, high: bytes | None) -> WatchedRange:
        """The watched range that begins at `low`, or a new one; writers note changes after `watch` only."""
        with self._lock:
            watched = self._ranges.pop((space, low), None) or WatchedRange(space, low, high)
            self._ranges[space, low] = watched
            return watched

    def watch(self, watched: WatchedRange) -> None:
        """Start to note the changes of a range; in a writer's turn."""
        with self._lock:
            watched.changed = set()
            if self._ranges.get((watched.space, watched.low)) is watched:
                of_space = [other for other in self._by_space.get(watched.space, ()) if other is not watched]
                self._by_space[watched.space] = [*of_space, watched]

    def note(self, space: int, key: bytes) -> None:
        """Note a key that a writer changes."""
        for watched in self._by_space.get(space, ()):
            if watched.low <= key and (watched.high is None or key < watched.high):
                watched.changed.add(key)

    def drop(self, watched: WatchedRange) -> None:
        """Stop to watch a range, and free its content."""
        with self._lock:
            self._drop(watched)

    def _drop(self, watched: WatchedRange) -> None:
        watched.content, watched.size = None, 0
        if self._ranges.get((watched.space, watched.low)) is watched:
            del self._ranges[watched.space, watched.low]
        left = [other for other in self._by_space.get(watched.space, ()) if other is not watched]
        if left:
            self._by_space[watched.space] = left
        else:
            self._by_space.pop(watched.space, None)

    def shrink(self, most_bytes: int, most_ranges: int, keep: WatchedRange) -> None:
        """Drop the ranges that were used longest ago, until the others are small enough."""
        with self._lock:
            ranges = [other for other in self._ranges.values() if other is not keep]
            total = sum(other.size for other in self._ranges.values())
            while ranges and (total > most_bytes or len(ranges) >= most_ranges):
                total -= ranges[0].size
                self._drop(ranges.pop(0))

    def forget(self, space: int) -> None:
        """Drop the ranges of a space that was removed."""
        self._drop_all(lambda watched: watched.space == space)

    def forget_all(self) -> None:
        """Drop all ranges: writes were undone."""
        self._drop_all(lambda watched: True)

    def _drop_all(self, is_chosen: Callable[[WatchedRange], bool]) -> None:
        if self._ranges:
            with self._lock:
                for watched in [watched for watched in self._ranges.values() if is_chosen(watched)]:
                    self._drop(watched)


def new_ranges(state: EngineState) -> None:
    """Create the watched ranges of a new database."""
    state.parts["vectors"] = WatchedRanges()


def ranges_of(state: EngineState) -> WatchedRanges:
    """The watched ranges of a database."""
    return state.parts["vectors"]  # type: ignore[no-any-return]


def forget_all_ranges(state: EngineState) -> None:
    """Forget everything: the catalog was loaded, and rows may have been undone."""
    ranges_of(state).forget_all()


def forget_ranges(state: EngineState, space: int) -> None:
    """Forget the ranges of a space that is dropped."""
    ranges_of(state).forget(space)
