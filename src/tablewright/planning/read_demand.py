"""Read demand: the capacity that one run of a pattern consumes.

Reads are rounded up to 4 KB: for a get or a batch by item, for a query by page, for a scan also by partition, even an
empty one. Reading an index costs by the size of its rows; attributes that a local index lacks are fetched from the
table, item by item. A get through a lock reads two items.
"""

from math import ceil

from tablewright.design.designs import Design
from tablewright.design.plans.plans import Plan
from tablewright.design.tables.tables import Index, Table
from tablewright.dynamodb.values.capacity import read_units
from tablewright.planning.capacity_demand import Demand, Resource, Units
from tablewright.planning.partition_simulation import initial_partitions, provisioned_units
from tablewright.planning.stored_sizes import stored_items
from tablewright.planning.workloads import PatternUse, Workload

PAGE = 1024 * 1024
"""The bytes that one Query or Scan request reads at most."""


def demand_of_run(design: Design, plan: Plan, workload: Workload) -> Demand:
    """The capacity that one run of a pattern consumes."""
    use = workload.patterns.get(plan.name, PatternUse())
    consistent = plan.pattern.consistent and (plan.index is None or plan.index.local)
    resource = Resource.of(plan.table, plan.index)
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
        found = stored_items(layout, workload.use_of(layout))
        copied = [stored for stored in found if stored.kind == "copy"] if plan.reads_copies(layout) else []
        sizes.append((copied or found)[0].row_size(plan.index))
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
