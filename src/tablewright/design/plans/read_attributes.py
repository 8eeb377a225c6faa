"""Read attributes: the attributes of an item that a pattern needs to return it.

Besides the returned fields these are what decoding looks at: the type, the expiry, the schema version, the values that
encrypted fields are bound to, and the mark of copies. An index must project them.
"""

from collections.abc import Iterable, Iterator

from tablewright.design.fields.markers import Encrypted, Unique
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.design.layouts.reserved_attributes import KEPT, OWNER, SCHEMA_VERSION
from tablewright.design.plans.plans import Plan, copy_keys


def returned_fields(plan: Plan, layout: Layout) -> list[FieldLayout]:
    """The fields of an entity that a pattern returns: its `fields`, or all."""
    names = plan.pattern.fields or tuple(layout.fields)
    return [layout.fields[name] for name in names if name in layout.fields]


def needed_attributes(plan: Plan, layout: Layout) -> tuple[str, ...]:
    """The attributes without which a pattern cannot return the entity, or would return the wrong items."""
    return tuple(dict.fromkeys(_needed(plan, layout)))


def projected_attributes(plan: Plan) -> tuple[str, ...]:
    """The attributes that a pattern with `fields` requests: those it needs, the keys, and the marks that are stored."""
    table, index = plan.table, plan.index
    needed = [name for layout in plan.layouts for name in needed_attributes(plan, layout)]
    marks = [table.discriminator, *([table.ttl] if table.ttl else []), OWNER, KEPT]
    stored = [name for name in marks if index is None or index.holds(table, name)]
    return tuple(dict.fromkeys([*needed, *table.key, *(index.key if index else ()), *stored]))


def lacking_attributes(plan: Plan, layout: Layout) -> list[str]:
    """The needed attributes that the index of a pattern does not contain.

    DynamoDB completes a row of a local index from the table when the attributes are named, so `fields` are never
    missing there; a filter sees only what the index contains.
    """
    index = plan.index
    if index is None:
        return []
    filtered = _stored(layout, plan.filter.fields if plan.filter else ())
    completed = index.local and bool(plan.pattern.fields) and not layout.upcasts
    names = [*filtered, *(() if completed else needed_attributes(plan, layout))]
    return [name for name in dict.fromkeys(names) if not index.holds(plan.table, name)]


def _needed(plan: Plan, layout: Layout) -> Iterator[str]:
    table = plan.table
    for field in returned_fields(plan, layout):
        yield field.stored
        encrypted: Encrypted | None = field.marker(Encrypted)
        yield from _stored(layout, encrypted.context if encrypted else ())
    if layout.type_name or any(copy.copy.type for copy in layout.copies):
        yield table.discriminator
    if table.ttl is not None and layout.field_stored_as(table.ttl):
        yield table.ttl
    if layout.upcasts:
        yield SCHEMA_VERSION
    if _may_meet_dependents(plan, layout):
        yield OWNER


def _may_meet_dependents(plan: Plan, layout: Layout) -> bool:
    """Whether copies or locks of the entity are in the index: a read must distinguish them from the entity."""
    index = plan.index
    if index is None:
        return False
    if copy_keys(layout, index):
        return True
    return bool(layout.marked(Unique)) and set(index.key) <= set(plan.table.key)


def _stored(layout: Layout, names: Iterable[str]) -> list[str]:
    return [layout.fields[name].stored for name in names if name in layout.fields]
