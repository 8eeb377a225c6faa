"""The design document: chapters with paragraphs and tables, which `markdown` and `html` render."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.layouts.layouts import FieldLayout, KeyLayout, Layout
from tablewright.design.plans.plans import Plan
from tablewright.design.tables.billing import Provisioned
from tablewright.design.tables.tables import Index, Table

Row = tuple[str, ...]


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
    parts: tuple["Chapter", ...] = ()
    figure: Table | None = field(default=None, compare=False)
    """The table that a diagram in this chapter shows."""


def document(design: Design) -> Chapter:
    """The document of a whole design."""
    counts = f"{len(design.tables)} tables, {len(design.entities)} entities, {len(design.patterns)} access patterns."
    return Chapter(
        design.name,
        (counts,),
        parts=(
            *(_table(design, table) for table in design.tables),
            Chapter("Access patterns", grids=tuple(_patterns(design.plans))),
            *_suppressed(design),
        ),
    )


def _table(design: Design, table: Table) -> Chapter:
    entities = design.entities_of(table)
    keys = Grid(("index", "partition key", "sort key", "projection"), tuple(_indexes(table)))
    return Chapter(
        f"Table {table.name}",
        (_settings(table),),
        (keys,),
        tuple(_entity(entity) for entity in entities),
        table,
    )


def _settings(table: Table) -> str:
    billing = table.billing
    paid = (
        f"{billing.read} read and {billing.write} write units"
        if isinstance(billing, Provisioned)
        else "on demand"
    )
    settings = ["Billed on demand" if paid == "on demand" else f"Provisioned with {paid}"]
    settings += [f"TTL attribute {table.ttl}"] if table.ttl else []
    settings += [f"stream {table.stream}"] if table.stream else []
    settings += ["point-in-time recovery"] if table.point_in_time_recovery else []
    settings += ["deletion protection"] if table.deletion_protection else []
    settings += [f"encrypted with {table.encryption_key}"] if table.encryption_key else []
    return "; ".join(settings) + "."


def _indexes(table: Table) -> Iterator[Row]:
    yield "(table)", table.partition, table.sort or "", "all attributes"
    for index in table.indexes:
        kind = " (local)" if index.local else ""
        yield index.name + kind, ", ".join(index.partition), ", ".join(index.sort), _projection(index)


def _projection(index: Index) -> str:
    if isinstance(index.projection, tuple):
        return "keys, " + ", ".join(index.projection)
    return {"ALL": "all attributes", "KEYS_ONLY": "keys"}.get(index.projection, index.projection)


def _entity(entity: type[Entity]) -> Chapter:
    layout = entity.layout
    summary = (entity.__doc__ or "").strip().partition("\n")[0]
    typed = f"Stored with {layout.table.discriminator} = {layout.type_name}." if layout.type_name else ""
    keys = Grid(("where", "key"), tuple(_keys(layout)))
    fields = Grid(("field", "stored as", "type", "notes"), tuple(_fields(layout)))
    return Chapter(entity.__name__, tuple(filter(None, (summary, typed))), (keys, fields))


def _keys(layout: Layout) -> Iterator[Row]:
    for key in (layout.primary, *layout.indexes):
        yield key.index.name if key.index else "(table)", key_text(key)
    for copy in layout.copies:
        for key in copy.keys:
            yield f"copy {copy.name}{' in ' + key.index.name if key.index else ''}", key_text(key)
    for lock in layout.locks:
        yield f"lock of {lock.field.name}", key_text(lock.key)


def key_text(key: KeyLayout) -> str:
    """A key as a design document writes it."""
    return ", ".join(f"{attribute} = {template.text}" for attribute, template in key.parts)


def _fields(layout: Layout) -> Iterator[Row]:
    for each in layout.fields.values():
        yield each.name, each.stored, type_text(each), ", ".join(_notes(each))


def type_text(each: FieldLayout) -> str:
    """The type of a field, for readers."""
    shown = _type(each.annotation)
    return f"{shown}, optional" if each.optional else shown


def _type(annotation: Any) -> str:
    """The name of a type, for readers.

    >>> _type(list[str]), _type(str | int)
    ('list of str', 'str or int')
    """
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(inner[0])
    if origin in (Union, UnionType):
        return " or ".join(_type(each) for each in inner)
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if origin is None:
        return getattr(annotation, "__name__", str(annotation))
    return f"{origin.__name__} of {' and '.join(_type(each) for each in inner if each is not Ellipsis)}"


def _notes(each: FieldLayout) -> Iterator[str]:
    for marker in each.markers:
        name = type(marker).__name__
        if name in ("Unique", "Encrypted", "Hashed", "Ttl", "Counter", "Version"):
            yield {"Ttl": "TTL"}.get(name, name.lower())
    if each.automatic:
        yield {"created": "set when created", "touched": "set on every write"}.get(
            each.automatic, each.automatic
        )


def _patterns(plans: Iterable[Plan]) -> Iterator[Grid]:
    head = ("pattern", "description", "call", "index", "key", "returns")
    yield Grid(head, tuple(_pattern(plan) for plan in plans))


def _pattern(plan: Plan) -> Row:
    calls = {"get": "GetItem", "find": "Query", "query": "Query", "scan": "Scan", "batch": "BatchGetItem"}
    returned = " or ".join(layout.entity.__name__ for layout in plan.layouts)
    key = ", ".join(map(str, plan.clauses)) or "all items"
    return plan.name, plan.description, calls[plan.kind], plan.index.name if plan.index else "", key, returned


def _suppressed(design: Design) -> Iterator[Chapter]:
    if design.suppress:
        grid = Grid(("finding", "reason"), tuple(design.suppress.items()))
        yield Chapter("Accepted findings", grids=(grid,))
