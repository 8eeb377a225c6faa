"""Heat data: the simulated load of partition keys for the page, and the measured load beside it."""

from collections.abc import Iterable
from typing import Any

from tablewright.console.key_parts import KeyPart, key_parts
from tablewright.console.load.cost_data import resource_name
from tablewright.console.measured_traffic import Key as MeasuredKey
from tablewright.console.measured_traffic import Measured
from tablewright.console.open_designs import OpenDesign
from tablewright.design.fields.rates import MONTH
from tablewright.design.keys.templates import Template
from tablewright.planning.capacity_demand import total
from tablewright.planning.partition_heat import Heat
from tablewright.planning.partition_simulation import PARTITION_LIMIT, Key
from tablewright.planning.request_demand import demand_of_run
from tablewright.planning.workloads import Workload

MAX_KEYS = 20
"""The most keys of one table or index."""
SHORTEST_MEASUREMENT = 5.0
"""Seconds of a measurement before it is extrapolated to a month."""


def heat_data(opened: OpenDesign, heat: Heat) -> dict[str, Any]:
    """Describe the load of a table or an index, and its hottest keys."""
    return {
        "resource": resource_name(opened.db.context.table_name, heat.resource),
        "table": opened.db.context.table_name(heat.resource.table),
        "index": heat.resource.index.name if heat.resource.index else None,
        **heat.figures(),
        "hot_keys": len(heat.hot),
        "keys": [_key_data(key) for key in heat.run.keys[:MAX_KEYS]],
    }


def _key_data(key: Key) -> dict[str, Any]:
    return {
        "key": key.name,
        "rank": key.rank,
        "read": key.units.read,
        "write": key.units.write,
        "heat": key.heat,
        "throttled": key.throttled,
        "is_divisible": key.is_divisible,
        "calculation": _limit_text(key.units.read, key.units.write),
    }


def _limit_text(read: float, write: float) -> str:
    heat = read / PARTITION_LIMIT.read + write / PARTITION_LIMIT.write
    return (
        f"{_number(read)} of {PARTITION_LIMIT.read:,} read units a second + "
        f"{_number(write)} of {PARTITION_LIMIT.write:,} write units a second "
        f"= {heat:.1%} of what one partition supports"
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"


def measured_patterns(opened: OpenDesign, workload: Workload) -> list[dict[str, Any]]:
    """Compare the declared rate and units of each pattern with the measured ones."""
    traffic = opened.traffic
    counts, seconds = traffic.copied(), traffic.seconds
    names = [plan.name for plan in opened.design.plans]
    patterns = []
    for plan in opened.design.plans:
        alike = next((group for group in counts.reads if plan.name in group), (plan.name,))
        measured = counts.reads.get(alike, Measured())
        units = total(demand_of_run(opened.design, plan, workload)).read
        row = _compared(plan.name, workload.times_of(plan), units, measured, measured.read, seconds)
        shared = [name for name in names if name in alike and name != plan.name]
        patterns.append(
            row | {"kind": "read", "table": opened.db.context.table_name(plan.table), "same_request": shared}
        )
    return patterns


def measured_writes(opened: OpenDesign, workload: Workload) -> list[dict[str, Any]]:
    """Compare the declared writes of each entity with the measured ones."""
    counts, seconds = opened.traffic.copied(), opened.traffic.seconds
    writes = []
    for entity in opened.design.entities:
        layout = entity.layout
        declared = workload.writes_of(layout)
        measured = counts.writes.get((entity.__name__,), Measured())
        times = sum(declared.values()) if declared else None
        row = _compared(entity.__name__, times, None, measured, measured.write, seconds)
        table = opened.db.context.table_name(layout.table)
        writes.append(row | {"kind": "write", "table": table, "same_request": []})
    return writes


def _compared(
    name: str, times: float | None, units_each: float | None, measured: Measured, units: float, seconds: float
) -> dict[str, Any]:
    month = measured.requests / seconds * MONTH if seconds >= SHORTEST_MEASUREMENT else None
    return {
        "name": name,
        "declared_times": times,
        "declared_each": units_each,
        "requests": measured.requests,
        "throttled": measured.throttled,
        "units": units,
        "each": units / measured.requests if measured.requests else None,
        "per_month": month,
        "ratio": month / times if month is not None and times else None,
        "calculation": f"{measured.requests:,} requests in {seconds:,.0f} seconds; a month has {MONTH:,.0f} seconds",
    }


def measured_keys(opened: OpenDesign, count: int = 50) -> list[dict[str, Any]]:
    """Describe the partition keys with the most measured units."""
    seconds = max(opened.traffic.seconds, 1.0)
    return [_measured_key(opened, key, measured, seconds) for key, measured in opened.traffic.hottest(count)]


def _measured_key(opened: OpenDesign, key: MeasuredKey, measured: Measured, seconds: float) -> dict[str, Any]:
    table, index, values = key
    read, write = measured.read / seconds, measured.write / seconds
    return {
        "table": table,
        "index": index,
        "values": list(values),
        "parts": [part for parts in _parts(opened, key) for part in parts],
        **measured.as_data(),
        "read_rate": read,
        "write_rate": write,
        "heat": read / PARTITION_LIMIT.read + write / PARTITION_LIMIT.write,
        "calculation": _limit_text(read, write),
    }


def _parts(opened: OpenDesign, key: MeasuredKey) -> list[list[KeyPart]]:
    """Split the values of a partition key by the template that has the most literal text of them."""
    table, index, values = key
    declared = opened.table(table)
    declared_index = next((candidate for candidate in declared.indexes if candidate.name == index), None)
    attributes = declared_index.partition if declared_index else (declared.partition,)
    split = []
    for attribute, value in zip(attributes, values, strict=True):
        options = [key_parts(template, value) for template in _templates(opened, table, attribute)]
        known = [option for option in options if option is not None]
        split.append(max(known, key=_literal, default=[KeyPart(text=value, field=None)]))
    return split


def _templates(opened: OpenDesign, table: str, attribute: str) -> Iterable[Template]:
    for entity in opened.design.entities_of(opened.table(table)):
        layout = entity.layout
        copied = [key for copy in layout.copies for key in copy.keys]
        for key in (layout.primary, *layout.indexes, *copied, *(lock.key for lock in layout.locks)):
            yield from (template for name, template in key.parts if name == attribute)


def _literal(parts: list[KeyPart]) -> int:
    return sum(len(part["text"]) for part in parts if part["field"] is None)
