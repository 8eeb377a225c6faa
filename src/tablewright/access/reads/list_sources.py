"""List sources: one query, several merged, or several chained, as a list that is taken item by item.

A source reads ahead in requests of several items. Its position is where the list continues after the items that were
taken, not after those that were read; it goes into the cursor of a page.

    0               the list has ended
    None            nothing was taken
    ["7", "b"]      in a query: the key attributes of the last item
    [p, p, ...]     in merged lists: the position in each
    [name, p]       in chained lists: the digest of the current list, and the position in it

Merge orders: compare the items of several queries by their sort keys, as DynamoDB orders them.

Texts are compared by their code points, which is the order of their UTF-8 bytes; numbers by value; binaries by their
bytes.
"""

from abc import ABC, abstractmethod
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from tablewright.access.cursors import Position, damaged, joint_binding
from tablewright.access.procedures import Concurrent, Procedure, consumed_units
from tablewright.access.reads.page_read import PageRead
from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import BadCursor, UsageError

Order: TypeAlias = Callable[[Item], Any]
"""Returns what the items of a query are ordered by."""

_COMPARED: dict[str, Callable[[Any], Any]] = {"S": str, "N": Decimal, "B": bytes}


def merge_orders(
    reads: Sequence[PageRead], requests: Sequence[Mapping[str, Any]], *, ignore_prefix: bool
) -> tuple[Order, ...]:
    """Return the order of each query; raise `UsageError` when the queries have no common order."""
    _require_common_order(reads)
    prefixes = [_prefix(read, request) for read, request in zip(reads, requests, strict=True)]
    if ignore_prefix:
        for read, prefix in zip(reads, prefixes, strict=True):
            if prefix is None:
                raise UsageError(
                    f"ignore_prefix=True needs begins_with in the key of each query, and {read.plan.name} has none"
                )
    elif len(set(prefixes)) > 1 and None not in prefixes:
        shown = " and ".join(f"{prefix!r}" for prefix in dict.fromkeys(prefixes))
        raise UsageError(
            f"the queries have sort keys that begin with different texts, {shown}, so their items would not be mixed; "
            "compare what follows with Merged(..., ignore_prefix=True), or read one after the other with Chained(...)"
        )
    return tuple(
        _order(read, len(prefix or "") if ignore_prefix else 0)
        for read, prefix in zip(reads, prefixes, strict=True)
    )


def _sort_types(read: PageRead) -> tuple[tuple[str, str], ...]:
    """The attributes of the sort key, each with its type."""
    plan = read.plan
    names = plan.index.sort if plan.index else plan.table.key[1:]
    return tuple((name, plan.table.type_of(name)) for name in names)


def _require_common_order(reads: Sequence[PageRead]) -> None:
    for read in reads:
        first, name = reads[0], read.plan.name
        if not _sort_types(read):
            where = read.plan.index.name if read.plan.index else read.plan.table.name
            raise UsageError(f"{name} reads {where}, which has no sort key to merge by; use Chained(...)")
        if [kind for _, kind in _sort_types(read)] != [kind for _, kind in _sort_types(first)]:
            raise UsageError(
                f"{first.plan.name} is ordered by {_shown(first)} and {name} by {_shown(read)}, which cannot be "
                "compared; merge queries whose sort keys have the same type"
            )
        if read.plan.pattern.descending != first.plan.pattern.descending:
            raise UsageError(
                f"{first.plan.name} and {name} have opposite orders; give both the same descending"
            )


def _shown(read: PageRead) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in _sort_types(read))


def _prefix(read: PageRead, request: Mapping[str, Any]) -> str | None:
    """The text that the sort keys of a query begin with."""
    if read.compiled.prefix is None:
        return None
    text: str | None = request["ExpressionAttributeValues"][read.compiled.prefix[1]].get("S")
    return text


def _order(read: PageRead, ignored: int) -> Order:
    parts = [
        _without_prefix(name, ignored)
        if ignored and read.compiled.prefix and name == read.compiled.prefix[0]
        else _value(name, kind)
        for name, kind in _sort_types(read)
    ]
    return parts[0] if len(parts) == 1 else lambda item: tuple(part(item) for part in parts)


def _value(name: str, kind: str) -> Order:
    compared = _COMPARED[kind]
    return lambda item: compared(item[name][kind])


def _without_prefix(name: str, ignored: int) -> Order:
    return lambda item: item[name]["S"][ignored:]


DONE = 0
MOST_LISTS = 100
"""The most chained lists that fill one page; after these the page is returned with the items found so far."""


@dataclass(frozen=True, slots=True)
class Taken:
    """An item, and the read that decodes it."""

    item: Item
    read: PageRead


class ListSource(ABC):
    """A list that is taken item by item."""

    binding: bytes
    """The digest that a cursor is bound to."""

    @property
    @abstractmethod
    def has_item(self) -> bool:
        """Whether `take` can be called."""

    @property
    @abstractmethod
    def is_done(self) -> bool:
        """Whether all items were taken."""

    @abstractmethod
    def begin_page(self, most_requests: int) -> None:
        """Allow a number of requests to each query, and forget the consumed capacity."""

    @abstractmethod
    def fill(self, count: int | None) -> Procedure[None]:
        """Read until there is an item to take, the list ends, or no request is left; `count` items will be taken."""

    @abstractmethod
    def take(self) -> Taken:
        """Remove and return the next item."""

    @abstractmethod
    def position(self) -> Position:
        """Return where the list continues."""

    @abstractmethod
    def resume(self, position: Position) -> None:
        """Continue at the position of a cursor; raise `BadCursor` when it is none of this list."""

    @property
    @abstractmethod
    def consumed(self) -> float:
        """Capacity units since the page began."""


class QuerySource(ListSource):
    """The items of one query."""

    def __init__(self, read: PageRead, request: dict[str, Any], include_expired: bool) -> None:
        self.read = read
        self.binding = read.binding(request)
        self.request = request
        self._include_expired = include_expired
        self._items: deque[Item] = deque()
        self._taken: Item | None = None
        self._next: Item | None = None
        """The key after which the next request starts."""
        self._is_resumed = False
        """Whether that key is from a cursor."""
        self._has_more = True
        self._requests = 0
        self._size = 0
        self._consumed = 0.0

    @property
    def has_item(self) -> bool:
        """Whether an item was read and not taken."""
        return bool(self._items)

    @property
    def is_done(self) -> bool:
        """Whether all items were taken."""
        return not (self._items or self._has_more)

    @property
    def can_read(self) -> bool:
        """Whether there is no item, and a request may bring one."""
        return self._has_more and not self._items and self._requests > 0

    @property
    def consumed(self) -> float:
        """Capacity units since the page began."""
        return self._consumed

    @property
    def next_item(self) -> Item:
        """The item that `take` would return."""
        return self._items[0]

    def begin_page(self, most_requests: int) -> None:
        """Allow a number of requests."""
        self._requests, self._size, self._consumed = most_requests, 0, 0.0

    def fill(self, count: int | None) -> Procedure[None]:
        """Read until there is an item."""
        while self.can_read:
            yield from self.fetch(count, count)

    def fetch(self, count: int | None, most: int | None) -> Procedure[None]:
        """Make one request for `count` items; for more with each request of the page, up to `most`."""
        if count is None or most is None:
            limit = self.read.plan.pattern.page_size
        else:
            limit = self._size = min(most, max(count, 2 * self._size))
        reply = yield from self.read.fetch(self.request, self._next, limit, from_cursor=self._is_resumed)
        self._requests -= 1
        self._consumed += consumed_units(reply)
        self._items.extend(
            item for item in reply["Items"] if self.read.is_returned(item, self._include_expired)
        )
        self._next = reply.get("LastEvaluatedKey")
        self._has_more = self._next is not None
        self._is_resumed = False

    def take(self) -> Taken:
        """Remove and return the next item."""
        self._taken = self._items.popleft()
        return Taken(self._taken, self.read)

    def position(self) -> Position:
        """Return the key attributes of the last item, as far as the key condition leaves them open."""
        if self.is_done:
            return DONE
        last = self._taken if self._items else self._next
        return None if last is None else self.read.compiled.position(last)

    def resume(self, position: Position) -> None:
        """Continue after a key."""
        if position is None:
            return
        if position == DONE and not isinstance(position, bool | float):
            self._has_more = False
            return
        self._next = self._taken = self.read.compiled.start_key(self.request, position)
        self._is_resumed = True


class MergedSource(ListSource):
    """The items of several queries in one order."""

    def __init__(self, queries: Sequence[QuerySource], orders: Sequence[Order], *, descending: bool) -> None:
        self._queries = tuple(queries)
        self._orders = tuple(orders)
        self._choose = max if descending else min
        """Both return the first of equal ones."""
        self._ahead: dict[int, Any] = {}
        """The order of the next item of each query."""
        self.binding = joint_binding("tw-merged", [query.binding for query in queries])

    @property
    def has_item(self) -> bool:
        """Whether each query has an item or has ended, so that the first of these items is known."""
        return all(query.has_item or query.is_done for query in self._queries) and not self.is_done

    @property
    def is_done(self) -> bool:
        """Whether all queries have ended."""
        return all(query.is_done for query in self._queries)

    @property
    def consumed(self) -> float:
        """Capacity units since the page began."""
        return sum(query.consumed for query in self._queries)

    def begin_page(self, most_requests: int) -> None:
        """Allow a number of requests to each query."""
        for query in self._queries:
            query.begin_page(most_requests)

    def fill(self, count: int | None) -> Procedure[None]:
        """Read from all queries that lack an item, at the same time where the runner is async."""
        active = sum(not query.is_done for query in self._queries)
        share = None if count is None else min(count, -(-count // max(active, 1)) + 1)
        while lacking := [query for query in self._queries if query.can_read]:
            yield Concurrent([query.fetch(share, count) for query in lacking])

    def take(self) -> Taken:
        """Remove and return the first of the next items; of equal ones, that of the first query."""
        for place, query in enumerate(self._queries):
            if place not in self._ahead and query.has_item:
                self._ahead[place] = self._orders[place](query.next_item)
        place = self._choose(sorted(self._ahead), key=self._ahead.__getitem__)
        del self._ahead[place]
        return self._queries[place].take()

    def position(self) -> Position:
        """Return the position in each query."""
        return DONE if self.is_done else [query.position() for query in self._queries]

    def resume(self, position: Position) -> None:
        """Continue each query."""
        if position is None:
            return
        if not isinstance(position, list) or len(position) != len(self._queries):
            raise damaged()
        for query, its_position in zip(self._queries, position, strict=True):
            query.resume(its_position)


class ChainedSource(ListSource):
    """The items of several lists, one list after the other."""

    def __init__(self, lists: Iterable[ListSource]) -> None:
        self._lists = list(lists)
        self._place = 0
        self._left = 0
        self.binding = joint_binding("tw-chained", [])
        """The same for all: the position names the current list, so that lists can be added before and after it."""

    @property
    def _current(self) -> ListSource:
        return self._lists[self._place]

    @property
    def has_item(self) -> bool:
        """Whether the current list has an item."""
        return not self.is_done and self._current.has_item

    @property
    def is_done(self) -> bool:
        """Whether the last list has ended."""
        return self._place == len(self._lists)

    @property
    def consumed(self) -> float:
        """Capacity units since the page began."""
        return sum(source.consumed for source in self._lists)

    def begin_page(self, most_requests: int) -> None:
        """Allow a number of lists, and of requests to each query."""
        self._left = MOST_LISTS if most_requests > 1 else 1
        for source in self._lists:
            source.begin_page(most_requests)

    def fill(self, count: int | None) -> Procedure[None]:
        """Read from the current list; when it has ended, from the next one."""
        while not self.is_done and self._left > 0:
            yield from self._current.fill(count)
            if not self._current.is_done:
                return
            self._advance()

    def take(self) -> Taken:
        """Remove and return the next item of the current list."""
        taken = self._current.take()
        self._advance()
        return taken

    def _advance(self) -> None:
        while not self.is_done and self._current.is_done:
            self._place += 1
            self._left -= 1

    def position(self) -> Position:
        """Return the digest of the current list, and the position in it."""
        return DONE if self.is_done else [_name(self._current), self._current.position()]

    def resume(self, position: Position) -> None:
        """Continue in the list that the position names."""
        if not isinstance(position, list) or len(position) != 2:
            raise damaged()
        name, within = position
        self._place = next((place for place, source in enumerate(self._lists) if _name(source) == name), -1)
        if self._place < 0:
            raise BadCursor(
                "the cursor belongs to a list that is not among these; start again from the first page"
            )
        self._current.resume(within)


def _name(source: ListSource) -> str:
    return b64encode(source.binding).decode()
