"""Pattern reads: an access pattern, compiled for one repository. There is one module for each kind of read:

    get_read         Get, Find       one item by its key, or through an index
    page_read        Query, Scan     one page of items
    batch_get_read   BatchGet        many items by their keys
    nearest_read     Nearest         the items with the nearest vectors

Expired items are left out, deleted or not, unless the caller includes them. An item that is not what the pattern
returns is never dropped: a page lists it under `unknown`; a read of one entity raises it.

The request of a pattern is compiled once, without its values, and filled in for every run.
"""

from abc import ABC, abstractmethod
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar

from tablewright.access.condition_text import Aliases
from tablewright.access.context import Context
from tablewright.access.cursors import damaged
from tablewright.access.items.decoding import is_expired, unknown_item
from tablewright.access.items.footprint import is_dependent
from tablewright.access.items.item_values import key_text, key_value, to_attribute
from tablewright.access.items.unique_locks import is_lock, lock_in
from tablewright.access.items.vault import lookup_values, run_with_keys
from tablewright.access.procedures import Procedure
from tablewright.access.reads.pages import PageBuilder
from tablewright.design.fields.markers import Hashed
from tablewright.design.fields.masking import MASK
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.compared_values import ValueMismatch, checked_value
from tablewright.design.patterns import Pattern
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.plans import Plan, projected_attributes
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.errors import KeyValueError, SecretError, UnknownItem, UsageError, ValueNotStorable

OPERATIONS = {
    "get": "GetItem",
    "find": "Query",
    "query": "Query",
    "scan": "Scan",
    "batch": "BatchGetItem",
    "nearest": "SearchVectors",
}


class CompiledRequest:
    """The request of a plan. `projected` reads only the pattern's `fields` and what decoding needs."""

    def __init__(self, plan: Plan, table_name: str, *, projected: bool = False) -> None:
        self.plan = plan
        self.table_name = table_name
        self.operation = OPERATIONS[plan.kind]
        self._is_text = all(plan.table.type_of(clause.attribute) == "S" for clause in plan.clauses)
        self._aliases = Aliases()
        self._keys: tuple[tuple[str, str, Template], ...] = tuple(
            (clause.attribute, clause.attribute, clause.templates[0]) for clause in plan.clauses
        )
        self._filter = plan.filter
        self._constants: Item = {}
        self.prefix: tuple[str, str] | None = None
        """The attribute of a `begins_with`, and the slot of its text in `ExpressionAttributeValues`."""
        self._fixed: dict[str, str] = {}
        """The slots of the key attributes that the key condition fixes with `=`."""
        self._base: dict[str, Any] = {"TableName": table_name}
        if plan.kind in ("find", "query", "scan"):
            self._compile_range()
        if plan.pattern.consistent:
            self._base["ConsistentRead"] = True
        # An upcast may need attributes of an older version that are not fields today, so such entities are read whole.
        if projected and plan.pattern.fields and not any(layout.upcasts for layout in plan.layouts):
            self._base["ProjectionExpression"] = ", ".join(
                map(self._aliases.name, projected_attributes(plan))
            )
        self._base |= self._aliases.members()
        if self._filter is not None:
            names = self._base.get("ExpressionAttributeNames", {})
            self._base["ExpressionAttributeNames"] = {**names, **self._filter.names}

    @property
    def has_filter(self) -> bool:
        """Whether a page may hold fewer items than were read."""
        return self._filter is not None

    def request(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request for one item, or for the first page of many."""
        if self.operation == "GetItem":
            return {**self._base, "Key": self.key(values)}
        filled = self._values(values)
        if filled:
            return {**self._base, "ExpressionAttributeValues": filled}
        return dict(self._base)

    def batch(self, keys: list[Item]) -> dict[str, Any]:
        """Return the request for many items by their keys."""
        rest = {name: member for name, member in self._base.items() if name != "TableName"}
        return {
            "RequestItems": {self.table_name: {"Keys": keys, **rest}},
            "ReturnConsumedCapacity": "TOTAL",
        }

    def key(self, values: Mapping[str, Any]) -> Item:
        """Return the primary key of the item that has these values."""
        if self._is_text:
            table = self.plan.table
            try:
                return {
                    name: {"S": key_text(table, name, template, values)} for name, _, template in self._keys
                }
            except KeyValueError as error:
                raise KeyValueError(f"{self.plan.name}: {error}") from None
        return {name: self._key(attribute, template, values) for name, attribute, template in self._keys}

    def bound(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the part of a request that a cursor is bound to: without the parameters that it ignores."""
        if not self._ignored_slots:
            return request
        values = request["ExpressionAttributeValues"]
        kept = {slot: value for slot, value in values.items() if slot not in self._ignored_slots}
        return {**request, "ExpressionAttributeValues": kept}

    @cached_property
    def _ignored_slots(self) -> frozenset[str]:
        ignored = set(self.plan.pattern.cursor_ignores)
        slots = {slot for slot, _, template in self._keys if ignored & set(template.names)}
        return frozenset({*slots, *(f":{name}" for name in ignored)})

    @cached_property
    def open_attributes(self) -> tuple[str, ...]:
        """The key attributes of the items that the key condition does not fix: they determine a position."""
        index = self.plan.index
        names = dict.fromkeys((*(index.key if index else ()), *self.plan.table.key))
        return tuple(name for name in names if name not in self._fixed)

    def position(self, key: Item) -> list[str]:
        """Return the position after the item with this key, for a cursor."""
        return [_as_text(key[name]) for name in self.open_attributes]

    def start_key(self, request: Mapping[str, Any], position: object) -> Item:
        """Return the key at a position. The attributes that the key condition fixes come from the request."""
        names = self.open_attributes
        if not isinstance(position, list) or len(position) != len(names):
            raise damaged()
        types = self.plan.table.type_of
        key = {name: _from_text(types(name), text) for name, text in zip(names, position, strict=True)}
        return key | {name: request["ExpressionAttributeValues"][slot] for name, slot in self._fixed.items()}

    def _values(self, values: Mapping[str, Any]) -> Item:
        filled = {alias: self._key(attribute, template, values) for alias, attribute, template in self._keys}
        filled |= self._constants
        for name in self._filter.parameters if self._filter else ():
            if values[name] is None:
                raise ValueNotStorable(
                    f"{self.plan.name}: {name} is None, and the filter compares with it; pass a value"
                )
            filled[f":{name}"] = self._operand(name, values[name])
        return filled

    def _key(self, attribute: str, template: Template, values: Mapping[str, Any]) -> AttributeValue:
        try:
            return key_value(self.plan.table, attribute, template, values)
        except KeyValueError as error:
            raise KeyValueError(f"{self.plan.name}: {error}") from None

    def _operand(self, name: str, value: Any) -> AttributeValue:
        for comparison in self._filter.comparisons if self._filter else ():
            if comparison.parameter == name:
                try:
                    value = checked_value(comparison.annotation, value, comparison.use)
                except ValueMismatch as error:
                    raise ValueNotStorable(f"{self.plan.name}.{name}: {comparison.field} {error}") from None
        try:
            return to_attribute(value)
        except ValueNotStorable as error:
            raise ValueNotStorable(f"{self.plan.name}.{name}: {error}") from None

    def _compile_range(self) -> None:
        plan, pattern = self.plan, self.plan.pattern
        if plan.index is not None:
            self._base["IndexName"] = plan.index.name
        if plan.clauses:
            self._keys = ()
            clauses = [self._clause(clause) for clause in plan.clauses]
            self._base["KeyConditionExpression"] = " AND ".join(clauses)
        if pattern.descending:
            self._base["ScanIndexForward"] = False
        if plan.filter is not None:
            self._base["FilterExpression"] = plan.filter.expression
            self._constants = {alias: to_attribute(value) for alias, value in plan.filter.values.items()}
        self._base["ReturnConsumedCapacity"] = "TOTAL"

    def _clause(self, clause: KeyClause) -> str:
        name = self._aliases.name(clause.attribute)
        slots = []
        for template in clause.templates:
            slots.append(f":{len(self._keys)}")
            self._keys += ((slots[-1], clause.attribute, template),)
        match clause.operator:
            case "begins_with":
                self.prefix = (clause.attribute, slots[0])
                return f"begins_with({name}, {slots[0]})"
            case "BETWEEN":
                return f"{name} BETWEEN {slots[0]} AND {slots[1]}"
            case _:
                if clause.operator == "=":
                    self._fixed[clause.attribute] = slots[0]
                return f"{name} {clause.operator} {slots[0]}"


def _as_text(value: AttributeValue) -> str:
    ((kind, content),) = value.items()
    return b64encode(content).decode() if kind == "B" else str(content)


def _from_text(kind: str, text: object) -> AttributeValue:
    if not isinstance(text, str):
        raise damaged()
    try:
        return {kind: b64decode(text, validate=True) if kind == "B" else text}
    except (NotBase64, ValueError):
        raise damaged() from None


Make = Callable[[Item], Any]
"""Makes the value that a read returns from an item: an entity or a row."""


class PatternRead(ABC):
    """One access pattern in one repository."""

    kind: ClassVar[str]
    """The name of the pattern's class, for messages."""
    compiler: ClassVar[type[CompiledRequest]] = CompiledRequest

    def __init__(self, plan: Plan, context: Context, make: Make, *, projected: bool = False) -> None:
        self.plan = plan
        for layout in plan.layouts:
            context.require(layout)
        self.compiled = self.compiler(plan, context.table_name(plan.table), projected=projected)
        self._context = context
        self._make = make
        self._hashed = next((layout for layout in plan.layouts if layout.marked(Hashed)), None)
        self._secret = tuple(layout for layout in plan.layouts if layout.secrets)
        self._has_chosen_locks = any(layout.locks for layout in plan.layouts)
        self._may_expire = plan.table.ttl is not None
        self._reads_copies = any(plan.reads_copies(layout) for layout in plan.layouts)

    def run(
        self,
        pattern: Any,  # an instance of the class that it was compiled from
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Procedure[Any]:
        """Read once; return an entity or None, or a page."""
        if self._secret:
            return run_with_keys(lambda: self._begin(pattern, limit, cursor, include_expired))
        return self._begin(pattern, limit, cursor, include_expired)

    @abstractmethod
    def _begin(
        self, pattern: Pattern[Any], limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Any]:
        """Begin the read; a vault that lacks a key raises `KeyNeeded` before the first effect."""

    def request(self, pattern: Pattern[Any]) -> dict[str, Any]:
        """Return the first request of a run, to be shown: values that are looked up by their hash are masked."""
        return self.compiled.request(self._masked(pattern.__dict__))

    def expected_items(self, pattern: Pattern[Any], limit: int | None) -> int:
        """Return how many items a run is expected to read."""
        return 1

    def _require_no_paging(self, limit: int | None, cursor: str | None) -> None:
        if limit is not None or cursor is not None:
            surplus = "limit" if limit is not None else "cursor"
            raise UsageError(f"{self.plan.name} is a {self.kind} and has no pages; leave out {surplus}")

    def _values(self, pattern: Pattern[Any]) -> Mapping[str, Any]:
        return pattern.__dict__ if self._hashed is None else self._looked_up(pattern.__dict__)

    def _looked_up(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        return values if self._hashed is None else lookup_values(self._context.vault, self._hashed, values)

    def _masked(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        secrets = self._hashed.secrets if self._hashed else frozenset()
        return {name: MASK if name in secrets else value for name, value in values.items()}

    def _fetch_keys(self, items: Iterable[Item]) -> Procedure[None]:
        """Fetch the data keys of all items together, before the items are decrypted one by one."""
        if self._secret:
            yield from self._context.vault.prepare(
                (layout, item) for item in items for layout in self._secret
            )

    def add_all(self, items: Iterable[Item], builder: PageBuilder, include_expired: bool) -> None:
        """Decode the items that the read returns, and add them to a page."""
        is_returned, add = self.is_returned, self.add
        for item in items:
            if is_returned(item, include_expired):
                add(item, builder)

    def add(self, item: Item, builder: PageBuilder) -> None:
        """Decode an item and add it to a page."""
        try:
            builder.items.append(self._make(item))
        except UnknownItem as error:
            builder.unknown.append(error)
        except SecretError as error:
            builder.unknown.append(unknown_item(self.plan.table, item, f"cannot be decrypted: {error}"))

    def is_returned(self, item: Item, include_expired: bool) -> bool:
        """Whether a read returns an item: never a lock, a copy only when the pattern reads by the copy's keys."""
        if is_dependent(item) and (not self._reads_copies or is_lock(self.plan.table, item)):
            return False
        if self._has_chosen_locks and lock_in(self.plan.layouts, item):
            return False
        return include_expired or not self._may_expire or self._is_live(item)

    def _is_live(self, item: Item) -> bool:
        return not is_expired(self.plan.table, item, self._context.now())
