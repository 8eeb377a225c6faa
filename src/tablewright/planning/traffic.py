"""Traffic: which partition key values a workload falls on, and how unevenly.

A key that is always the same, a status, a day, a shard has few values; their number is told by the design. Other keys
have as many values as there are items for them. Values are not equally popular: the one of rank r is asked for as often
as 1 / r ** skew says (Zipf's law), but for shards, which are made to be even, and for what is written once under a key
of its own, as new users are.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import log, prod

from tablewright.design.designs import Design
from tablewright.design.fields.markers import Unique
from tablewright.design.fields.rates import MONTH
from tablewright.design.keys.key_formats import Shard
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.layouts.field_values import is_identity, value_count
from tablewright.design.layouts.layouts import FieldLayout, KeyLayout, Layout
from tablewright.design.plans.pattern_parameters import parameter_field
from tablewright.design.plans.plans import Plan
from tablewright.planning.capacity_demand import Place, Units, total
from tablewright.planning.read_demand import demand_of_run
from tablewright.planning.stored_sizes import Trace
from tablewright.planning.workloads import Workload
from tablewright.planning.write_demand import touches

HEAD = 200
"""So many of the most popular values are looked at one by one; the others are taken together."""
SOME = 10_000
"""How many values a key has when nobody says how many items there are."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """A partition key as it is written or asked for."""

    text: str
    shape: tuple[str, ...]
    """Its literal text: keys of one shape are the same keys, whatever their fields are called."""
    values: int | None
    """How many values it has at a time, shards aside; None is very many."""
    shards: int = 1


@dataclass(frozen=True)
class Flow:
    """Units a second that fall on one kind of key of a table or index."""

    place: Place
    key: Keyed
    units: Units
    values: float
    """How many values the key has, shards aside."""
    is_even: bool = False
    """Whether it falls on all of them alike."""


@dataclass(frozen=True)
class Crowd:
    """The partition key values of one kind in one place, and how often each is asked for."""

    name: str
    units: Units
    shares: tuple[float, ...]
    """What the most popular ones get of that, the first most."""

    @property
    def tail(self) -> float:
        """What all the others get together."""
        return max(0.0, 1.0 - sum(self.shares))


def crowds(design: Design, workload: Workload, factor: float) -> dict[Place, list[Crowd]]:
    """Who asks for what in the busiest second, with so many times the users."""
    written = list(_written(design, workload, factor))
    gathered: dict[tuple[Place, tuple[str, ...], bool, bool], list[Flow]] = {}
    for flow in (*written, *(_as_written(flow, written) for flow in _read(design, workload, factor))):
        alike = (flow.place, flow.key.shape, flow.key.values is None, flow.is_even)
        gathered.setdefault(alike, []).append(flow)
    found: dict[Place, list[Crowd]] = {}
    for (place, _, _, is_even), flows in gathered.items():
        units = sum((flow.units for flow in flows), Units())
        most = max(flows, key=lambda flow: flow.values)
        if units.read or units.write:
            shares = () if is_even else popularity(most.values, most.key.shards, workload.skew)
            found.setdefault(place, []).append(Crowd(most.key.text, units, shares))
    return found


def _as_written(flow: Flow, written: list[Flow]) -> Flow:
    """A read finds only what is written: of the keys like the one it asks for, it is taken to ask for the fewest.

    What is written as a day, a status or a shard may be asked for as any text or number.
    """
    alike = [one for one in written if (one.place, one.key.shape) == (flow.place, flow.key.shape)]
    if not alike:
        return flow
    fewest = min(alike, key=lambda one: one.values * one.key.shards)
    return replace(flow, key=fewest.key, values=fewest.values)


def popularity(values: float, shards: int, skew: float) -> tuple[float, ...]:
    """The shares of the most popular values, each of which is spread evenly over its shards.

    >>> popularity(1, 1, 0.99), popularity(1, 4, 0.99), popularity(2, 1, 0.0)
    ((1.0,), (0.25, 0.25, 0.25, 0.25), (0.5, 0.5))
    """
    count = max(1, round(values))
    head = min(count, max(1, HEAD // shards))
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


def _written(design: Design, workload: Workload, factor: float) -> Iterator[Flow]:
    for entity in design.entities:
        layout, use = entity.layout, workload.use_of(entity.layout)
        for kind, times in workload.writes_of(layout).items():
            often = times / MONTH * workload.peak * factor
            for touch in touches(layout, kind, use):
                keyed = _written_key(touch.trace, touch.key)
                values = keyed.values or _many(touch.trace, workload) * factor
                once = kind != "update" and _is_own(touch.trace, touch.key)
                yield Flow(touch.place, keyed, touch.units * often, values, once)


def _read(design: Design, workload: Workload, factor: float) -> Iterator[Flow]:
    for plan in design.plans:
        times = workload.times_of(plan)
        if times:
            often = times / MONTH * workload.peak * factor
            units = total(demand_of_run(design, plan, workload)) * often
            keyed = _asked_key(plan)
            items = [_items_of(layout, workload) for layout in plan.layouts]
            values = keyed.values or max(1.0, *items) * factor
            yield Flow(Place.of(plan.table, plan.index), keyed, units, values, plan.kind == "scan")


def _is_own(trace: Trace, key: KeyLayout | None) -> bool:
    """Whether a partition key is the entity's alone: a lock's, or made of its id or of a unique value."""
    if key is None:
        return True
    layout = trace.layout
    named = [
        layout.fields[name]
        for _, template in _partition(key)
        for name in template.parsed_names
        if name in layout.fields
    ]
    return trace.kind == "item" and any(is_identity(field, layout) or field.marker(Unique) for field in named)


def _partition(key: KeyLayout) -> tuple[tuple[str, Template], ...]:
    return key.parts[: len(key.index.partition) if key.index else 1]


def _items_of(layout: Layout, workload: Workload) -> float:
    """How many partition key values the items of an entity make."""
    items = workload.use_of(layout).items or layout.expect.items or workload.users or SOME
    return max(1.0, items / (layout.expect.per_partition or 1))


def _many(trace: Trace, workload: Workload) -> float:
    return _items_of(trace.layout, workload) * max(1.0, trace.count)


def _written_key(trace: Trace, key: KeyLayout | None) -> Keyed:
    if key is None:
        return Keyed(trace.name, (trace.name,), None)
    layout = trace.layout

    def field(name: str) -> FieldLayout:
        return layout.fields.get(name) or FieldLayout(name, name, str, False)

    return _keyed([template for _, template in _partition(key)], field)


def _asked_key(plan: Plan) -> Keyed:
    if plan.kind == "scan":
        return Keyed("every key", (), None)
    asked = [clause.templates[0] for clause in plan.partition_clauses]
    return _keyed(asked, lambda name: parameter_field(plan, name))


def _keyed(templates: list[Template], field: Callable[[str], FieldLayout]) -> Keyed:
    parts = [part for template in templates for part in template.fields]
    spread, told = _split(parts)
    shards = prod(value_count([(part, field(part.name))]) or 1 for part in spread)
    shape = tuple(
        part if isinstance(part, str) else "{}" for template in templates for part in (*template.parts, "/")
    )
    text = " / ".join(template.text for template in templates)
    return Keyed(text, shape, value_count((part, field(part.name)) for part in told), shards)


def _split(parts: list[TemplateField]) -> tuple[list[TemplateField], list[TemplateField]]:
    """The shards, and the other parts."""
    spread = [part for part in parts if isinstance(part.key_format, Shard)]
    return spread, [part for part in parts if part not in spread]
