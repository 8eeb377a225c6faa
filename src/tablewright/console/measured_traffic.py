"""Measured traffic: how often patterns run and entities are written on an embedded engine, by units and by key.

Measuring is off until it is started. It sees all requests of this process, those of the console included.

A request carries no name. It is matched by its table, index, key condition and filter; of several patterns whose keys
match, those with the most literal text in their templates. Patterns that send the same request are named together.
"""

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from tablewright.connections import Embedded
from tablewright.console.key_parts import key_parts
from tablewright.design.designs import Design
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import LOCK, KeyLayout, Layout
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.plans import Plan
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import AttributeValue, Item

if TYPE_CHECKING:
    from tablewright.connections.embedded import ObservedRequest

Operands = tuple[str, tuple[AttributeValue, ...]]
"""An operator of a key condition, and the values that it compares with."""

_CLAUSE = re.compile(
    r"begins_with\s*\(\s*(?P<prefixed>#?\w+)\s*,\s*(?P<prefix>:\w+)\s*\)"
    r"|(?P<ranged>#?\w+)\s+BETWEEN\s+(?P<low>:\w+)\s+AND\s+(?P<high>:\w+)"
    r"|(?P<compared>#?\w+)\s*(?P<operator><=|>=|=|<|>)\s*(?P<value>:\w+)",
    re.IGNORECASE,
)
_NAME = re.compile(r"#\w+")


@dataclass(frozen=True, slots=True)
class RequestUse:
    """The part of a request that reads or writes one key, or one partition."""

    kind: Literal["read", "write"]
    names: tuple[str, ...]
    """The patterns that it may be of, or the entity that it writes; empty if the design has none."""
    table: str
    index: str | None
    partition: tuple[str, ...] | None
    """The partition key as texts; None for a scan."""
    units: float
    is_main: bool = True
    """Whether it counts as one run or write; the writes of copies and locks belong to that of their entity."""


class RequestUses:
    """Finds the uses of requests to the tables of a design."""

    def __init__(self, design: Design, tables: Mapping[str, Table]) -> None:
        self._tables = tables
        self._layouts = {
            name: [entity.layout for entity in design.entities_of(table)] for name, table in tables.items()
        }
        self._plans = {
            name: [plan for plan in design.plans if plan.table is table] for name, table in tables.items()
        }

    def of(self, observed: "ObservedRequest") -> list[RequestUse]:
        """Return the uses of a request, in which its capacity is divided evenly by table."""
        # The capacity of a vector search is in bytes, and names no table.
        units = [used for used in observed.capacity if "TableName" in used]
        capacity = {used["TableName"]: float(used["CapacityUnits"]) for used in units}
        tables = [(table, list(parts)) for table, parts in _by_table(observed) if table in self._tables]
        return [
            use
            for table, parts in tables
            for operation, part in parts
            for use in self._uses(table, operation, part, capacity.get(table, 0.0) / len(parts))
        ]

    def _uses(
        self, table: str, operation: str, part: Mapping[str, Any], units: float
    ) -> Iterator[RequestUse]:
        if operation in ("Query", "Scan"):
            yield self._range(table, part, units)
        elif operation == "Get":
            names = self._names_of_key(table, part["Key"])
            yield RequestUse("read", names, table, None, self._partition(table, None, part["Key"]), units)
        else:
            item: Item = part.get("Item") or part["Key"]
            names, is_main = self._entity(table, item)
            partition = self._partition(table, None, item)
            yield RequestUse("write", names, table, None, partition, units, is_main)

    def _range(self, table: str, request: Mapping[str, Any], units: float) -> RequestUse:
        index = request.get("IndexName")
        conditions = _conditions(request)
        plans = [
            plan
            for plan in self._plans[table]
            if plan.kind in ("query", "find", "scan")
            and (plan.index.name if plan.index else None) == index
            and _filter_of(plan) == _resolved(request, "FilterExpression")
            and {clause.attribute for clause in plan.clauses} == conditions.keys()
        ]
        fits = {plan.name: _fits(plan.clauses, conditions) for plan in _of_same_form(plans, request)}
        names = _best(fits)
        equal = {name: values[0] for name, (operator, values) in conditions.items() if operator == "="}
        return RequestUse("read", names, table, index, self._partition(table, index, equal), units)

    def _names_of_key(self, table: str, key: Item) -> tuple[str, ...]:
        conditions: dict[str, Operands] = {name: ("=", (value,)) for name, value in key.items()}
        plans = [plan for plan in self._plans[table] if plan.kind in ("get", "batch")]
        return _best({plan.name: _fits(plan.clauses, conditions) for plan in plans})

    def _entity(self, table: str, item: Item) -> tuple[tuple[str, ...], bool]:
        """Return the entity that an item or its key is of, and whether it is its main item."""
        declared = self._tables[table]
        partition = _text(item.get(declared.partition, {}))
        layouts = self._layouts[table]
        if partition.startswith(f"{LOCK}#"):
            owner = partition.split("#")[1]
            owners = [
                candidate
                for candidate in layouts
                if owner in (candidate.type_name, candidate.entity.__name__)
            ]
            return tuple(owner_layout.entity.__name__ for owner_layout in owners[:1]), False
        fits: dict[tuple[str, bool], int | None] = {}
        for layout, key, is_main in _written_keys(layouts):
            fits[layout.entity.__name__, is_main] = _fits_key(key, item)
        best = _best(fits)
        type_name = item.get(declared.discriminator, {}).get("S")
        typed = [candidate for candidate in best if _type_of(layouts, candidate[0]) == type_name]
        chosen = (typed or best)[:1]
        return tuple(name for name, _ in chosen), all(is_main for _, is_main in chosen)

    def _partition(self, table: str, index: str | None, item: Item) -> tuple[str, ...] | None:
        declared = self._tables[table]
        declared_index = next((candidate for candidate in declared.indexes if candidate.name == index), None)
        attributes = declared_index.partition if declared_index else (declared.partition,)
        if not all(attribute in item for attribute in attributes):
            return None
        return tuple(_text(item[attribute]) for attribute in attributes)


def _text(value: Mapping[str, Any]) -> str:
    return str(next(iter(value.values()), ""))


def _by_table(observed: "ObservedRequest") -> Iterator[tuple[str, Iterable[tuple[str, Mapping[str, Any]]]]]:
    """Return the parts of a request by table: each an operation on one key, or a query or scan."""
    request, operation = observed.request, observed.operation
    single = {"GetItem": "Get", "PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete"}
    if operation in ("Query", "Scan") or operation in single:
        yield request["TableName"], [(single.get(operation, operation), request)]
    elif operation == "BatchGetItem":
        for table, requested in request["RequestItems"].items():
            yield table, [("Get", {"Key": key}) for key in requested["Keys"]]
    elif operation == "BatchWriteItem":
        for table, writes in request["RequestItems"].items():
            yield (
                table,
                [(kind.removesuffix("Request"), part) for write in writes for kind, part in write.items()],
            )
    elif operation in ("TransactGetItems", "TransactWriteItems"):
        parts: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
        for item in request["TransactItems"]:
            for kind, part in item.items():
                parts.setdefault(part["TableName"], []).append((kind, part))
        yield from parts.items()


def _conditions(request: Mapping[str, Any]) -> dict[str, Operands]:
    """Return the clauses of a key condition, by attribute."""
    names, values = (
        request.get("ExpressionAttributeNames") or {},
        request.get("ExpressionAttributeValues") or {},
    )
    conditions: dict[str, Operands] = {}
    for match in _CLAUSE.finditer(request.get("KeyConditionExpression") or ""):
        if match["prefixed"]:
            name, operator, slots = match["prefixed"], "begins_with", [match["prefix"]]
        elif match["ranged"]:
            name, operator, slots = match["ranged"], "BETWEEN", [match["low"], match["high"]]
        else:
            name, operator, slots = match["compared"], match["operator"], [match["value"]]
        conditions[str(names.get(name, name))] = str(operator), tuple(values.get(slot, {}) for slot in slots)
    return conditions


def _resolved(request: Mapping[str, Any], member: str) -> str:
    """Return an expression with the names of its attributes instead of their aliases."""
    names = request.get("ExpressionAttributeNames") or {}
    return _NAME.sub(lambda match: str(names.get(match[0], match[0])), request.get(member) or "")


def _of_same_form(plans: Sequence[Plan], request: Mapping[str, Any]) -> Sequence[Plan]:
    """Return the plans that read in the same order, and as few attributes as a request, if there are some."""
    descends, projects = request.get("ScanIndexForward") is False, "ProjectionExpression" in request
    for is_alike in (
        lambda plan: plan.pattern.descending == descends,
        lambda plan: bool(plan.pattern.fields) == projects,
    ):
        plans = [plan for plan in plans if is_alike(plan)] or plans
    return plans


def _filter_of(plan: Plan) -> str:
    if plan.filter is None:
        return ""
    named = {"ExpressionAttributeNames": plan.filter.names, "FilterExpression": plan.filter.expression}
    return _resolved(named, "FilterExpression")


def _fits(clauses: Iterable[KeyClause], conditions: Mapping[str, Operands]) -> int | None:
    """Return how much literal text of the templates the values have; None if they do not match."""
    literal = 0
    for clause in clauses:
        operator, values = conditions.get(clause.attribute, ("", ()))
        if operator != clause.operator or len(values) != len(clause.templates):
            return None
        for template, value in zip(clause.templates, values, strict=True):
            fit = _fits_template(template, value)
            if fit is None:
                return None
            literal += fit
    return literal


def _fits_key(key: KeyLayout, item: Item) -> int | None:
    fits = [_fits_template(template, item.get(attribute, {})) for attribute, template in key.parts]
    return None if any(fit is None for fit in fits) else sum(fit or 0 for fit in fits)


def _fits_template(template: Template, value: Mapping[str, Any]) -> int | None:
    if not value:
        return None
    parts = key_parts(template, _text(value))
    return None if parts is None else sum(len(part["text"]) for part in parts if part["field"] is None)


def _best(fits: Mapping[Any, int | None]) -> tuple[Any, ...]:
    known = {name: fit for name, fit in fits.items() if fit is not None}
    most = max(known.values(), default=0)
    return tuple(name for name, fit in known.items() if fit == most)


def _written_keys(layouts: Iterable[Layout]) -> Iterator[tuple[Layout, KeyLayout, bool]]:
    for layout in layouts:
        yield layout, layout.primary, True
        for copy in layout.copies:
            yield layout, copy.primary, False
        for lock in layout.locks:
            yield layout, lock.key, False


def _type_of(layouts: Iterable[Layout], name: str) -> str | None:
    return next((layout.type_name for layout in layouts if layout.entity.__name__ == name), None)


MAX_KEYS = 4_000
"""The most partition keys that are counted; beyond, the half with the fewest units is forgotten."""
THROTTLED = ("ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded")


@dataclass
class Measured:
    """The counts of a pattern, of an entity's writes, or of a partition key."""

    requests: int = 0
    read: float = 0.0
    write: float = 0.0
    throttled: int = 0

    def add(self, use: RequestUse, *, is_throttled: bool) -> None:
        """Add one use."""
        self.requests += use.is_main
        self.throttled += is_throttled
        if use.kind == "read":
            self.read += use.units
        else:
            self.write += use.units

    def as_data(self) -> dict[str, Any]:
        """Return the counts for the page."""
        return {
            "requests": self.requests,
            "read": self.read,
            "write": self.write,
            "throttled": self.throttled,
        }


Key = tuple[str, str | None, tuple[str, ...]]
"""A table, an index or None, and the values of the partition key."""


@dataclass
class TrafficCounts:
    """All counts since the start of a measurement."""

    since: float = 0.0
    requests: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    reads: dict[tuple[str, ...], Measured] = field(default_factory=dict)
    """By the patterns that a request may be of; () is those of no pattern."""
    writes: dict[tuple[str, ...], Measured] = field(default_factory=dict)
    keys: dict[Key, Measured] = field(default_factory=dict)


class MeasuredTraffic:
    """Measures the requests to the tables of one design."""

    def __init__(
        self, design: Design, tables: Mapping[str, Table], now: Callable[[], float] = time.time
    ) -> None:
        self._uses = RequestUses(design, tables)
        self._now = now
        self._lock = threading.Lock()
        self._end: Callable[[], None] | None = None
        self._ended_at: float | None = None
        self.counts = TrafficCounts()

    @property
    def is_measuring(self) -> bool:
        """Whether requests are counted at present."""
        return self._end is not None

    @property
    def seconds(self) -> float:
        """The length of the measurement."""
        if not self.counts.since:
            return 0.0
        return max(0.0, (self._ended_at or self._now()) - self.counts.since)

    def start(self, connection: Embedded) -> None:
        """Start a new measurement; the counts of the last one are dropped."""
        self.stop()
        with self._lock:
            self.counts = TrafficCounts(since=self._now())
            self._ended_at = None
            self._end = connection.observe(self.observe)

    def stop(self) -> None:
        """End the measurement; the counts are kept."""
        with self._lock:
            if self._end is not None:
                self._end()
                self._end, self._ended_at = None, self._now()

    def observe(self, observed: "ObservedRequest") -> None:
        """Count one request."""
        if observed.error is not None and observed.error not in THROTTLED:
            with self._lock:
                self.counts.errors[observed.error] = self.counts.errors.get(observed.error, 0) + 1
            return
        uses = self._uses.of(observed)
        if not uses:
            return
        is_throttled = observed.error is not None
        with self._lock:
            self.counts.requests += 1
            for use in uses:
                self._count(use, is_throttled=is_throttled)

    def _count(self, use: RequestUse, *, is_throttled: bool) -> None:
        counts = self.counts
        named = counts.reads if use.kind == "read" else counts.writes
        named.setdefault(use.names, Measured()).add(use, is_throttled=is_throttled)
        if use.partition is not None:
            key = (use.table, use.index, use.partition)
            counts.keys.setdefault(key, Measured()).add(use, is_throttled=is_throttled)
            if len(counts.keys) > MAX_KEYS:
                kept = sorted(counts.keys, key=lambda counted: -_units(counts.keys[counted]))[: MAX_KEYS // 2]
                counts.keys = {counted: counts.keys[counted] for counted in kept}

    def hottest(self, count: int) -> list[tuple[Key, Measured]]:
        """Return the partition keys with the most units."""
        with self._lock:
            return sorted(self.counts.keys.items(), key=lambda pair: -_units(pair[1]))[:count]

    def copied(self) -> TrafficCounts:
        """Return the counts of this time."""
        with self._lock:
            now = self.counts
            return TrafficCounts(
                now.since, now.requests, dict(now.errors), dict(now.reads), dict(now.writes), dict(now.keys)
            )


def _units(measured: Measured) -> float:
    return measured.read / 3 + measured.write
