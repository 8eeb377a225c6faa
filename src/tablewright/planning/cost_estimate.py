"""Cost estimate: the units and dollars of a design in a month, by pattern, write and table,
and what became more or less expensive between two versions of it, and why.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

from tablewright.design.billing import Autoscaled
from tablewright.design.designs import Design
from tablewright.design.fields.rates import MONTH
from tablewright.design.tables import Table
from tablewright.planning.capacity_demand import CapacityResource, Demand, Units, added, scaled, total
from tablewright.planning.partition_simulation import provisioned_units
from tablewright.planning.prices import (
    GB,
    MILLION,
    RESERVED_LOT,
    STREAM_LOT,
    ClassPrices,
    Prices,
    ReservedPrices,
)
from tablewright.planning.request_demand import demand_of_run, demand_of_write, stored_rows
from tablewright.planning.stored_sizes import OVERHEAD
from tablewright.planning.vector_demand import VectorDemand, vector_demands, vector_rows
from tablewright.planning.workloads import WRITES, Workload

HOURS = MONTH / 3600


@dataclass(frozen=True)
class Line:
    """A pattern, or a kind of write of an entity, over a month."""

    name: str
    kind: Literal["read", "write"]
    table: Table
    times: float
    each: Demand
    """The average capacity of one run or write."""
    prices: ClassPrices

    @property
    def units(self) -> Units:
        """The units of one run or write, in all tables and indexes."""
        return total(self.each)

    @property
    def cost(self) -> float:
        """Dollars, on demand."""
        return on_demand(self.units * self.times, self.prices)

    @property
    def cost_of_requests(self) -> float:
        """Dollars if every request consumed one unit, as many design documents calculate."""
        return self.times * (self.prices.read if self.kind == "read" else self.prices.write) / MILLION


@dataclass(frozen=True)
class Extra:
    """A cost of a table besides requests and storage."""

    name: str
    amount: str
    cost: float


@dataclass(frozen=True)
class TableEstimate:
    """A table over a month."""

    table: Table
    items: float
    item_bytes: float
    """The bytes of its items only, as most design documents count them."""
    bytes: float
    """The bytes of items and index rows, with the overhead that DynamoDB adds to each."""
    demand: Demand
    """The units it consumes in a month."""
    peak: float
    prices: ClassPrices
    storage_cost: float
    extras: tuple[Extra, ...] = ()

    @property
    def is_standard(self) -> bool:
        """Whether it is of the standard class: free storage and reserved capacity are for this class only."""
        return self.table.table_class == "STANDARD"

    @property
    def on_demand_cost(self) -> float:
        """Dollars for requests, on demand."""
        return on_demand(total(self.demand), self.prices)

    @property
    def capacity(self) -> dict[CapacityResource, Units]:
        """The capacity to provision for the busiest second: at least 1 of each, for the table and each global index."""
        resources = [
            CapacityResource(self.table),
            *(CapacityResource(self.table, one) for one in self.table.indexes if not one.local),
        ]
        busiest = {
            resource: self.demand.get(resource, Units()) * (self.peak / MONTH) for resource in resources
        }
        return {
            resource: Units(max(1, ceil(units.read)), max(1, ceil(units.write)))
            for resource, units in busiest.items()
        }

    @property
    def declared_capacity(self) -> dict[CapacityResource, Units] | None:
        """The average capacity that the design provisions, for the table and each global index; None is on demand."""
        if provisioned_units(self.table) is None:
            return None
        return {
            resource: self._autoscaled(resource)
            or provisioned_units(self.table, resource.index)
            or Units(needed.read, needed.write)
            for resource, needed in self.capacity.items()
        }

    def _autoscaled(self, resource: CapacityResource) -> Units | None:
        """The average capacity that autoscaling provisions: so that the traffic uses its target share of it."""
        billing = self.table.billing_of(resource.index) if resource.index else self.table.billing
        if not isinstance(billing, Autoscaled):
            return None
        used = self.demand.get(resource, Units()) * (1 / MONTH) * (100 / billing.target)
        return Units(
            min(max(used.read, billing.read), billing.max_read),
            min(max(used.write, billing.write), billing.max_write),
        )

    @property
    def short(self) -> tuple[CapacityResource, ...]:
        """The resources where the design provisions less than the busiest second needs."""
        most = {resource: provisioned_units(self.table, resource.index) for resource in self.capacity}
        return tuple(
            resource
            for resource, needed in self.capacity.items()
            if (limit := most[resource]) is not None
            and (limit.read < needed.read or limit.write < needed.write)
        )

    @property
    def provisioned_cost(self) -> float | None:
        """Dollars for provisioned capacity, as declared or as needed; None if its price is unknown."""
        if self.prices.read_hour is None or self.prices.write_hour is None:
            return None
        units = total(self.declared_capacity or self.capacity)
        return HOURS * (units.read * self.prices.read_hour + units.write * self.prices.write_hour)

    @property
    def utilisation(self) -> Units:
        """The average utilisation of that capacity, for reads and writes."""
        used, available = total(self.demand) * (1 / MONTH), total(self.declared_capacity or self.capacity)
        return Units(used.read / available.read, used.write / available.write)

    @property
    def request_cost(self) -> float:
        """Dollars for requests, in the billing mode of the design."""
        if self.declared_capacity is None:
            return self.on_demand_cost
        return self.on_demand_cost if self.provisioned_cost is None else self.provisioned_cost

    @property
    def cost(self) -> float:
        """Dollars in total."""
        return self.request_cost + self.storage_cost + sum(extra.cost for extra in self.extras)


@dataclass(frozen=True)
class Estimate:
    """A month of a design."""

    design: Design
    workload: Workload
    prices: Prices
    lines: tuple[Line, ...]
    tables: tuple[TableEstimate, ...]
    notes: tuple[str, ...]
    """What is not declared, and the assumption made instead."""

    @property
    def cost(self) -> float:
        """Dollars in total."""
        return sum(table.cost for table in self.tables)

    @property
    def request_cost(self) -> float:
        """Dollars for requests, on demand."""
        return sum(line.cost for line in self.lines)

    def reserved_cost(self, reserved: ReservedPrices) -> float | None:
        """Dollars a month for the capacity of all tables, with as many lots reserved as are used throughout.

        Reserved capacity is shared by the tables of an account and region; tables for infrequent access cost the same.
        None if a price is unknown.
        """
        prices = self.prices.standard
        tables = [table for table in self.tables if table.is_standard]
        others = [table.provisioned_cost for table in self.tables if not table.is_standard]
        if prices.read_hour is None or prices.write_hour is None or None in others:
            return None
        units = sum((total(table.declared_capacity or table.capacity) for table in tables), Units())
        months = reserved.years * 12
        cost = sum(other or 0.0 for other in others)
        for used, upfront, hour, list_hour in (
            (units.read, reserved.read_upfront, reserved.read_hour, prices.read_hour),
            (units.write, reserved.write_upfront, reserved.write_hour, prices.write_hour),
        ):
            lots = used // RESERVED_LOT
            cost += (
                lots * (upfront / months + hour * HOURS) + (used - lots * RESERVED_LOT) * list_hour * HOURS
            )
        return cost


def on_demand(units: Units, prices: ClassPrices) -> float:
    """Dollars for request units."""
    return (units.read * prices.read + units.write * prices.write) / MILLION


def break_even(prices: ClassPrices) -> Units | None:
    """The utilisation above which provisioned capacity is cheaper than the same requests on demand.

    >>> from tablewright.planning.prices import load_prices
    >>> print(f"{break_even(load_prices().standard).write:.1%}")
    28.9%
    """
    if prices.read_hour is None or prices.write_hour is None:
        return None
    an_hour = 3600 / MILLION
    return Units(
        prices.read_hour / (prices.read * an_hour) if prices.read else 0.0,
        prices.write_hour / (prices.write * an_hour) if prices.write else 0.0,
    )


def estimate(design: Design, workload: Workload, prices: Prices) -> Estimate:
    """The capacity and the cost of a design in a month."""
    lines = (*_reads(design, workload, prices), *_writes(design, workload, prices))
    bare = [_table(design, table, lines, workload, prices) for table in design.tables]
    return Estimate(
        design,
        workload,
        prices,
        lines,
        tuple(_with_free(bare, prices)),
        (
            *_notes(design, workload),
            *_vector_notes(design, workload, prices),
            *_free_note(bare, prices),
        ),
    )


def _reads(design: Design, workload: Workload, prices: Prices) -> Iterator[Line]:
    for plan in design.plans:
        times = workload.times_of(plan)
        if times is not None:
            demand = demand_of_run(design, plan, workload)
            yield Line(plan.name, "read", plan.table, times, demand, prices.of_class(plan.table.table_class))


def _writes(design: Design, workload: Workload, prices: Prices) -> Iterator[Line]:
    for entity in design.entities:
        layout, use = entity.layout, workload.use_of(entity.layout)
        of_class = prices.of_class(layout.table.table_class)
        for kind, times in workload.writes_of(layout).items():
            demand = demand_of_write(layout, kind, use)
            yield Line(f"{kind} {entity.__name__}", "write", layout.table, times, demand, of_class)


def _table(
    design: Design, table: Table, lines: tuple[Line, ...], workload: Workload, prices: Prices
) -> TableEstimate:
    demand = added(scaled(line.each, line.times) for line in lines if line.table is table)
    base = stored_rows(design, table, None, workload)
    in_table = sum(count * (size + OVERHEAD) for count, size in base)
    local, remote = (
        sum(
            count * (size + OVERHEAD)
            for index in table.indexes
            if index.local == is_local
            for count, size in stored_rows(design, table, index, workload)
        )
        for is_local in (True, False)
    )
    remote += sum(
        count * (size + OVERHEAD)
        for index in table.vector_indexes
        for count, size in vector_rows(design, table, index, workload)
    )
    of_class = prices.of_class(table.table_class)
    return TableEstimate(
        table,
        sum(count for count, _ in base),
        sum(count * size for count, size in base),
        in_table + local + remote,
        demand,
        workload.peak,
        of_class,
        (in_table + local + remote) / GB * of_class.storage,
        (
            *_extras(table, in_table + local, workload, prices),
            *_vector_extras(vector_demands(design, table, workload), prices),
        ),
    )


def _extras(table: Table, bytes_: float, workload: Workload, prices: Prices) -> Iterator[Extra]:
    """Recovery, backups and exports are charged by the size of the table and its local indexes."""
    use, size = workload.use_of_table(table), bytes_ / GB
    if table.point_in_time_recovery:
        yield Extra("point-in-time recovery", f"{size:,.2f} GB", size * prices.of("pitr"))
    for name, count in (("backup", use.backups), ("export", use.exports), ("restore", use.restores)):
        if count:
            yield Extra(f"{name}s", f"{count:g} x {size:,.2f} GB", count * size * prices.of(name))
    if use.stream_reads:
        all_reads = sum(table_use.stream_reads for table_use in workload.tables.values())
        paid = use.stream_reads * max(0.0, 1 - prices.free_stream / all_reads)
        yield Extra("stream", f"{use.stream_reads:,.0f} reads", paid / STREAM_LOT * prices.of("stream"))


def _vector_extras(demands: Iterable[VectorDemand], prices: Prices) -> Iterator[Extra]:
    """Searches and writes of vector indexes, which are charged by the GB; 0 dollars if the price is unknown."""
    for demand in demands:
        size = demand.bytes / GB
        price: float = getattr(prices, demand.price) or 0.0
        what = "searches of" if demand.kind == "search" else "writes to"
        yield Extra(f"{what} {demand.index.name}", f"{size:,.2f} GB", size * price)


def _vector_notes(design: Design, workload: Workload, prices: Prices) -> Iterator[str]:
    """Name the demand of vector indexes whose price is unknown."""
    demands = [demand for table in design.tables for demand in vector_demands(design, table, workload)]
    unpriced = [demand for demand in demands if getattr(prices, demand.price) is None]
    if unpriced:
        names = ", ".join(dict.fromkeys(demand.price for demand in unpriced))
        yield (
            f"vector indexes are charged by the GB, and the prices of {prices.region} have no {names}: these GB are "
            "counted with 0 dollars; give the prices with --prices FILE"
        )


def _with_free(tables: list[TableEstimate], prices: Prices) -> Iterator[TableEstimate]:
    """The tables, with the free storage deducted from those of the standard class, in proportion to their size."""
    standard = sum(table.bytes for table in tables if table.is_standard)
    free = min(1.0, prices.free_storage * GB / standard) if standard else 0.0
    for table in tables:
        yield replace(table, storage_cost=table.storage_cost * (1 - free)) if table.is_standard else table


def _free_note(tables: list[TableEstimate], prices: Prices) -> Iterator[str]:
    """Name the storage that is not charged: other tables of the account may use it up."""
    if prices.free_storage and any(table.bytes and table.is_standard for table in tables):
        yield (
            f"the first {prices.free_storage:g} GB of each account and region are free, and are deducted here; "
            "if other tables use them, storage costs more"
        )


def _notes(design: Design, workload: Workload) -> Iterator[str]:
    """What the design and the workload do not declare, with the assumption made instead."""
    used = [(entity.__name__, entity.layout, workload.use_of(entity.layout)) for entity in design.entities]
    kinds = ", ".join(WRITES[1:])
    missing = {
        "not counted, because they have no rate": (
            plan.name for plan in design.plans if workload.times_of(plan) is None
        ),
        f"writes not counted, because there is no rate of writes or of {kinds}": (
            name for name, layout, _ in used if not workload.writes_of(layout)
        ),
        "storage not counted, because there is no number of items": (
            name for name, layout, use in used if use.items is None and layout.expect.items is None
        ),
        "size estimated from the fields, because none is declared": (
            name for name, layout, use in used if use.size is None and layout.expect.size is None
        ),
        "counted with 1 copy, because there is no number of copies": (
            f"{name}.{copy.name}"
            for name, layout, use in used
            for copy in layout.copies
            if copy.copy.each and copy.name not in use.copies
        ),
        "stream readers assumed to be Lambda triggers, which are free": (
            table.name
            for table in design.tables
            if table.stream and not workload.use_of_table(table).stream_reads
        ),
    }
    for what, names in missing.items():
        listed = list(names)
        if listed:
            yield f"{what}: {', '.join(listed)}"


_ROUNDING = 1e-9
"""Differences below this are rounding."""


@dataclass(frozen=True)
class CostDifference:
    """A pattern, a write or a table whose cost has changed."""

    what: str
    name: str
    before: float
    after: float
    why: str

    @property
    def by(self) -> float:
        """Dollars a month; negative is cheaper."""
        return self.after - self.before


def differences(before: Estimate, after: Estimate) -> tuple[CostDifference, ...]:
    """All differences: patterns and writes before tables, the largest first."""
    lines = sorted(_lines(before, after), key=lambda line: -abs(line.by))
    tables = sorted(_tables(before, after), key=lambda table: -abs(table.by))
    return tuple(line for line in (*lines, *tables) if abs(line.by) > _ROUNDING)


def _lines(before: Estimate, after: Estimate) -> Iterator[CostDifference]:
    old = {line.name: line for line in before.lines}
    new = {line.name: line for line in after.lines}
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name), new.get(name)
        kind = (now or was or before.lines[0]).kind
        what = "pattern" if kind == "read" else "write"
        costs = (was.cost if was else 0.0, now.cost if now else 0.0)
        yield CostDifference(what, name, *costs, _why(was, now))


def _why(was: Line | None, now: Line | None) -> str:
    if was is None or now is None:
        return "new" if now else "removed"
    reasons = []
    if was.times != now.times:
        reasons.append(f"{was.times:,.0f} -> {now.times:,.0f} times")
    resources = {str(resource): units for resource, units in was.each.items()}
    others = {str(resource): units for resource, units in now.each.items()}
    for resource in dict.fromkeys((*resources, *others)):
        one, two = resources.get(resource, Units()), others.get(resource, Units())
        if one != two:
            reasons.append(f"{resource} {_shown(one)} -> {_shown(two)}")
    return "; ".join(reasons) or "prices"


def _shown(units: Units) -> str:
    parts = [f"{count:.3g} {what}" for count, what in ((units.read, "read"), (units.write, "write")) if count]
    return " + ".join(parts) or "0"


def _tables(before: Estimate, after: Estimate) -> Iterator[CostDifference]:
    old = {table.table.name: table for table in before.tables}
    new = {table.table.name: table for table in after.tables}
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name), new.get(name)
        costs = (was.cost if was else 0.0, now.cost if now else 0.0)
        yield CostDifference("table", name, *costs, _why_table(was, now))


def _why_table(was: TableEstimate | None, now: TableEstimate | None) -> str:
    if was is None or now is None:
        return "new" if now else "removed"
    parts = {
        "requests": (was.request_cost, now.request_cost),
        "storage": (was.storage_cost, now.storage_cost),
        "recovery and copies": tuple(sum(extra.cost for extra in one.extras) for one in (was, now)),
    }
    changed = [f"{name} ${one:,.4f} -> ${two:,.4f}" for name, (one, two) in parts.items() if one != two]
    return "; ".join(changed)
