"""Compiled reads: the access patterns of one repository, each compiled when it first runs.

`get_all` reads entities of several classes and tables by their keys, with BatchGetItem. `get_or_raise` reads one entity
that must exist.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

from tablewright.access.context import Context
from tablewright.access.items.decoding import Chooser, Decoder
from tablewright.access.items.footprint import ComparableKey, comparable_key
from tablewright.access.items.vault import compute_with_keys
from tablewright.access.otherwise import Otherwise, replacement
from tablewright.access.procedures import Concurrent, Procedure, Reply
from tablewright.access.reads.batch_get_read import BatchGetRead, batch_replies
from tablewright.access.reads.combined import Chained, CombinedRead, Merged
from tablewright.access.reads.get_read import FindRead, GetRead, LockRead
from tablewright.access.reads.list_sources import ListSource
from tablewright.access.reads.nearest_read import NearestRead
from tablewright.access.reads.page_read import PageRead
from tablewright.access.reads.pages import Page, RowMaker
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.descriptions import describe_argument
from tablewright.design.fields.masking import masked_values
from tablewright.design.indexes import VectorIndex
from tablewright.design.layouts.layouts import Layout
from tablewright.design.patterns import Find, Get, Nearest, Pattern
from tablewright.design.plans.plans import Plan
from tablewright.dynamodb.limits import MAX_BATCH_KEYS
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import DesignError, DoesNotExist, UsageError

KINDS: dict[str, type[PatternRead]] = {
    "get": GetRead,
    "find": FindRead,
    "query": PageRead,
    "scan": PageRead,
    "batch": BatchGetRead,
    "nearest": NearestRead,
}


Readable: TypeAlias = Pattern[Any] | Merged[Any] | Chained[Any]


class PageSequence:
    """All pages of a read, one after the other."""

    def __init__(self, read: PatternRead | CombinedRead, pattern: Readable, include_expired: bool) -> None:
        self.is_finished = False
        self._read = read
        self._pattern: Any = pattern
        self._include_expired = include_expired
        self._cursor: str | None = None
        self._source: ListSource | None = None

    def next_page(self) -> Procedure[Page[Any]]:
        """Read the next page."""
        if isinstance(self._read, CombinedRead):
            if self._source is None:  # kept, as it reads ahead
                self._source = yield from self._read.source(self._pattern, self._include_expired)
            page = yield from self._read.page(self._source, None)
        else:
            page = yield from self._read.run(self._pattern, None, self._cursor, self._include_expired)
        self._cursor = page.cursor
        self.is_finished = page.cursor is None
        return page


class CompiledReads:
    """The reads of one repository, by the class of their pattern."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._entities: dict[type, PatternRead] = {}
        self._rows: dict[type, PatternRead] = {}

    def of(self, pattern: Readable) -> PatternRead | CombinedRead:
        """Return the read of a pattern's entities."""
        return self._entities.get(type(pattern)) or self._new_read(pattern)

    def rows_of(self, pattern: Readable) -> PatternRead | CombinedRead:
        """Return the read of rows with a pattern's `fields`."""
        if isinstance(pattern, Merged | Chained):
            return CombinedRead(self._context, self._rows_of_one)
        return self._rows_of_one(pattern)

    def pages(self, pattern: Readable, include_expired: bool) -> "PageSequence":
        """Return all pages of a pattern, one after the other."""
        if isinstance(pattern, Get | Find):
            kind = pattern.__plan__.kind.title()
            raise UsageError(
                f"{type(pattern).__name__} is a {kind} and returns one entity; read it with db.run(...)"
            )
        if isinstance(pattern, Nearest):
            raise UsageError(
                f"{type(pattern).__name__} is a Nearest and has no pages; read up to 100 entities with "
                "db.run(..., limit=100)"
            )
        return PageSequence(self.of(pattern), pattern, include_expired)

    def _new_read(self, pattern: Readable) -> PatternRead | CombinedRead:
        if isinstance(pattern, Merged | Chained):
            return CombinedRead(self._context, self._of_one)
        return self._compile_entities(pattern)

    def _of_one(self, pattern: Pattern[Any]) -> PatternRead:
        return self._entities.get(type(pattern)) or self._compile_entities(pattern)

    def _rows_of_one(self, pattern: Pattern[Any]) -> PatternRead:
        return self._rows.get(type(pattern)) or self._compile_rows(pattern)

    def _compile_entities(self, pattern: Pattern[Any]) -> PatternRead:
        plan = _plan_of(pattern)
        if plan.pattern.fields:
            raise UsageError(f"{plan.name} reads only some fields of its entity; run it with db.rows(...)")
        self._require_complete(plan)
        decoders = [self._decoder(plan, layout) for layout in plan.layouts]
        kind = LockRead if plan.lock else KINDS[plan.kind]
        read = kind(plan, self._context, Chooser(decoders).make)
        self._entities[type(pattern)] = read
        return read

    def _decoder(self, plan: Plan, layout: Layout) -> Decoder:
        if not isinstance(plan.index, VectorIndex):
            return self._context.decoder(layout)
        vector = layout.field_stored_as(plan.index.attribute)
        return Decoder(layout, self._context.vault, unread=() if vector is None else (vector.name,))

    def _require_complete(self, plan: Plan) -> None:
        """Raise `LayoutIncomplete` if stored items lack the key, the copy or the lock that a pattern finds them by."""
        for layout in plan.layouts if self._context.incomplete else ():
            needed: list[tuple[str, str]] = []
            if plan.lock is not None:
                needed = [("lock", plan.lock.field.name)]
            elif plan.reads_copies(layout):
                copies = (copy for copy in layout.copies if any(key.index is plan.index for key in copy.keys))
                needed = [("copy", copy.name) for copy in copies]
            elif plan.index is not None:
                needed = [("index", plan.index.name)]
            self._context.incomplete.require(layout, plan.name, needed)

    def _compile_rows(self, pattern: Pattern[Any]) -> PatternRead:
        plan = _plan_of(pattern)
        self._require_complete(plan)
        decoders = [self._context.decoder(layout) for layout in plan.layouts]
        makers = [RowMaker(decoder, plan.pattern.fields) for decoder in decoders]
        read = KINDS[plan.kind](plan, self._context, Chooser(makers).make, projected=True)
        self._rows[type(pattern)] = read
        return read


def _plan_of(pattern: object) -> Plan:
    kind = pattern if isinstance(pattern, type) else type(pattern)
    plan = getattr(kind, "__plan__", None)
    if isinstance(plan, Plan) and kind is pattern:
        raise UsageError(f"run() takes an instance with its parameters, {plan.name}(...), not a class")
    if not isinstance(plan, Plan):
        raise UsageError(f"{kind.__name__} is not an access pattern; derive one: class X(Query[User])")
    if plan.problems:
        raise DesignError(f"{plan.name} cannot run: {plan.problems[0]}")
    return plan


@dataclass(frozen=True, slots=True)
class KeyedGet:
    """A `Get` with its key."""

    read: GetRead
    key: Item

    @property
    def identity(self) -> tuple[str, ComparableKey]:
        """The table and the key, in a form that can be compared."""
        return self.read.compiled.table_name, comparable_key(self.read.plan.table, self.key)


def get_all(
    reads: CompiledReads, context: Context, patterns: Sequence[Any], include_expired: bool
) -> Procedure[list[Any]]:
    """Read the entity of each pattern; None where there is none."""
    gets = yield from compute_with_keys(lambda: keyed_gets(reads, patterns))
    calls = [batch_replies(request, "get_all") for request in batch_requests(gets)]
    replies: list[list[Reply]] = (yield Concurrent(calls))["results"] if calls else []
    tables = {get.read.compiled.table_name: get.read.plan.table for get in gets}
    items = {
        (name, comparable_key(tables[name], item)): item
        for batch in replies
        for reply in batch
        for name, returned in reply.get("Responses", {}).items()
        for item in returned
    }
    results = [(get, items.get(get.identity)) for get in gets]
    yield from context.vault.prepare(
        (layout, item)
        for get, item in results
        if item is not None
        for layout in get.read.plan.layouts
        if layout.secrets
    )
    return [None if item is None else get.read.entity(item, include_expired) for get, item in results]


def keyed_gets(reads: CompiledReads, patterns: Sequence[Any], *, masked: bool = False) -> list[KeyedGet]:
    """Return the patterns with their keys; `masked` hides values that are looked up by their hash."""
    gets = []
    for pattern in patterns:
        read = reads.of(pattern) if isinstance(pattern, Pattern) else None
        if not isinstance(read, GetRead):
            raise UsageError(
                f"get_all takes Get patterns with their parameters, not {describe_argument(pattern)}"
            )
        if read.plan.lock is not None:
            raise UsageError(
                f"{read.plan.name} reads the lock of a unique value and then its owner, which get_all cannot; "
                "run it alone with db.run(...)"
            )
        gets.append(KeyedGet(read, read.key_of(pattern, masked=masked)))
    return gets


def batch_requests(gets: Sequence[KeyedGet]) -> Iterator[dict[str, Any]]:
    """Return the requests: different keys only, up to 100 in each."""
    distinct = iter({get.identity: get for get in gets}.values())
    consistent = {get.read.compiled.table_name for get in gets if get.read.plan.pattern.consistent}
    while batch := list(islice(distinct, MAX_BATCH_KEYS)):
        tables: dict[str, dict[str, Any]] = {}
        for get in batch:
            name = get.read.compiled.table_name
            options = {"ConsistentRead": True} if name in consistent else {}
            tables.setdefault(name, {"Keys": [], **options})["Keys"].append(get.key)
        yield {"RequestItems": tables, "ReturnConsumedCapacity": "TOTAL"}


def get_or_raise(
    read: PatternRead | CombinedRead,
    pattern: Pattern[Any],
    otherwise: Otherwise | None,
    include_expired: bool,
) -> Procedure[Any]:
    """Run a `Get` or `Find`; return the entity, or raise `DoesNotExist` or the caller's exception."""
    if isinstance(read, CombinedRead) or read.plan.kind not in ("get", "find"):
        name = type(pattern).__name__
        raise UsageError(
            f"{name} is a {read.kind} and returns many entities; get_or_raise takes a Get or a Find"
        )
    entity = yield from read.run(pattern, None, None, include_expired)
    if entity is not None:
        return entity
    error = does_not_exist(read, pattern)
    raise error if otherwise is None else replacement(otherwise, error)


def does_not_exist(read: PatternRead, pattern: Pattern[Any]) -> DoesNotExist:
    """Return the error of a read that found no entity: its class, and the parameters; secret ones are masked."""
    layouts = read.plan.layouts
    secrets = frozenset[str]().union(*(layout.secrets for layout in layouts))
    names = " or ".join(layout.entity.__name__ for layout in layouts)
    return DoesNotExist(names, masked_values(secrets, pattern.__dict__), "does not exist")
