"""Work on whole pages of an embedded database: read a page, plan its items, and write them in one commit.

Planning runs concurrently with other writers. The commit replaces each item only if it and the items that its plan has
read are stored as they were read. Whatever is unusual is left to the work on single items, which decides it as on any
other connection: items that changed meanwhile, items that are rejected, and actions that are not plain replacements.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeAlias

from tablewright.access.context import Context
from tablewright.access.items.vault import run_with_keys
from tablewright.access.procedures import Call, Effect, Procedure, Reply, advance
from tablewright.access.writes.actions import ItemAbsent, ItemEdit, Unconditional, WriteAction
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.item_rewrites import PlanItem
from tablewright.connections.bulk import (
    ANYTHING,
    Anything,
    BulkAccess,
    KeyedItem,
    Replaced,
    Replacement,
    StoredTable,
    Watch,
)
from tablewright.design.tables import Table
from tablewright.dynamodb.limits import MAX_TRANSACTION
from tablewright.dynamodb.values.attributes import Item, admit_item
from tablewright.dynamodb.values.stored_items import StoredItem, shared_item
from tablewright.errors import LostConnection, ServiceError, TablewrightError, ValidationError
from tablewright.lifecycle.traversal.checkpoint_records import PassSegment

Planner: TypeAlias = Callable[[Item], PlanItem | None]
"""Returns the function that plans an item; None for an item that stays as it is."""

LARGEST_PAGE = 200
_SMALLEST_PAGE = 50
_LONG_COMMIT = 0.03
"""Seconds: other writers wait for a commit, so pages become smaller when one takes longer."""
_SHORT_COMMIT = 0.015


class _Unusual(Exception):
    """The item is left to the work on single items."""


class _RowPlan:
    """The plan of one row, while it is made."""

    __slots__ = ("_procedure", "actions", "reads", "reply", "request", "row", "wanted")

    def __init__(self, row: KeyedItem, procedure: Procedure[Sequence[WriteAction]]) -> None:
        self._procedure = procedure
        self.row = row
        self.reply: Reply | Exception | None = None
        """The reply to the last effect."""
        self.actions: Sequence[WriteAction] | None = None
        """The planned actions; None until the plan is made, and when the row cannot be planned here."""
        self.request: Mapping[str, Any] = {}
        """The items to read next, by table."""
        self.wanted: Mapping[str, Sequence[bytes]] = {}
        """Their keys."""
        self.reads: dict[tuple[str, bytes], bytes | None] = {}
        """The stored bytes of the items that the plan has read, by table and key."""

    def advance(self) -> Effect | None:
        """Continue the plan; return its next effect, or None when it is made or has failed."""
        try:
            return advance(self._procedure, self.reply)
        except StopIteration as end:
            self.actions = end.value
        except (ItemRejected, TablewrightError):
            pass
        return None


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page of items, planned."""

    seen: int
    """The number of rows."""
    groups: Sequence[tuple[KeyedItem, Sequence[Replacement]]]
    """The rows to replace."""
    unusual: Sequence[KeyedItem]
    """The rows that are left to the work on single items."""
    after: Item | None
    """The key of the last row; None at the end of the segment."""
    units: float


class PagePlanners(Protocol):
    """Other processes that read and plan pages."""

    count: int
    """How many pages they plan at the same time."""

    def plan(self, segment: PassSegment, segments: int, limit: int) -> PlannedPage | None:
        """Return a planned page of a segment; None when it has to be planned in this process."""


@dataclass(slots=True)
class BulkPages:
    """Reads, plans and writes pages of one table."""

    access: BulkAccess
    context: Context
    table: Table
    planner: Planner
    is_local: bool
    """Whether the plan of an item depends on the item and its copies and locks only."""
    watch: Watch | None = None
    limit: int = LARGEST_PAGE
    planners: PagePlanners | None = None
    """Other processes that plan pages."""
    _tables: dict[str, StoredTable] = field(default_factory=dict)

    @property
    def workers(self) -> int:
        """The segments to work on at the same time: more than one only helps if other processes plan."""
        return 1 if self.planners is None else self.planners.count

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Collect the keys that other writers write during the block, if all writers are in this process."""
        if self.is_local:
            self.watch = self.access.watch(self.access.table(self.context.table_name(self.table)))
        try:
            yield
        finally:
            if self.watch is not None:
                self.access.unwatch(self.watch)

    def plan(self, segment: PassSegment, segments: int) -> Procedure[PlannedPage]:
        """Read a page of a segment, and plan its items, in another process if there is one."""
        planned = None if self.planners is None else self.planners.plan(segment, segments, self.limit)
        if planned is None:
            planned = yield from self.plan_here(segment, segments)
        return planned

    def plan_here(self, segment: PassSegment, segments: int) -> Procedure[PlannedPage]:
        """Read a page of a segment, and plan its items, in this process."""
        self._tables = {}  # a table may get an index while it is migrated
        stored = self._stored(self.context.table_name(self.table))
        page = self.access.page(stored, (segment.number, segments), segment.after, self.limit)
        groups: list[tuple[KeyedItem, Sequence[Replacement]]] = []
        unusual: list[KeyedItem] = []
        started = ((row, self._started(row)) for row in page.rows)
        plans = [_RowPlan(row, procedure) for row, procedure in started if procedure is not None]
        yield from self._run(plans)
        for plan in plans:
            try:
                if group := self._group(plan):
                    groups.append((plan.row, group))
            except _Unusual:
                unusual.append(plan.row)
        after = None if page.is_last else self.key_of(page.rows[-1])
        return PlannedPage(len(page.rows), groups, unusual, after, page.units)

    def write(
        self, groups: Sequence[Sequence[Replacement]], first: tuple[str, dict[str, Any]] | None = None
    ) -> Replaced:
        """Write planned groups in one commit; `first` is a request that is executed with it."""
        done = self.access.replace(groups, first, self.watch)
        if done.seconds > _LONG_COMMIT:
            self.limit = max(self.limit // 2, _SMALLEST_PAGE)
        elif done.seconds < _SHORT_COMMIT:
            self.limit = min(self.limit * 2, LARGEST_PAGE)
        return done

    def rows(self, keys: Sequence[bytes]) -> list[KeyedItem]:
        """Return the items that are stored under some keys."""
        stored = self._stored(self.context.table_name(self.table))
        pairs = zip(keys, self.access.get(stored, keys), strict=True)
        return [KeyedItem(key, item) for key, item in pairs if item is not None]

    def count(self) -> int:
        """Return the number of items of the table."""
        return self.access.count(self.access.table(self.context.table_name(self.table)))

    def key_of(self, row: KeyedItem) -> Item:
        """Return the key of a row as an item."""
        item = self.item_of(row)
        return {name: item[name] for name in self.table.key}

    def item_of(self, row: KeyedItem) -> Item:
        """Return the item of a row; do not change it."""
        return shared_item(row.item)

    def _stored(self, name: str) -> StoredTable:
        tables = self._tables
        table = tables.get(name)
        if table is None:
            table = tables[name] = self.access.table(name)
        return table

    def _started(self, row: KeyedItem) -> Procedure[Sequence[WriteAction]] | None:
        """The procedure that plans an item; None for an item that stays as it is."""
        item = self.item_of(row)
        plan = self.planner(item)
        return None if plan is None else run_with_keys(partial(plan, item))

    def _run(self, plans: Sequence["_RowPlan"]) -> Procedure[None]:
        """Run the plans of a page in step, so that the items that they need are read together."""
        while plans:
            reading: list[_RowPlan] = []
            for plan in plans:
                while (effect := plan.advance()) is not None:
                    if isinstance(effect, Call) and effect.operation == "BatchGetItem":
                        reading.append(plan)
                        plan.request = effect.request["RequestItems"]
                        break
                    try:
                        plan.reply = yield effect
                    except (ServiceError, LostConnection) as error:
                        plan.reply = error
            self._read(reading)
            plans = reading

    def _read(self, plans: Sequence["_RowPlan"]) -> None:
        """Give plans the items that they need, read from the database directly, and their stored bytes."""
        keys: dict[str, list[bytes]] = {}
        for plan in plans:
            plan.wanted = {name: self._keys(name, asked["Keys"]) for name, asked in plan.request.items()}
            for name, listed in plan.wanted.items():
                keys.setdefault(name, []).extend(listed)
        rows = {name: iter(self.access.get(self._stored(name), listed)) for name, listed in keys.items()}
        for plan in plans:
            responses = {}
            for name, listed in plan.wanted.items():
                items = [(key, next(rows[name])) for key in listed]
                plan.reads.update({(name, key): None if item is None else item.raw for key, item in items})
                responses[name] = [shared_item(item) for _, item in items if item is not None]
            plan.reply = {"Responses": responses, "UnprocessedKeys": {}}

    def _keys(self, name: str, keys: Sequence[Item]) -> list[bytes]:
        table = self._stored(name)
        return [table.keys.of_key(admit_item(key)[0]) for key in keys]

    def _group(self, plan: "_RowPlan") -> Sequence[Replacement]:
        """The replacements that an item needs; none for an item that stays as it is."""
        if plan.actions is None or len(plan.actions) > MAX_TRANSACTION:
            raise _Unusual
        group = [self._replacement(plan.row, action, plan.reads) for action in plan.actions]
        if len(group) > 1 and len({(replacement.table.name, replacement.key) for replacement in group}) < len(
            group
        ):
            raise _Unusual
        return group

    def _replacement(
        self, row: KeyedItem, action: WriteAction, reads: dict[tuple[str, bytes], bytes | None]
    ) -> Replacement:
        name = self.context.table_name(action.table)
        table = self._stored(name)
        try:
            if action.edit is not None:
                return Replacement(table, row.key, row.item.raw, self._updated(row, action.edit, table))
            made = None if action.item is None else self.access.stored(table, action.item)
            key = table.keys.of_key(admit_item(action.key)[0]) if made is None else made.key
        except ValidationError:
            raise _Unusual from None
        expected: bytes | Anything | None
        if key == row.key and action.table is self.table:
            expected = row.item.raw
        elif (name, key) in reads:
            expected = reads[name, key]
        elif isinstance(action.precondition, ItemAbsent):
            expected = None
        elif isinstance(action.precondition, Unconditional):
            expected = ANYTHING
        else:
            raise _Unusual
        return Replacement(table, key, expected, made and made.item, action.kind == "ConditionCheck")

    def _updated(self, row: KeyedItem, edit: ItemEdit, table: StoredTable) -> StoredItem:
        """The item that an update leaves; migrations update the item that they have read, and no other."""
        if edit.increase or edit.join or edit.versions or edit.paths:
            raise _Unusual
        return self.access.updated(table, row.item, edit.set, edit.remove)
