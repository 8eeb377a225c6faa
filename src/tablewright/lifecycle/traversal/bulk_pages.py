"""Work on whole pages of an embedded database: read a page, plan its items, and write them in one commit.

Planning runs beside other writers. The commit replaces each item only if it and the items that its plan has read are
stored as they were read. Whatever is unusual is left to the work on single items, which decides it as on any other
connection: items that changed meanwhile, items that are rejected, and actions that are not plain replacements.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeAlias

from tablewright.access.calls.procedures import Call, Procedure, Reply, advance
from tablewright.access.context import Context
from tablewright.access.items.vault import run_with_keys
from tablewright.access.writes.actions import Action, Edit
from tablewright.access.writes.conditional_write import PlanItem
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.execute import MOST_ACTIONS
from tablewright.access.writes.preconditions import ItemAbsent, Unconditional
from tablewright.connections.bulk import (
    ANYTHING,
    Anything,
    BulkAccess,
    Replaced,
    Replacement,
    Row,
    StoredTable,
    Watch,
)
from tablewright.design.tables.tables import Table
from tablewright.errors import LostConnection, ServiceError, TablewrightError, ValidationError
from tablewright.lifecycle.traversal.checkpoint_records import Segment
from tablewright.values.attributes import Item, admit_item
from tablewright.values.stored_items import StoredItem, shared_item

Planner: TypeAlias = Callable[[Item], PlanItem | None]
"""Returns the function that plans an item; None for an item that stays as it is."""

LARGEST_PAGE = 200
_SMALLEST_PAGE = 50
_LONG_COMMIT = 0.03
"""Seconds: other writers wait for a commit, so pages become smaller when one takes longer."""
_SHORT_COMMIT = 0.015


class _Unusual(Exception):
    """The item is left to the work on single items."""


class _Same:
    """The item stays as it is."""


_SAME: Final = _Same()


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page of items, planned."""

    rows: Sequence[Row]
    groups: Sequence[tuple[Row, Sequence[Replacement]]]
    """The rows to replace."""
    unusual: Sequence[Row]
    """The rows that are left to the work on single items."""
    after: Item | None
    """The key of the last row; None at the end of the segment."""
    units: float


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
    _tables: dict[str, StoredTable] = field(default_factory=dict)

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

    def plan(self, segment: Segment, segments: int) -> Procedure[PlannedPage]:
        """Read a page of a segment, and plan its items."""
        self._tables.clear()  # a table may get an index while it is migrated
        stored = self._stored(self.context.table_name(self.table))
        page = self.access.page(stored, (segment.number, segments), segment.after, self.limit)
        groups, unusual = [], []
        for row in page.rows:
            try:
                planned = yield from self._group(row)
            except _Unusual:
                unusual.append(row)
            else:
                if not isinstance(planned, _Same):
                    groups.append((row, planned))
        after = None if page.is_last else self.key_of(page.rows[-1])
        return PlannedPage(page.rows, groups, unusual, after, page.units)

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

    def rows(self, keys: Sequence[bytes]) -> list[Row]:
        """Return the items that are stored under some keys."""
        stored = self._stored(self.context.table_name(self.table))
        found = zip(keys, self.access.get(stored, keys), strict=True)
        return [Row(key, item) for key, item in found if item is not None]

    def count(self) -> int:
        """Return the number of items of the table."""
        return self.access.count(self.access.table(self.context.table_name(self.table)))

    def key_of(self, row: Row) -> Item:
        """Return the key of a row as an item."""
        item = self.item_of(row)
        return {name: item[name] for name in self.table.key}

    def item_of(self, row: Row) -> Item:
        """Return the item of a row; do not change it."""
        return shared_item(row.item)

    def _stored(self, name: str) -> StoredTable:
        found = self._tables.get(name)
        if found is None:
            found = self._tables[name] = self.access.table(name)
        return found

    def _group(self, row: Row) -> Procedure[Sequence[Replacement] | _Same]:
        """The replacements that an item needs."""
        item = self.item_of(row)
        plan = self.planner(item)
        if plan is None:
            return _SAME
        reads: dict[tuple[str, bytes], bytes | None] = {}
        try:
            actions = yield from self._run(run_with_keys(partial(plan, item)), reads)
        except (ItemRejected, TablewrightError):
            raise _Unusual from None
        if not actions:
            return _SAME
        if len(actions) > MOST_ACTIONS:
            raise _Unusual
        group = [self._replacement(row, action, reads) for action in actions]
        if len({(each.table.name, each.key) for each in group}) < len(group):
            raise _Unusual
        return group

    def _run(
        self, procedure: Procedure[Sequence[Action]], reads: dict[tuple[str, bytes], bytes | None]
    ) -> Procedure[Sequence[Action]]:
        """Run a plan. Items are read from the database directly; `reads` gets their stored bytes."""
        reply: Reply | Exception | None = None
        while True:
            try:
                effect = advance(procedure, reply)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            if isinstance(effect, Call) and effect.operation == "BatchGetItem":
                reply = self._batch(effect.request, reads)
            else:
                try:
                    reply = yield effect
                except (ServiceError, LostConnection) as error:
                    reply = error

    def _batch(self, request: dict[str, Any], reads: dict[tuple[str, bytes], bytes | None]) -> Reply:
        responses = {}
        for name, wanted in request["RequestItems"].items():
            table = self._stored(name)
            keys = [table.keys.of_key(admit_item(key)[0]) for key in wanted["Keys"]]
            found = self.access.get(table, keys)
            for key, item in zip(keys, found, strict=True):
                reads[name, key] = None if item is None else item.raw
            responses[name] = [shared_item(item) for item in found if item is not None]
        return {"Responses": responses, "UnprocessedKeys": {}}

    def _replacement(
        self, row: Row, action: Action, reads: dict[tuple[str, bytes], bytes | None]
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

    def _updated(self, row: Row, edit: Edit, table: StoredTable) -> StoredItem:
        """The item that an update leaves; migrations update the item that they have read, and no other."""
        if edit.increase or edit.join or edit.versions or edit.paths:
            raise _Unusual
        return self.access.updated(table, row.item, edit.set, edit.remove)
