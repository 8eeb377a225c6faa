"""Partition heat: the keys of tables and indexes that throttle, for multiples of the declared users.

A constant, a status, a day or a shard has few values; the design says how many. Other keys have as many values as there
are items. Values are not equally popular: the value of rank r is requested in proportion to 1 / r ** skew (Zipf's law).
Exceptions are shards, which are even by construction, and items written once under their own key, such as new users.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import log, prod
from typing import Any, Literal
from uuid import UUID

from tablewright.design.designs import Design
from tablewright.design.fields.markers import Unique
from tablewright.design.fields.rates import MONTH
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.keys.text_formats import Shard
from tablewright.design.layouts.field_values import (
    cardinality,
    is_generated,
    is_identity,
    is_time_field,
    value_count,
)
from tablewright.design.layouts.layouts import FieldLayout, KeyLayout, Layout
from tablewright.design.plans.plans import Plan, parameter_field
from tablewright.planning.capacity_demand import CapacityResource, Units, total
from tablewright.planning.partition_simulation import Key, SimulationRun, provisioned_units, simulate
from tablewright.planning.request_demand import demand_of_run, stored_rows, write_parts
from tablewright.planning.stored_sizes import OVERHEAD, StoredForm
from tablewright.planning.workloads import Workload

TOP_VALUES = 200
"""The number of most popular values that are simulated one by one; the others are simulated as one load."""
DEFAULT_VALUES = 10_000
"""The number of values of a key, if the number of items is not declared."""


@dataclass(frozen=True, slots=True)
class PartitionKey:
    """A partition key as it is written or read."""

    text: str
    shape: tuple[str, ...]
    """Its literal text: keys of one shape are the same keys, whatever the names of their fields."""
    values: int | None
    """The number of values at a time, without shards; None is very many."""
    shards: int = 1


@dataclass(frozen=True)
class KeyLoad:
    """Units a second for one kind of key of a table or index."""

    resource: CapacityResource
    key: PartitionKey
    units: Units
    values: float
    """The number of values of the key, without shards."""
    is_even: bool = False
    """Whether all values get the same load."""
    is_divisible: bool | None = None
    """Whether the load of one value is spread over its sort keys; None is unknown."""


@dataclass(frozen=True)
class KeyGroup:
    """The partition key values of one kind in one resource, and the load of each."""

    name: str
    units: Units
    shares: tuple[float, ...]
    """The shares of the most popular values, in descending order."""
    is_divisible: bool = False
    """Whether DynamoDB can split the items of one value by their sort keys."""

    @property
    def tail(self) -> float:
        """The share of all other values together."""
        return max(0.0, 1.0 - sum(self.shares))


def key_groups(design: Design, workload: Workload, factor: float) -> dict[CapacityResource, list[KeyGroup]]:
    """The load on partition key values in the busiest second, with the users multiplied by `factor`."""
    written = list(_written(design, workload, factor))
    gathered: dict[tuple[CapacityResource, tuple[str, ...], bool, bool], list[KeyLoad]] = {}
    for load in (*written, *(_as_written(load, written) for load in _read(design, workload, factor))):
        alike = (load.resource, load.key.shape, load.key.values is None, load.is_even)
        gathered.setdefault(alike, []).append(load)
    groups: dict[CapacityResource, list[KeyGroup]] = {}
    for (resource, _, _, is_even), loads in gathered.items():
        units = sum((load.units for load in loads), Units())
        most = max(loads, key=lambda load: load.values)
        if units.read or units.write:
            shares = () if is_even else popularity(most.values, most.key.shards, workload.skew)
            group = KeyGroup(most.key.text, units, shares, _is_divisible(resource, loads))
            groups.setdefault(resource, []).append(group)
    return groups


def _is_divisible(resource: CapacityResource, loads: list[KeyLoad]) -> bool:
    """Whether items with one partition key can be split: no local index, and no load at the end of the sort keys."""
    if resource.index is None and any(index.local for index in resource.table.indexes):
        return False
    known = [load.is_divisible for load in loads if load.is_divisible is not None]
    return bool(known) and all(known)


def _as_written(load: KeyLoad, written: list[KeyLoad]) -> KeyLoad:
    """The load of a read, with the written key of the same shape that has the fewest values.

    A day, a status or a shard may be read by a parameter of type text or number.
    """
    alike = [one for one in written if (one.resource, one.key.shape) == (load.resource, load.key.shape)]
    if not alike:
        return load
    fewest = min(alike, key=lambda one: one.values * one.key.shards)
    return replace(load, key=fewest.key, values=fewest.values)


def popularity(values: float, shards: int, skew: float) -> tuple[float, ...]:
    """The shares of the most popular values, each divided evenly by its shards.

    >>> popularity(1, 1, 0.99), popularity(1, 4, 0.99), popularity(2, 1, 0.0)
    ((1.0,), (0.25, 0.25, 0.25, 0.25), (0.5, 0.5))
    """
    count = max(1, round(values))
    head = min(count, max(1, TOP_VALUES // shards))
    weights = [rank**-skew for rank in range(1, head + 1)]
    whole = sum(weights) + _rest(head, count, skew)
    return tuple(weight / whole / shards for weight in weights for _ in range(shards))


def _rest(head: int, count: int, skew: float) -> float:
    """The weights of the ranks from `head` to `count`, as an integral."""
    if count <= head:
        return 0.0
    if abs(skew - 1) < 1e-9:
        return log((count + 0.5) / (head + 0.5))
    return float(((count + 0.5) ** (1 - skew) - (head + 0.5) ** (1 - skew)) / (1 - skew))


def _written(design: Design, workload: Workload, factor: float) -> Iterator[KeyLoad]:
    for entity in design.entities:
        layout, use = entity.layout, workload.use_of(entity.layout)
        for kind, times in workload.writes_of(layout).items():
            often = times / MONTH * workload.peak * factor
            for part in write_parts(layout, kind, use):
                key = _written_key(part.stored, part.key)
                values = key.values or _value_estimate(part.stored, workload) * factor
                once = kind != "update" and _is_unique_partition(part.stored, part.key)
                divisible = _is_spread(part.stored, part.key)
                yield KeyLoad(part.resource, key, part.units * often, values, once, divisible)


def _read(design: Design, workload: Workload, factor: float) -> Iterator[KeyLoad]:
    for plan in design.plans:
        times = workload.times_of(plan)
        if times and plan.kind != "nearest":  # searches do not consume the capacity of partitions
            often = times / MONTH * workload.peak * factor
            units = total(demand_of_run(design, plan, workload)) * often
            key = _read_key(plan)
            items = [_items_of(layout, workload) for layout in plan.layouts]
            values = key.values or max(1.0, *items) * factor
            yield KeyLoad(
                CapacityResource.of(plan.table, plan.index), key, units, values, plan.kind == "scan"
            )


def _is_unique_partition(stored: StoredForm, key: KeyLayout | None) -> bool:
    """Whether a partition key has one item: the key of a lock, or a key with the id or a unique value."""
    if key is None:
        return True
    layout = stored.layout
    named = [
        layout.fields[name]
        for _, template in _partition(key)
        for name in template.parsed_names
        if name in layout.fields
    ]
    return stored.kind == "item" and any(
        is_identity(field, layout) or field.marker(Unique) for field in named
    )


def _is_spread(stored: StoredForm, key: KeyLayout | None) -> bool:
    """Whether new items of a partition key have sort keys all over its range.

    A time, or an id that begins with the time, puts all new items at the end of the range, which no split relieves.
    """
    if key is None:
        return False
    fields = [
        stored.layout.fields.get(part.name)
        for _, template in key.parts[len(_partition(key)) :]
        for part in template.fields
    ]
    for field in fields:
        if field is None or _increases(field, stored.layout):
            return False
        if cardinality(field) is None:
            return True
    return False


def _increases(field: FieldLayout, layout: Layout) -> bool:
    """Whether new values are higher than all values before: times, and ids that are generated as ULIDs."""
    return is_time_field(field) or (is_generated(field, layout) and field.annotation is not UUID)


def _partition(key: KeyLayout) -> tuple[tuple[str, Template], ...]:
    return key.parts[: len(key.index.partition) if key.index else 1]


def _items_of(layout: Layout, workload: Workload) -> float:
    """The number of partition key values of the items of an entity."""
    items = workload.use_of(layout).items or layout.expect.items or workload.users or DEFAULT_VALUES
    return max(1.0, items / (layout.expect.per_partition or 1))


def _value_estimate(stored: StoredForm, workload: Workload) -> float:
    return _items_of(stored.layout, workload) * max(1.0, stored.count)


def _written_key(stored: StoredForm, key: KeyLayout | None) -> PartitionKey:
    if key is None:
        return PartitionKey(stored.name, (stored.name,), None)
    layout = stored.layout

    def field(name: str) -> FieldLayout:
        return layout.fields.get(name) or FieldLayout(name, name, str, False)

    return _partition_key([template for _, template in _partition(key)], field)


def _read_key(plan: Plan) -> PartitionKey:
    if plan.kind == "scan":
        return PartitionKey("every key", (), None)
    templates = [clause.templates[0] for clause in plan.partition_clauses]
    return _partition_key(templates, lambda name: parameter_field(plan, name))


def _partition_key(templates: list[Template], field: Callable[[str], FieldLayout]) -> PartitionKey:
    parts = [part for template in templates for part in template.fields]
    shard_parts, other_parts = _split(parts)
    shards = prod(value_count([(part, field(part.name))]) or 1 for part in shard_parts)
    shape = tuple(
        part if isinstance(part, str) else "{}" for template in templates for part in (*template.parts, "/")
    )
    text = " / ".join(template.text for template in templates)
    return PartitionKey(text, shape, value_count((part, field(part.name)) for part in other_parts), shards)


def _split(parts: list[TemplateField]) -> tuple[list[TemplateField], list[TemplateField]]:
    """The shards, and the other parts."""
    shards = [part for part in parts if isinstance(part.key_format, Shard)]
    return shards, [part for part in parts if part not in shards]


TABLE_QUOTA = 40_000
"""The default quota of a table: read units, and write units, a second."""
_NEGLIGIBLE = 0.001
"""Throttling below this share is ignored."""

Verdict = Literal["cool", "settles", "throttles"]


@dataclass(frozen=True)
class Heat:
    """The result for a table or an index, with the users multiplied by `factor`."""

    resource: CapacityResource
    factor: float
    units: Units
    """The load of its busiest second."""
    run: SimulationRun

    @property
    def verdict(self) -> Verdict:
        """`throttles` permanently, `settles` after partitions are split, or stays `cool`."""
        if self.run.throttled > _NEGLIGIBLE:
            return "throttles"
        return "settles" if self.run.throttled_at_first > _NEGLIGIBLE else "cool"

    @property
    def over_quota(self) -> bool:
        """Whether it needs a higher table quota than the default of AWS."""
        return max(self.units.read, self.units.write) > TABLE_QUOTA

    @property
    def hot(self) -> tuple[Key, ...]:
        """The keys that throttle permanently, the hottest first."""
        return tuple(key for key in self.run.keys if key.throttled > _NEGLIGIBLE)

    def figures(self) -> dict[str, Any]:
        """Its figures, for JSON: without its name, and without its keys."""
        return {
            "verdict": self.verdict,
            "read": self.units.read,
            "write": self.units.write,
            "partitions": self.run.partitions,
            "splits": self.run.splits,
            "throttled_at_first": self.run.throttled_at_first,
            "throttled": self.run.throttled,
            "over_quota": self.over_quota,
        }


def heat_of(
    design: Design,
    workload: Workload,
    factor: float = 1.0,
    seed: int = 1,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    on_step: Callable[[], None] = lambda: None,
) -> list[Heat]:
    """The heat of every table and index with a load, with the users multiplied by `factor`.

    `on_progress` is called before each table or index with their number so far, and in total. `on_step` is called often
    while one is simulated, and may raise an error to end the simulation.
    """
    by_resource = key_groups(design, workload, factor)
    heats: list[Heat] = []
    for resource, groups in by_resource.items():
        on_progress(len(heats), len(by_resource))
        heats.append(_heat(design, workload, resource, groups, factor, seed, on_step))
    return heats


def _heat(
    design: Design,
    workload: Workload,
    resource: CapacityResource,
    groups: list[KeyGroup],
    factor: float,
    seed: int,
    on_step: Callable[[], None],
) -> Heat:
    keys = [
        Key(group.name, rank, group.units * share, group.is_divisible)
        for group in groups
        for rank, share in enumerate(group.shares, start=1)
    ]
    spread = sum((group.units * group.tail for group in groups), Units())
    rows = stored_rows(design, resource.table, resource.index, workload)
    bytes_ = factor * sum(count * (size + OVERHEAD) for count, size in rows)
    provisioned = provisioned_units(resource.table, resource.index)
    run = simulate(keys, spread, bytes_=bytes_, provisioned=provisioned, seed=seed, on_step=on_step)
    return Heat(resource, factor, sum((group.units for group in groups), Units()), run)
