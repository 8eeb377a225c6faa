"""The design document: chapters with paragraphs and tables, which `markdown` and `html` render."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from tablewright.access.reads.nearest_read import limit_of
from tablewright.design.billing import Autoscaled, Billing, Provisioned
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.entities.references import DeclaredReference, Ownership
from tablewright.design.fields.annotations import plain_type
from tablewright.design.fields.markers import OwnedBy, References, Unique, Vector, ulid
from tablewright.design.indexes import VectorIndex
from tablewright.design.layouts.field_values import allowed_values, type_name
from tablewright.design.layouts.layouts import FieldLayout, KeyLayout, Layout
from tablewright.design.plans.plans import Plan
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.capacity import read_units
from tablewright.dynamodb.values.vectors import search_bytes
from tablewright.errors import TablewrightError
from tablewright.generate.diagrams.partitions import index_condition, projection_text
from tablewright.generate.example_partitions import ItemCollection, item_collections
from tablewright.generate.samples.sample_data import sample_data

HEAD = (
    "pattern",
    "description",
    "call",
    "index",
    "key condition",
    "filter",
    "order",
    "parameters",
    "returns",
    "cost",
)
_CALLS = {
    "get": "GetItem",
    "find": "Query",
    "query": "Query",
    "scan": "Scan",
    "batch": "BatchGetItem",
    "nearest": "SearchVectors",
}
_ASSUMED_SIZE = 1024
"""Bytes of an item whose entity declares no expected size, as `explain` assumes."""


def pattern_row(plan: Plan) -> tuple[str, ...]:
    """The row of one pattern."""
    return (
        plan.name,
        plan.description,
        _call(plan),
        plan.index.name if plan.index else "(table)",
        " AND ".join(map(str, plan.clauses)) or "all items",
        plan.filter.source if plan.filter else "",
        _order(plan),
        ", ".join(_parameters(plan)),
        _returns(plan),
        _cost(plan),
    )


def _call(plan: Plan) -> str:
    """The call; a read by a lock makes two, for the lock and for its owner."""
    call = f"{_CALLS[plan.kind]} (lock, then owner)" if plan.lock else _CALLS[plan.kind]
    return call + (", consistent" if plan.pattern.consistent else "")


def _order(plan: Plan) -> str:
    """The order of the items: by the sort key, if there is one."""
    if plan.kind == "nearest":
        return "nearest first"
    sort = plan.index.sort if plan.index else plan.table.key[1:]
    if plan.kind != "query" or not sort:
        return ""
    return f"{', '.join(sort)} {'descending' if plan.pattern.descending else 'ascending'}"


def _parameters(plan: Plan) -> list[str]:
    return [
        f"{name}: {_parameter_type(info.annotation)}"
        + ("" if info.is_required() else f" = {_default(info.default)}")
        for name, info in plan.pattern.model_fields.items()
    ]


def _parameter_type(annotation: Any) -> str:
    plain, _ = plain_type(annotation)
    if get_origin(plain) in (list, set, tuple, frozenset) and get_args(plain):
        return f"{type_name(plain)} of {_parameter_type(get_args(plain)[0])}"
    return type_name(plain)


def _default(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(getattr(value, "value", value))


def _returns(plan: Plan) -> str:
    names = " or ".join(layout.entity.__name__ for layout in plan.layouts)
    fields = f" ({', '.join(plan.pattern.fields)})" if plan.pattern.fields else ""
    many = "" if plan.kind in ("get", "find") else "list of "
    scores = " with scores" if plan.kind == "nearest" else ""
    return f"{many}{names}{fields}{scores}"


def _cost(plan: Plan) -> str:
    """Read units of one run, by the sizes that the entities declare; a search is metered in bytes."""
    consistent = plan.pattern.consistent
    size = max(layout.expect.size or _ASSUMED_SIZE for layout in plan.layouts)
    if isinstance(plan.index, VectorIndex):
        most = plan.pattern.expected_items or limit_of(plan)
        return f"{search_bytes(plan.index.dimensions, most * size):,.0f} bytes for {most} items"
    if plan.kind in ("get", "find"):
        count = 2 if plan.lock else 1
        return f"{count * read_units(size, consistent=consistent):g} RCU"
    if plan.kind == "batch":
        return f"{read_units(size, consistent=consistent):g} RCU per item"
    items = plan.pattern.page_size or plan.pattern.expected_items
    if items:
        return f"{read_units(items * size, consistent=consistent):g} RCU for {items} items"
    return f"{read_units(1, consistent=consistent):g} RCU per 4 KB"


Row = tuple[str, ...]
_SAMPLES = 10
_NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
"""The time of the example items, fixed so that a document changes only when its design does."""
_EXAMPLES = (
    "One partition of the table and of each index, with its items as a query returns them (generated data)."
)

_KEY_TABLE = "Encryption keys of the secret fields. The library writes it; no entity is stored here."


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of text cells."""

    head: Row
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading and its content."""

    title: str
    paragraphs: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()
    collections: tuple[ItemCollection, ...] = ()
    parts: tuple["Chapter", ...] = ()
    figure: Table | None = field(default=None, compare=False)
    """The table that a diagram in this chapter shows."""


def document(design: Design) -> Chapter:
    """The document of a whole design, with example items. They are the same each time."""
    samples, problem = _samples(design)
    counts = [
        _count(len(design.tables), "table"),
        _count(len(design.entities), "entity", "entities"),
        _count(len(design.patterns), "access pattern"),
    ]
    return Chapter(
        design.name,
        (f"{', '.join(counts)}.", *([f"There are no example items: {problem}"] if problem else [])),
        parts=(
            *(_table(design, table, samples.get(table.name, ())) for table in design.tables),
            Chapter("Access patterns", grids=(Grid(HEAD, tuple(map(pattern_row, design.plans))),)),
            *_references(design),
            *_suppressed(design),
        ),
    )


def _samples(design: Design) -> tuple[Mapping[str, Sequence[Item]], str]:
    """The sample items by table; none and the reason, if the design cannot be run or has no samples."""
    try:
        return sample_data(design, _SAMPLES, now=_NOW).items, ""
    except TablewrightError as error:
        return {}, str(error).splitlines()[0]


def _count(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> _count(1, "table"), _count(2, "entity", "entities")
    ('1 table', '2 entities')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def _table(design: Design, table: Table, items: Sequence[Item]) -> Chapter:
    entities = design.entities_of(table)
    keys = Grid(("index", "partition key", "sort key", "projection"), tuple(_indexes(table)))
    collections = item_collections(design, table, items) if entities else ()
    examples = [Chapter(f"Item collections of {table.name}", (_EXAMPLES,), collections=collections)]
    return Chapter(
        f"Table {table.name}",
        (_settings(table), *([_KEY_TABLE] if table is design.key_table else [])),
        (keys, *_vector_indexes(table)),
        parts=(*(examples if collections else ()), *(_entity(entity) for entity in entities)),
        figure=table,
    )


def _settings(table: Table) -> str:
    settings = [_capacity(table.billing)]
    settings += [f"TTL attribute {table.ttl}"] if table.ttl else []
    settings += [f"stream {table.stream}"] if table.stream else []
    days = f" of {table.recovery_days} days" if table.recovery_days else ""
    settings += [f"point-in-time recovery{days}"] if table.point_in_time_recovery else []
    settings += ["deletion protection"] if table.deletion_protection else []
    settings += [f"encrypted with {table.encryption_key}"] if table.encryption_key else []
    settings += [f"replicas in {', '.join(table.replicas)}"] if table.replicas else []
    return "; ".join(settings) + "."


def _capacity(billing: Billing) -> str:
    if isinstance(billing, Autoscaled):
        return (
            f"Autoscaled between {billing.read} and {billing.max_read} read units, and between {billing.write} and "
            f"{billing.max_write} write units"
        )
    if isinstance(billing, Provisioned):
        return f"Provisioned with {billing.read} read and {billing.write} write units"
    return "Billed on demand"


def _indexes(table: Table) -> Iterator[Row]:
    yield "(table)", table.partition, table.sort or "", "all attributes"
    for index in table.indexes:
        kind = " (local)" if index.local else ""
        yield index.name + kind, ", ".join(index.partition), ", ".join(index.sort), projection_text(index)


def _vector_indexes(table: Table) -> Iterator[Grid]:
    if table.vector_indexes:
        head = ("vector index", "vector", "dimensions", "distance", "partition", "filters", "projection")
        rows = (
            (
                index.name,
                index.attribute,
                str(index.dimensions),
                index.distance,
                ", ".join(index.partition),
                ", ".join(index.filters),
                projection_text(index),
            )
            for index in table.vector_indexes
        )
        yield Grid(head, tuple(rows))


def _entity(entity: type[Entity]) -> Chapter:
    layout = entity.layout
    summary = (entity.__doc__ or "").strip().partition("\n")[0]
    typed = f"Stored with {layout.table.discriminator} = {layout.type_name}." if layout.type_name else ""
    missing = [write for write in ("update", "delete") if write not in layout.writes]
    limited = f"Never {' or '.join(f'{write}d' for write in missing)} after it is created." if missing else ""
    keys = Grid(("where", "key", "present when"), tuple(_keys(layout)))
    fields = Grid(("field", "stored as", "type", "notes"), tuple(_fields(layout)))
    return Chapter(entity.__name__, tuple(filter(None, (summary, typed, limited))), (keys, fields))


def _keys(layout: Layout) -> Iterator[Row]:
    for key in (layout.primary, *layout.indexes):
        yield key.index.name if key.index else "(table)", key_text(key), _condition(layout, key)
    for copy in layout.copies:
        for key in copy.keys:
            where = f"copy {copy.name}{' in ' + key.index.name if key.index else ''}"
            carried = f"; has {', '.join(copy.copy.fields)}" if copy.copy.fields is not None else ""
            yield where, key_text(key), _condition(layout, key, copy.copy.each) + carried
    for lock in layout.locks:
        yield f"lock of {lock.field.name}", key_text(lock.key), _condition(layout, lock.key)


def _condition(layout: Layout, key: KeyLayout, element: str | None = None) -> str:
    """When an item with that key exists; a copy may exist for each element of a field."""
    condition = index_condition(layout, key) or "always"
    if element is None:
        return condition
    return f"for each of {element}" + ("" if condition == "always" else f", when {condition}")


def key_text(key: KeyLayout) -> str:
    """A key as a design document writes it."""
    return ", ".join(f"{attribute} = {template.text}" for attribute, template in key.parts)


def _fields(layout: Layout) -> Iterator[Row]:
    for field_layout in layout.fields.values():
        yield (
            field_layout.name,
            field_layout.stored,
            type_text(field_layout),
            "; ".join(_notes(field_layout, layout)),
        )
    for field_layout in layout.computed.values():
        yield field_layout.name, "", type_text(field_layout), "computed, part of keys"


def type_text(field_layout: FieldLayout) -> str:
    """The type of a field, for readers."""
    shown = _type(field_layout.annotation)
    return f"{shown}, optional" if field_layout.optional else shown


def _type(annotation: Any) -> str:
    """The name of a type, for readers.

    >>> _type(list[str]), _type(str | int)
    ('list of str', 'str or int')
    """
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(inner[0])
    if origin in (Union, UnionType):
        return " or ".join(_type(option) for option in inner)
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if origin is None:
        return getattr(annotation, "__name__", str(annotation))
    return f"{origin.__name__} of {' and '.join(_type(option) for option in inner if option is not Ellipsis)}"


def _target(marker: References) -> str:
    return f"{marker.target_name}.{marker.field}" if marker.field else marker.target_name


def _notes(field_layout: FieldLayout, layout: Layout) -> Iterator[str]:
    for marker in field_layout.markers:
        name = type(marker).__name__
        if isinstance(marker, References):
            yield f"{'owned by' if isinstance(marker, OwnedBy) else 'refers to'} {_target(marker)}"
        if isinstance(marker, Unique) and marker.within:
            yield f"unique within {', '.join(marker.within)}"
        elif isinstance(marker, Vector):
            yield f"vector of {marker.dimensions} numbers"
        elif name in ("Unique", "Encrypted", "Hashed", "Ttl", "Counter", "Version"):
            yield {"Ttl": "TTL"}.get(name, name.lower())
    if field_layout.automatic:
        yield {"created": "set when created", "touched": "set on every write"}.get(
            field_layout.automatic, field_layout.automatic
        )
    if layout.entity.model_fields[field_layout.name].default_factory is ulid:
        yield "new ULID by default"
    if isinstance(field_layout.annotation, type) and issubclass(field_layout.annotation, Enum):
        yield f"one of {', '.join(allowed_values(field_layout.annotation) or ())}"


def _references(design: Design) -> Iterator[Chapter]:
    if design.references:
        listings = {
            ownership.reference.name: ownership
            for entity in design.entities
            for ownership in design.owned_by(entity)
        }
        rows = tuple(_reference(reference, listings.get(reference.name)) for reference in design.references)
        yield Chapter("References", grids=(Grid(("field", "refers to", "by", "deleted with it"), rows),))


def _reference(reference: DeclaredReference, listing: Ownership | None) -> Row:
    sources = ", ".join(f"{name} = {own}" for name, own in reference.sources.items())
    route = f"the lock of {reference.lock.name}" if reference.lock else "the primary key"
    listed = ""
    if listing is not None:
        where = f" in {listing.key.index.name}" if listing.key.index else ""
        listed = f"yes, listed by {' AND '.join(map(str, listing.clauses))}{where}"
    many = "each is " if reference.many else ""
    return (
        reference.name,
        f"{many}{reference.target.__name__} ({sources})",
        reference.problem or route,
        listed,
    )


def _suppressed(design: Design) -> Iterator[Chapter]:
    if design.suppress:
        grid = Grid(("finding", "reason"), tuple(design.suppress.items()))
        yield Chapter("Accepted findings", grids=(grid,))
