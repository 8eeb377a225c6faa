"""Access counts: how often the keys of tables and indexes with contributor insights were accessed or throttled.

They are kept in memory only, and only for the most frequent keys: `TopKeys` is the space-saving algorithm, whose memory
is bounded, and whose counts are never too low. A key that replaces another one inherits its count.
"""

import threading
from collections.abc import Mapping

from tablewright.dynamodb.values.key_bytes import partition_of

CAPACITY = 100


class TopKeys:
    """Approximate counts of the most frequent keys.

    >>> top = TopKeys(capacity=2)
    >>> for key in (b"a", b"b", b"a", b"c"):
    ...     top.add(key)
    >>> top.most_frequent()
    [(b'a', 2), (b'c', 2)]
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._counts: dict[bytes, int] = {}

    def add(self, key: bytes) -> None:
        """Count one access to a key."""
        counts = self._counts
        if key in counts:
            counts[key] += 1
        elif len(counts) < self._capacity:
            counts[key] = 1
        else:
            least = min(counts, key=counts.__getitem__)
            counts[key] = counts.pop(least) + 1

    def most_frequent(self) -> list[tuple[bytes, int]]:
        """The keys with their counts, the most frequent first; keys of the same count in order."""
        return sorted(self._counts.items(), key=lambda entry: (-entry[1], entry[0]))


class SpaceCounts:
    """The counts of one table or index: by partition, and by whole key; without accesses when these are not counted."""

    def __init__(self, *, accesses: bool) -> None:
        self.counts_accesses = accesses
        self.accessed_partitions = TopKeys()
        self.accessed_keys = TopKeys()
        self.throttled_partitions = TopKeys()


class AccessCounts:
    """The counts of all tables and indexes with contributor insights, by their spaces."""

    def __init__(self) -> None:
        self._spaces: dict[int, SpaceCounts] = {}
        self._lock = threading.Lock()

    def watch(self, spaces: Mapping[int, bool]) -> None:
        """Count for exactly these spaces; the value is whether accesses are counted, or throttled requests only."""
        with self._lock:
            old = self._spaces
            self._spaces = {
                space: old[space]
                if space in old and old[space].counts_accesses == accesses
                else SpaceCounts(accesses=accesses)
                for space, accesses in spaces.items()
            }

    def of(self, space: int) -> SpaceCounts | None:
        """The counts of a space; None when nothing is counted."""
        return self._spaces.get(space)

    def accessed(self, space: int, key: bytes) -> None:
        """Count an access to a row."""
        counts = self._spaces.get(space)
        if counts is not None and counts.counts_accesses:
            with self._lock:
                counts.accessed_partitions.add(partition_of(key))
                counts.accessed_keys.add(key)

    def throttled(self, space: int, partition: bytes | None) -> None:
        """Count a request that was throttled."""
        counts = self._spaces.get(space)
        if counts is not None and partition is not None:
            with self._lock:
                counts.throttled_partitions.add(partition)
