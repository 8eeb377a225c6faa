"""Reads: an access pattern, made ready for one repository, as procedures.

    run     one entity, or a page of them, as the pattern's kind has it
    pages   one page after the other, to the end

What has expired is left out, swept or not, unless it is asked for. What is not what the pattern returns is never
dropped: a page lists it under `unknown`, and where one entity is asked for, it is raised.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Any

from tablewright.access.calls.backoff import ATTEMPTS, backoff
from tablewright.access.calls.procedures import Call, Procedure, Reply
from tablewright.access.calls.retries import RETRYABLE, with_retries
from tablewright.access.context import Context
from tablewright.access.items.decoding import Chooser, is_expired, unknown_item
from tablewright.access.items.footprint import is_dependent, is_lock
from tablewright.access.items.vault import lookup_values, run_with_keys
from tablewright.access.reads.compiled_request import CompiledRequest
from tablewright.access.reads.cursors import make_cursor, read_cursor
from tablewright.access.reads.field_rows import RowMaker
from tablewright.access.reads.pages import Page
from tablewright.design.fields.markers import Hashed
from tablewright.design.patterns.patterns import Pattern
from tablewright.design.patterns.plans import Plan
from tablewright.design.validation.secret_rules import MASK
from tablewright.errors import (
    DesignError,
    ProvisionedThroughputExceeded,
    SecretError,
    SeveralFound,
    UnknownItem,
    UsageError,
)
from tablewright.values.attributes import Item

MOST_KEYS = 100
"""Keys in one BatchGetItem."""
MOST_REQUESTS = 10
"""Requests that filling one page may take; after these it is returned as full as it is."""
FILTERED_PAGE = 100
"""Items that one request reads, at least, to fill a page through a filter."""

Make = Callable[[Item], Any]
LookUp = Callable[[Mapping[str, Any]], Mapping[str, Any]]


@dataclass(slots=True)
class _Catch:
    """What a read has brought in so far."""

    found: list[Any] = field(default_factory=list)
    unknown: list[UnknownItem] = field(default_factory=list)
    consumed: float = 0.0

    def page(self, cursor: str | None = None) -> Page[Any]:
        return Page(tuple(self.found), cursor, tuple(self.unknown), self.consumed)


class Read:
    """One access pattern in one repository; `make` turns an item into what is returned."""

    def __init__(self, plan: Plan, context: Context, make: Make, *, projected: bool = False) -> None:
        self.plan = plan
        for layout in plan.layouts:
            context.require(layout)
        self.compiled = CompiledRequest(plan, context.table_name(plan.table), projected=projected)
        self._context = context
        self._make = make
        self._hashed = next((layout for layout in plan.layouts if layout.marked(Hashed)), None)
        self._secret = tuple(layout for layout in plan.layouts if layout.secrets)
        self._wants_copies = any(plan.reads_copies(layout) for layout in plan.layouts)

    def run(
        self,
        pattern: Pattern[Any],
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Procedure[Any]:
        """The result of one run: an entity or None, or a page."""
        if self._secret:
            return run_with_keys(lambda: self._begin(pattern, limit, cursor, include_expired))
        return self._begin(pattern, limit, cursor, include_expired)

    def _begin(
        self, pattern: Pattern[Any], limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Any]:
        match self.plan.kind:
            case "query" | "scan":
                return self._page(pattern, limit, cursor, include_expired)
            case kind if limit is not None or cursor is not None:
                called = {"get": "Get", "find": "Find"}.get(kind, "BatchGet")
                surplus = "limit" if limit is not None else "cursor"
                raise UsageError(f"{self.plan.name} is a {called} and has no pages; leave out {surplus}")
            case "get":
                return self._get(pattern, include_expired)
            case "find":
                return self._find(pattern, include_expired)
            case "batch":
                return self._batch(pattern, include_expired)

    def request(self, pattern: Pattern[Any]) -> dict[str, Any]:
        """The first request of a run, to be shown: with a mask for what is looked up by its hash."""
        if self.plan.kind == "batch":
            return self.compiled.batch(self._keys(pattern, self._masked)[:MOST_KEYS])
        return self.compiled.request(self._masked(pattern.__dict__))

    def key_count(self, pattern: Pattern[Any]) -> int:
        """How many items a batch asks for, at most."""
        return len(self._keys(pattern, dict))

    def _get(self, pattern: Pattern[Any], include_expired: bool) -> Procedure[Any]:
        call = Call("GetItem", self.compiled.request(self._values(pattern)))
        try:
            reply = yield call
        except RETRYABLE:  # so that only those who have to ask again pay for it
            reply = yield from with_retries(call)
        item = reply.get("Item")
        if item is None or not (include_expired or self._is_live(item)):
            return None
        if self._secret:
            yield from self._prepare([item])
        return self._make(item)

    def _find(self, pattern: Pattern[Any], include_expired: bool) -> Procedure[Any]:
        request = self.compiled.request(self._values(pattern))
        if not self.compiled.has_filter:
            request["Limit"] = 2
        found: list[Item] = []
        while True:
            reply = yield from with_retries(Call("Query", request))
            found += [item for item in reply["Items"] if self._counts(item, include_expired)]
            if len(found) > 1:
                raise SeveralFound(self.plan.name)
            if "LastEvaluatedKey" not in reply:
                yield from self._prepare(found)
                return self._make(found[0]) if found else None
            request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]

    def _page(
        self, pattern: Pattern[Any], limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Page[Any]]:
        limit = self._limit(limit)
        request = self.compiled.request(self._values(pattern))
        start = None if cursor is None else read_cursor(self.plan.name, request, cursor)
        catch = _Catch()
        for _ in range(MOST_REQUESTS if limit else 1):
            asked = self._continued(request, start, limit, catch)
            reply = yield from with_retries(Call(self.compiled.operation, asked))
            catch.consumed += _consumed(reply)
            yield from self._prepare(reply["Items"])
            start = self._take(reply, limit, catch, include_expired)
            if start is None or len(catch.found) == limit:
                break
        return catch.page(None if start is None else make_cursor(self.plan.name, request, start))

    def _continued(
        self, request: dict[str, Any], start: Item | None, limit: int | None, catch: _Catch
    ) -> dict[str, Any]:
        continued = dict(request)
        if start is not None:
            continued["ExclusiveStartKey"] = start
        if limit is not None:
            missing = limit - len(catch.found)
            continued["Limit"] = max(missing, FILTERED_PAGE) if self.compiled.has_filter else missing
        return continued

    def _take(self, reply: Reply, limit: int | None, catch: _Catch, include_expired: bool) -> Item | None:
        """Take what a page has room for; where the next one starts."""
        items = reply["Items"]
        for place, item in enumerate(items):
            if self._counts(item, include_expired):
                self._catch(item, catch)
            if len(catch.found) == limit and place < len(items) - 1:
                return self._position(item)
        return reply.get("LastEvaluatedKey")

    def _batch(self, pattern: Pattern[Any], include_expired: bool) -> Procedure[Page[Any]]:
        keys = self._keys(pattern)
        catch = _Catch()
        items: dict[object, Item] = {}
        for chunk in _chunks(keys, MOST_KEYS):
            yield from self._fetch(chunk, items, catch)
        yield from self._prepare(items.values())
        for key in keys:
            item = items.get(self._identity(key))
            if item is not None and self._counts(item, include_expired):
                self._catch(item, catch)
        return catch.page()

    def _fetch(self, keys: list[Item], items: dict[object, Item], catch: _Catch) -> Procedure[None]:
        """Ask for keys until all were answered."""
        request = self.compiled.batch(keys)
        for attempt in range(ATTEMPTS):
            reply = yield from with_retries(Call("BatchGetItem", request))
            catch.consumed += _consumed(reply)
            for item in reply.get("Responses", {}).get(self.compiled.table_name, ()):
                items[self._identity(item)] = item
            if not reply.get("UnprocessedKeys"):
                return
            request = {**request, "RequestItems": reply["UnprocessedKeys"]}
            yield backoff(attempt)
        raise ProvisionedThroughputExceeded(
            f"{self.plan.name}: keys were left unprocessed {ATTEMPTS} times; the table has too little capacity"
        )

    def _prepare(self, items: Iterable[Item]) -> Procedure[None]:
        """Fetch the keys of all secrets together, before one after the other is opened."""
        if self._secret:
            yield from self._context.vault.prepare(
                (layout, item) for item in items for layout in self._secret
            )

    def _keys(self, pattern: Pattern[Any], look_up: LookUp | None = None) -> list[Item]:
        """The keys that a batch asks for, each once: lists vary together, other parameters are shared."""
        values = pattern.__dict__
        lists = {name: list(value) for name, value in values.items() if _varies(value)}
        if len(set(map(len, lists.values()))) > 1:
            told = ", ".join(f"{len(each)} of {name}" for name, each in lists.items())
            raise UsageError(f"{self.plan.name}: lists vary together, so they are equally long, not {told}")
        sets = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
        look_up = look_up or self._looked_up
        keys = [self.compiled.key(look_up({**values, **each})) for each in sets]
        return list({self._identity(key): key for key in keys}.values())

    def _values(self, pattern: Pattern[Any]) -> Mapping[str, Any]:
        return pattern.__dict__ if self._hashed is None else self._looked_up(pattern.__dict__)

    def _looked_up(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        return values if self._hashed is None else lookup_values(self._context.vault, self._hashed, values)

    def _masked(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        secrets = self._hashed.secrets if self._hashed else frozenset()
        return {name: MASK if name in secrets else value for name, value in values.items()}

    def _catch(self, item: Item, catch: _Catch) -> None:
        try:
            catch.found.append(self._make(item))
        except UnknownItem as refusal:
            catch.unknown.append(refusal)
        except SecretError as refusal:
            catch.unknown.append(unknown_item(self.plan.table, item, f"is sealed: {refusal}"))

    def _counts(self, item: Item, include_expired: bool) -> bool:
        """Whether an item is anybody's business: locks never are, copies where a pattern reads by their keys."""
        if is_dependent(item) and (not self._wants_copies or is_lock(self.plan.table, item)):
            return False
        return include_expired or self._is_live(item)

    def _is_live(self, item: Item) -> bool:
        table = self.plan.table
        return table.ttl is None or not is_expired(table, item, self._context.now())

    def _position(self, item: Item) -> Item:
        index = self.plan.index
        names = dict.fromkeys((*self.plan.table.key, *(index.key if index else ())))
        return {name: item[name] for name in names}

    def _identity(self, item: Item) -> object:
        """A primary key as something to compare: equal numbers may be spelt differently."""
        return tuple(
            Decimal(value["N"]) if "N" in value else next(iter(value.values()))
            for value in (item[name] for name in self.plan.table.key)
        )

    def _limit(self, limit: int | None) -> int | None:
        if limit is not None and limit < 1:
            raise UsageError(f"{self.plan.name}: a page holds at least 1 item, not {limit}")
        return limit or self.plan.pattern.page_size


class Reads:
    """The patterns of one repository, made ready when they are first run."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._entities: dict[type[Pattern[Any]], Read] = {}
        self._rows: dict[type[Pattern[Any]], Read] = {}

    def of(self, pattern: Pattern[Any]) -> Read:
        """The read that brings entities."""
        kind = type(pattern)
        return self._entities.get(kind) or self._made_ready(pattern)

    def rows_of(self, pattern: Pattern[Any]) -> Read:
        """The read that brings rows of a pattern's `fields`."""
        kind = type(pattern)
        read = self._rows.get(kind)
        if read is None:
            plan = _runnable(pattern)
            decoders = [self._context.decoder(layout) for layout in plan.layouts]
            makers = [RowMaker(decoder, plan.pattern.fields) for decoder in decoders]
            read = self._rows[kind] = Read(plan, self._context, Chooser(makers).make, projected=True)
        return read

    def _made_ready(self, pattern: Pattern[Any]) -> Read:
        plan = _runnable(pattern)
        if plan.pattern.fields:
            raise UsageError(
                f"{plan.name} reads only some fields, which make no entity; run it with db.rows(...)"
            )
        decoders = [self._context.decoder(layout) for layout in plan.layouts]
        read = self._entities[type(pattern)] = Read(plan, self._context, Chooser(decoders).make)
        return read


def _runnable(pattern: object) -> Plan:
    kind = pattern if isinstance(pattern, type) else type(pattern)
    plan = getattr(kind, "plan", None)
    if isinstance(plan, Plan) and kind is pattern:
        raise UsageError(
            f"run({plan.name}(...)) wants an instance with its parameters, not the class {plan.name}"
        )
    if not isinstance(plan, Plan):
        raise UsageError(f"{kind.__name__} is no pattern of an entity; derive one: class X(Query[User])")
    if plan.complaints:
        raise DesignError(f"{plan.name} cannot run: {plan.complaints[0]}")
    return plan


def _varies(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset)


def _consumed(reply: Reply) -> float:
    told = reply.get("ConsumedCapacity") or {}
    entries = told if isinstance(told, list) else [told]
    return float(sum(entry.get("CapacityUnits", 0.0) for entry in entries))


def _chunks(keys: list[Item], size: int) -> Iterator[list[Item]]:
    rest = iter(keys)
    while chunk := list(islice(rest, size)):
        yield chunk
