"""Bulk access: read and replace many items of a table in this process, with few commits.

For work that visits every item, such as a migration. A page of items is read concurrently with writers. Then many items
are replaced in one commit, each group of items only if they are all as they were read: the stored bytes are compared,
so no condition has to be written, parsed and evaluated. Every replacement is an `ItemChange` with all its effects.

While the commit runs, other writers wait for it. So the caller replaces few items at a time.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

from tablewright.dynamodb.values.attributes import Item, admit_item
from tablewright.dynamodb.values.item_sizes import changed_size
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.consumed_capacity import CapacityMeter, CapacityMeters
from tablewright.engine.core.operations import find_operation
from tablewright.engine.core.reads.key_ranges import Span, segment_span
from tablewright.engine.core.sessions import Reading, Sessions, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.tables.table_definitions import is_shared
from tablewright.engine.core.writes.item_collections import CollectionLimit
from tablewright.engine.core.writes.item_writes import require_item_size
from tablewright.errors import ServiceError

MAX_PAGE_SIZE = 1024 * 1024
"""Bytes of the items of a page, at most, as of a Scan."""
_READ_UNIT = 4096


class Anything:
    """Stands for an item that may be stored in any state."""


ANYTHING: Final = Anything()


class KeyedItem(NamedTuple):
    """A stored item and its key."""

    key: bytes
    item: StoredItem


class Rows(NamedTuple):
    """A page of a segment."""

    rows: Sequence[KeyedItem]
    is_last: bool
    units: float
    """The read capacity units that a consistent Scan of the page consumes."""


class Replacement(NamedTuple):
    """One item to replace, delete (`new` is None), or only compare (`is_check`)."""

    table: StoredTable
    key: bytes
    expected: bytes | Anything | None
    """The stored bytes that must be there; None for no item."""
    new: StoredItem | None = None
    is_check: bool = False


class Replaced(NamedTuple):
    """What a commit has replaced."""

    groups: list[bool]
    """For each group whether it was replaced."""
    units: float
    """The write capacity units."""
    seconds: float
    """How long other writers waited for it, besides the flush to disk."""


class Watch:
    """Collects the keys of a table that are written by others than this bulk access."""

    def __init__(self, space: int) -> None:
        self._space = space
        self._keys: set[bytes] = set()
        self._lock = threading.Lock()
        self.is_paused = False

    def note(self, tx: Writing, change: ItemChange, meter: CapacityMeter | None) -> None:
        """Keep the key of a change: an effect of every change while the watch is installed."""
        if change.table.space == self._space and not self.is_paused:
            with self._lock:
                self._keys.add(change.key)

    def take(self) -> set[bytes]:
        """Return the keys since the last call."""
        with self._lock:
            taken, self._keys = self._keys, set()
        return taken


class BulkAccess:
    """Pages and replacements of items of one database."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def table(self, name: str) -> StoredTable:
        """Return a table; raise ResourceNotFoundException when it does not exist."""
        return self._sessions.state.catalog.table(name)

    def supports(self, name: str) -> bool:
        """Return whether a table can be written in bulk: not one that others write too, as requests decide who wins."""
        return not is_shared(self.table(name))

    def count(self, table: StoredTable) -> int:
        """Return the number of items of a table."""
        return self._sessions.read(lambda tx: tx.totals(table)[0])

    def page(self, table: StoredTable, segment: tuple[int, int], after: Item | None, limit: int) -> Rows:
        """Read items of a segment (its number, and how many there are), beginning after a key."""
        span: Span = segment_span(*segment)
        if after is not None:
            span = span.beyond(table.keys.of_key(after), backward=False)

        def read(tx: Reading) -> Rows:
            rows: list[KeyedItem] = []
            size = 0
            for key, item in tx.range(table, span.low, span.high):
                if len(rows) == limit or (rows and size + item.size > MAX_PAGE_SIZE):
                    return Rows(rows, False, _units(size))
                rows.append(KeyedItem(key, item))
                size += item.size
            return Rows(rows, True, _units(size))

        return self._sessions.read(read)

    def get(self, table: StoredTable, keys: Iterable[bytes]) -> list[StoredItem | None]:
        """Read the items under some keys."""
        return self._sessions.read(lambda tx: [tx.get(table, key) for key in keys])

    def stored(self, table: StoredTable, item: Item) -> KeyedItem:
        """Return an item as it would be stored; raise ValidationError as PutItem does."""
        admitted, size = admit_item(item)
        require_item_size(size)
        return KeyedItem(table.key_of_item(admitted), StoredItem.of(admitted, size))

    def updated(
        self, table: StoredTable, old: StoredItem, changed: Item, removed: Collection[str]
    ) -> StoredItem:
        """Return an item with some attributes changed and removed; raise ValidationError as PutItem does."""
        admitted, _ = admit_item(changed)
        before = old.attributes
        kept = {name: value for name, value in before.items() if name not in removed} if removed else before
        after = kept | admitted
        size = old.size + changed_size(before, after, (*admitted, *removed))
        require_item_size(size)
        if not table.indexed.isdisjoint(admitted):
            table.key_of_item(after)
        return StoredItem.of(after, size)

    def replace(
        self,
        groups: Sequence[Sequence[Replacement]],
        first: tuple[str, dict[str, Any]] | None = None,
        watch: Watch | None = None,
    ) -> "Replaced":
        """Replace groups of items in one commit.

        A group is replaced as a whole, or not at all when one of its items is not as expected. `first` is a request
        that is executed before, in the same commit; when it fails, nothing is replaced.
        """
        before = _prepared(first)

        def write(tx: Writing) -> Replaced:
            began = time.perf_counter()
            before(tx)
            alone, together = CapacityMeters("TOTAL"), CapacityMeters("TOTAL", transactional=True)
            if watch is not None:
                watch.is_paused = True
            try:
                done = [_replace(tx, group, together if len(group) > 1 else alone) for group in groups]
            finally:
                if watch is not None:
                    watch.is_paused = False
            return Replaced(done, alone.total + together.total, time.perf_counter() - began)

        return self._sessions.write(write)

    def watch(self, table: StoredTable) -> Watch:
        """Collect the keys of a table that others write, until `unwatch`."""
        watch = Watch(table.space)

        def install(tx: Writing) -> None:
            tx.state.effects = (*tx.state.effects, watch.note)

        self._sessions.write(install)
        return watch

    def unwatch(self, watch: Watch) -> None:
        """End a watch."""
        state = self._sessions.state
        state.effects = tuple(effect for effect in state.effects if effect != watch.note)


def _replace(tx: Writing, group: Sequence[Replacement], meters: CapacityMeters) -> bool:
    changes = []
    for replacement in group:
        if (
            tx.table(replacement.table.name) is not replacement.table
        ):  # it has changed since the item was prepared
            return False
        old = tx.get(replacement.table, replacement.key)
        expected = replacement.expected
        if expected is not ANYTHING and (None if old is None else old.raw) != expected:
            return False
        if not replacement.is_check and not (old is None and replacement.new is None):
            changes.append(ItemChange(replacement.table, replacement.key, old, replacement.new))
    limited = [change for change in changes if change.table.has_local_indexes]
    if limited:
        collections = CollectionLimit(tx)
        try:
            for change in limited:
                collections.require(change)
        except ServiceError:  # the write of the single item reports it
            return False
    for change in changes:
        tx.apply(change, meters.of(change.table))
    return True


def _prepared(first: tuple[str, dict[str, Any]] | None) -> Callable[[Writing], object]:
    if first is None:
        return lambda tx: None
    name, request = first
    operation = find_operation(name)
    assert operation is not None
    operation.shape.check(request)
    parsed = operation.parse(request)
    return lambda tx: operation.run(tx, parsed)


def _units(size: int) -> float:
    return float(-(-size // _READ_UNIT))
