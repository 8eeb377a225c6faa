"""Partitions: what a diagram shows. For a table and for each index: the partition keys, and the entities in each.

Entities whose partition keys have the same form share a partition, whatever their fields are called: `USER#{id}` of a
user and `USER#{user_id}` of an order.

Entities with references have a place of their own: each target, and the entities that refer to it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any, get_origin

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.annotations import plain_type
from tablewright.design.indexes import Index, VectorIndex
from tablewright.design.keys.keys import Sparse
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.tables import Table
from tablewright.design.validation.vector_rules import search_template, vector_field


def index_condition(layout: Layout, key: KeyLayout) -> str:
    """When an entity has that key, in words; names are those of fields. Empty if it always has.

    An item is in a sparse index if the condition of `Sparse` holds. It is in any index only if all fields of its key
    have a value, so optional fields of the key belong to the condition.
    """
    conditions = _declared(layout, key.sparse) if key.sparse else {}
    for _, template in key.parts:
        for name in template.names:
            field = layout.field(name)
            if field is not None and field.optional:
                conditions.setdefault(name, f"{name} has a value")
    return " and ".join(conditions.values())


def _declared(layout: Layout, sparse: Sparse) -> dict[str, str]:
    """The condition of each field in `when`.

    `when="is_open"` holds if the field is true, or has a value other than 0 and the empty text; `when={...}` if each
    field has its value, where None means that the field is absent.
    """
    if isinstance(sparse.when, Mapping):
        return {name: _equals(name, value) for name, value in sparse.when.items()}
    return {name: _holds(layout, name) for name in sparse.names}


def _equals(name: str, value: Any) -> str:
    if value is None:
        return f"{name} is absent"
    return f"{name} is {_shown(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, Enum):
        return _shown(value.value)
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _holds(layout: Layout, name: str) -> str:
    """What a truth value means for the type of a field."""
    field = layout.field(name)
    kind = plain_type(field.annotation)[0] if field else None
    if kind is bool:
        return f"{name} is true"
    if kind in (int, float, Decimal):
        return f"{name} is not 0"
    if kind is str or get_origin(kind) in (list, set, frozenset, tuple, dict):
        return f"{name} is not empty"
    return f"{name} has a value"


@dataclass(frozen=True, slots=True)
class DiagramEntity:
    """An entity in a partition."""

    entity: str
    sort_key: str
    """The template of its sort key; empty if there is no sort key."""
    note: str = ""
    """The condition of a sparse index, or the name of a copy."""


@dataclass(frozen=True, slots=True)
class DiagramPartition:
    """Items with the same partition key."""

    key: str
    members: tuple[DiagramEntity, ...]


@dataclass(frozen=True, slots=True)
class DiagramPlace:
    """The table, one of its indexes, or its references."""

    name: str
    keys: str
    """The names of its key attributes."""
    note: str
    partitions: tuple[DiagramPartition, ...]


def places(design: Design, table: Table) -> tuple[DiagramPlace, ...]:
    """The table, then its indexes in their order, then the references of its entities if there are any."""
    all_places = [
        DiagramPlace(table.name, _attributes(table.key), _table_note(table), _partitions(design, table, None))
    ]
    for index in table.indexes:
        note = f"{'local' if index.local else 'global'} index, {projection_text(index)}"
        all_places.append(
            DiagramPlace(index.name, _attributes(index.key), note, _partitions(design, table, index))
        )
    for vectors in table.vector_indexes:
        note = f"vector index of {vectors.attribute}, {vectors.dimensions} dimensions, {projection_text(vectors)}"
        all_places.append(
            DiagramPlace(
                vectors.name,
                _attributes((vectors.attribute, *vectors.key)),
                note,
                _vector_partitions(design, table, vectors),
            )
        )
    targets = _references(design, table)
    if targets:
        all_places.append(DiagramPlace("References", "target", "and the fields that refer to it", targets))
    return tuple(all_places)


def _vector_partitions(design: Design, table: Table, index: VectorIndex) -> tuple[DiagramPartition, ...]:
    """The entities of a vector index, by the templates of its partition."""
    groups: dict[str, list[DiagramEntity]] = {}
    for entity in design.entities_of(table):
        if vector_field(entity.layout, index) is not None:
            templates = [search_template(entity.layout, name) for name in index.partition]
            partition = (
                " + ".join(template.text if template else "-" for template in templates) or "all vectors"
            )
            groups.setdefault(partition, []).append(DiagramEntity(entity.__name__, index.attribute, ""))
    return tuple(DiagramPartition(partition, tuple(members)) for partition, members in groups.items())


def _references(design: Design, table: Table) -> tuple[DiagramPartition, ...]:
    """The targets of the references of a table's entities, each with the fields that refer to it."""
    fields: dict[str, list[DiagramEntity]] = {}
    for reference in design.references:
        if reference.entity.layout.table is table:
            note = "owned" if reference.is_owned else ""
            field = DiagramEntity(reference.entity.__name__, reference.field.name, note)
            fields.setdefault(reference.target.__name__, []).append(field)
    return tuple(DiagramPartition(target, tuple(members)) for target, members in fields.items())


def projection_text(index: Index) -> str:
    """What an index contains.

    >>> projection_text(Index("by-name", "name", projection=["email"]))
    'keys, email'
    """
    if isinstance(index.projection, tuple):
        return "keys, " + ", ".join(index.projection)
    return {"ALL": "all attributes", "KEYS_ONLY": "keys"}.get(index.projection, index.projection)


def _table_note(table: Table) -> str:
    return f"table, expiry in {table.ttl}" if table.ttl else "table"


def _attributes(names: tuple[str, ...]) -> str:
    return ", ".join(names)


def _partitions(design: Design, table: Table, index: Index | None) -> tuple[DiagramPartition, ...]:
    """The partitions with the most entities first."""
    groups: dict[str, tuple[Counter[str], list[DiagramEntity]]] = {}
    names = index.partition if index else (table.partition,)
    for entity in design.entities_of(table):
        for key, note in _keys(entity, index):
            parts = dict(key.parts)
            partition = " + ".join(parts[name].text for name in names)
            sort = " + ".join(template.text for name, template in key.parts if name not in names)
            texts, members = groups.setdefault(_form(*(parts[name] for name in names)), (Counter(), []))
            texts[partition] += 1
            condition = index_condition(entity.layout, key)
            condition = f"when {condition}" if condition else ""
            members.append(DiagramEntity(entity.__name__, sort, ", ".join(filter(None, (note, condition)))))
    ordered = sorted(groups.values(), key=lambda group: -len(group[1]))
    return tuple(DiagramPartition(texts.most_common(1)[0][0], tuple(members)) for texts, members in ordered)


def _keys(entity: type[Entity], index: Index | None) -> Iterator[tuple[KeyLayout, str]]:
    own = entity.layout.key_for(index)
    if own is not None:
        yield own, ""
    for copy in entity.layout.copies:
        for key in copy.keys:
            if key.index is index:
                yield key, f"copy {copy.name}"
    for lock in entity.layout.locks:
        if lock.key.index is index:
            yield lock.key, f"lock of {lock.field.name}"


def _form(*templates: Template) -> str:
    """The text of templates without the names of their fields."""
    return " + ".join(re.sub(r"\{\w+", "{", template.text) for template in templates)
