"""Request demand: the capacity that one run of a pattern, or one write of an entity, consumes.

- Reads are rounded up to 4 KB: for a get or a batch by item, for a query by page, for a scan also by partition, even an
  empty one. Reading an index costs by the size of its rows; attributes that a local index lacks are fetched from the
  table, item by item. A get through a lock reads two items.
- A write is rounded up to 1 KB, in the table and in each index that contains the item. An update that changes an index
  key deletes the old row and writes a new one. An update writes to a KEYS_ONLY index only when it changes a key.
- An entity with copies or locks is written in a transaction, which consumes twice the units; the library reads the
  item first if it needs the old values.
- A write whose condition fails consumes the units of the table, and none of the indexes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil

from tablewright.access.items.footprint import carried_names
from tablewright.design.designs import Design
from tablewright.design.indexes import Index
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.plans.plans import Plan
from tablewright.design.tables import Table
from tablewright.dynamodb.values.capacity import read_units, write_units
from tablewright.planning.capacity_demand import CapacityResource, Demand, Units, added
from tablewright.planning.partition_simulation import initial_partitions, provisioned_units
from tablewright.planning.stored_sizes import StoredForm, stored_items
from tablewright.planning.workloads import EntityUse, PatternUse, Workload

PAGE = 1024 * 1024
"""The bytes that one Query or Scan request reads at most."""


def demand_of_run(design: Design, plan: Plan, workload: Workload) -> Demand:
    """The capacity that one run of a pattern consumes; none for a search, which is metered in bytes."""
    if plan.kind == "nearest":
        return {}
    use = workload.patterns.get(plan.name, PatternUse())
    consistent = plan.pattern.consistent and (plan.index is None or plan.index.local)
    resource = CapacityResource.of(plan.table, plan.index)
    if plan.kind in ("get", "batch"):
        items = (use.items or plan.pattern.expected_items or 1) + (plan.lock is not None)
        return {resource: Units(items * read_units(_read_size(plan, workload), consistent=consistent))}
    if plan.kind == "scan" and use.items is None and plan.pattern.page_size is None:
        bytes_ = sum(count * size for count, size in stored_rows(design, plan.table, plan.index, workload))
        partitions = initial_partitions(provisioned_units(plan.table, plan.index), bytes_)
        return {resource: Units(_pages(bytes_, partitions, consistent=consistent))}
    items, size = items_read(plan, use), _read_size(plan, workload)
    pages = ceil(items / plan.pattern.page_size) if plan.pattern.page_size else 1
    units = _pages(items * size, max(1, pages), consistent=consistent)
    fetched = _fetched(plan, workload, consistent=consistent) * items
    return {resource: Units(units + fetched)}


def items_read(plan: Plan, use: PatternUse) -> float:
    """The number of items that a run reads, as declared; with a filter, all items of the partition."""
    if plan.kind == "find":
        return 1
    if use.items is not None:
        return use.items
    held = [layout.expect.per_partition for layout in plan.layouts]
    largest = sum(count for count in held if count is not None) or None
    if plan.filter is not None and largest:
        return largest
    return plan.pattern.expected_items or plan.pattern.page_size or largest or 1


def stored_rows(
    design: Design, table: Table, index: Index | None, workload: Workload
) -> list[tuple[float, int]]:
    """The number and the size of the rows in a table or an index."""
    rows = []
    for entity in design.entities_of(table):
        layout, use = entity.layout, workload.use_of(entity.layout)
        items = use.items if use.items is not None else layout.expect.items or 0
        for stored in stored_items(layout, use):
            keys = [key for key in stored.keys if key.index is index]
            if index is None or keys:
                share = 1.0 if index is None else use.present.get(index.name, 1.0)
                rows.append((items * stored.count * share, stored.row_size(index)))
    return rows


def _read_size(plan: Plan, workload: Workload) -> int:
    """The bytes of an average item that a pattern reads; for several entities, their mean."""
    sizes = []
    for layout in plan.layouts:
        items = stored_items(layout, workload.use_of(layout))
        copied = [stored for stored in items if stored.kind == "copy"] if plan.reads_copies(layout) else []
        sizes.append((copied or items)[0].row_size(plan.index))
    return round(sum(sizes) / len(sizes))


def _pages(bytes_: float, pages: int, *, consistent: bool) -> float:
    """The units to read these bytes in this number of pages, or in more pages if they do not fit."""
    count = max(pages, ceil(bytes_ / PAGE))
    return count * read_units(ceil(bytes_ / count), consistent=consistent)


def _fetched(plan: Plan, workload: Workload, *, consistent: bool) -> float:
    """The units to fetch an item from the table, if a local index does not contain its `fields`."""
    if plan.index is None or not plan.index.local:
        return 0.0
    for layout in plan.layouts:
        requested = [layout.fields[name].stored for name in plan.pattern.fields if name in layout.fields]
        if not all(plan.index.holds(plan.table, attribute) for attribute in requested):
            return read_units(stored_items(layout, workload.use_of(layout))[0].size, consistent=consistent)
    return 0.0


@dataclass(frozen=True)
class WritePart:
    """The part of one write that goes to one table or index: its average units, and the key it is written under."""

    stored: StoredForm
    key: KeyLayout | None
    """None is the key of a lock."""
    units: Units

    @property
    def resource(self) -> CapacityResource:
        """The table or index."""
        return CapacityResource.of(self.stored.layout.table, self.key.index if self.key else None)

    def times(self, factor: float) -> "WritePart":
        """The part, multiplied by a factor."""
        return replace(self, units=self.units * factor)


def demand_of_write(layout: Layout, kind: str, use: EntityUse) -> Demand:
    """The average capacity of one write of an entity; `kind` is `write`, `create`, `update` or `delete`."""
    return added({part.resource: part.units} for part in write_parts(layout, kind, use))


def write_parts(layout: Layout, kind: str, use: EntityUse) -> list[WritePart]:
    """All parts of one write."""
    items = stored_items(layout, use)
    if kind == "update":
        return _update(items, _following(layout, use), use)
    done = _parts_of([(stored, 1.0) for stored in items], kind, use, transactional=len(items) > 1)
    return [*done, _read_before_write(items[0])] if len(items) > 1 and kind == "delete" else done


def _update(forms: Sequence[StoredForm], follows: float, use: EntityUse) -> list[WritePart]:
    """An update of the item alone, or, for a share of the updates, also of its copies and locks (an old and a new)."""
    main, dependents = forms[0], forms[1:]
    relocks = use.relocks if any(stored.kind == "lock" for stored in dependents) else 0.0
    together = max(follows, relocks)
    alone = _parts_of([(main, 1.0)], "update", use, transactional=False)
    if not together:
        return alone
    shares = {"copy": follows / together, "lock": 2 * relocks / together}
    joined = [(main, 1.0), *((stored, shares[stored.kind]) for stored in dependents)]
    whole = [*_parts_of(joined, "update", use, transactional=True), _read_before_write(main)]
    return [
        *(part.times(1 - together) for part in alone if together < 1),
        *(part.times(together) for part in whole),
    ]


def _following(layout: Layout, use: EntityUse) -> float:
    """The share of updates that change copies: all, if copies contain all fields or the time of the update."""
    if not layout.copies:
        return 0.0
    touched = {name for name, field in layout.fields.items() if field.automatic == "touched"}
    if any(copy.copy.fields is None or touched & {*carried_names(layout, copy)} for copy in layout.copies):
        return 1.0
    return 1.0 if use.follows is None else use.follows


def _read_before_write(main: StoredForm) -> WritePart:
    return WritePart(main, main.primary, Units(read_units(main.size, consistent=True)))


def _parts_of(
    written: Iterable[tuple[StoredForm, float]], kind: str, use: EntityUse, *, transactional: bool
) -> list[WritePart]:
    """The parts of writing these items, each with its share; if the condition fails, only those of the table."""
    parts = []
    for stored, share in written:
        often = stored.count * share
        if not often:
            continue
        units = Units(write=write_units(stored.size, transactional=transactional) * often)
        parts.append(WritePart(stored, stored.primary, units))
        for key in stored.keys:
            if key.index is not None:
                rows = _rows(kind, key.index, use) * use.present.get(key.index.name, 1.0) * (1 - use.fails)
                row = write_units(stored.row_size(key.index), transactional=transactional)
                parts.append(WritePart(stored, key, Units(write=rows * row * often)))
    return parts


def _rows(kind: str, index: Index, use: EntityUse) -> float:
    """The number of rows of an index that one write of an item in it changes."""
    if kind != "update":
        return 1.0
    moved = use.moved(index.name)
    return 2 * moved + (0.0 if index.projection == "KEYS_ONLY" else 1 - moved)
