"""Item references: where the values of an item lead.

A field with `References` or `OwnedBy` leads to its target, or to the lock of its target.

Another field leads to an entity if the partition key of the entity has this field alone: `board_id` leads to the
partition `BOARD#{board_id}`. The elements of a list lead there if a `Copy` names them so. A copy or a lock leads to its
owner.

A name such as `id` that several entities use for different keys does not say which of them is meant: it leads only to
partitions with the same template as the item's own.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, TypedDict

from pydantic import TypeAdapter, ValidationError

from tablewright.access.items.footprint import (
    Dependent,
    former_dependents,
    has_dependents,
    reference_key,
    stored_owner_key,
)
from tablewright.access.items.item_values import describe_key, from_attribute, key_of, key_value, parse_key
from tablewright.access.items.unique_locks import lock_in, lock_owner
from tablewright.access.items.vault import compute_with_keys
from tablewright.access.procedures import run_sync
from tablewright.access.reads.item_reads import items_at
from tablewright.console.items.key_texts import partition_attributes, text_of
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import Identity
from tablewright.design.designs import Design
from tablewright.design.entities.references import DeclaredReference
from tablewright.design.indexes import Index
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import OWNER, KeyLayout, Layout, StoredModel
from tablewright.design.tables import Table
from tablewright.design.value_problems import describe_problems, problems_of
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import KeyValueError, TablewrightError, UsageError

MOST_ELEMENTS = 50
"""How many elements of a list have a link."""


class ItemLink(TypedDict):
    """A partition that a value leads to."""

    entity: str
    table: str
    partition: list[str]
    key: Item | None
    """The primary key of the item that a declared reference leads to; None if it leads to a partition."""


def links_of(opened: OpenDesign, table: Table, identity: Identity, item: Item) -> dict[str, list[ItemLink]]:
    """Return for each field that leads to other partitions the links of its value, the nearest entity first."""
    layout = identity.layout
    if layout is None or identity.role == "lock":
        return {}
    own = identity.keys[0].parts[0][1].text if identity.keys else ""
    values = list(_reference_values(layout, identity, item))
    by_attribute = _declared_links(opened, layout, {name: value for name, _, value in reversed(values)})
    declared = {reference.field.name for reference in opened.design.references_of(layout.entity)}
    for name, element, value in values:
        targets = _targets(opened.design, element, own)
        if name in declared or not targets or value is None:
            continue
        links = [
            link
            for target in targets
            if (link := _link(opened, target, element, value)) is not None
            and not (target.table is table and link["partition"] == [text_of(item[table.partition])])
        ]
        by_attribute.setdefault(name, []).extend(links)
    return {name: links for name, links in by_attribute.items() if links}


def _declared_links(
    opened: OpenDesign, layout: Layout, values: Mapping[str, Any]
) -> dict[str, list[ItemLink]]:
    """The links of the fields with `References` and `OwnedBy`: to their targets, or to the locks of these."""
    links: dict[str, list[ItemLink]] = {}
    for reference in opened.design.references_of(layout.entity):
        if not reference.problem and reference.target.layout.secrets.isdisjoint(reference.sources):
            targets = islice(reference.targets(values), MOST_ELEMENTS)
            keys = (_target_key(reference, target) for target in targets)
            links[reference.field.name] = [
                _item_link(opened, reference.target.layout, key) for key in keys if key is not None
            ]
    return links


def _target_key(reference: DeclaredReference, target: Mapping[str, Any]) -> Item | None:
    layout = reference.target.layout
    try:
        return reference_key(reference, {name: _typed(layout, name, value) for name, value in target.items()})
    except (KeyValueError, ValidationError, ValueError, TypeError, AttributeError):
        return None


def _item_link(opened: OpenDesign, target: Layout, key: Item) -> ItemLink:
    table = target.table
    return ItemLink(
        entity=target.entity.__name__,
        table=opened.db.context.table_name(table),
        partition=[text_of(key[table.partition])],
        key=key,
    )


def _reference_values(layout: Layout, identity: Identity, item: Item) -> Iterator[tuple[str, str, Any]]:
    """Each field with a value: its name, the name it has in keys, and the value."""
    secrets = layout.secrets
    seen = set()
    for name, field in layout.fields.items():
        if name not in secrets and field.stored in item:
            seen.add(name)
            yield name, name, from_attribute(item[field.stored])
    for key in identity.keys:  # fields that other programs store in the key only, and the elements of copies
        for attribute, template in key.parts:
            for name, value in parse_key(item.get(attribute, {}), template).items():
                if name not in seen and name not in secrets:
                    seen.add(name)
                    yield name, name, value
    for copy in layout.copies:
        listed, element = copy.copy.each, copy.copy.name
        if listed is not None and element is not None and listed not in secrets and listed in layout.fields:
            elements = from_attribute(item.get(layout.fields[listed].stored, {"L": []}))
            for value in list(elements or ())[:MOST_ELEMENTS]:
                yield listed, element, value


def _link(opened: OpenDesign, target: Layout, name: str, value: Any) -> ItemLink | None:
    attribute, template = target.primary.parts[0]
    try:
        key = key_value(target.table, attribute, template, {name: _typed(target, name, value)})
    except (KeyValueError, ValidationError, ValueError, TypeError, AttributeError):
        return None
    table = opened.db.context.table_name(target.table)
    return ItemLink(entity=target.entity.__name__, table=table, partition=[text_of(key)], key=None)


def _typed(target: Layout, name: str, value: Any) -> Any:
    field = target.field(name)
    if field is None or (field.annotation is str and type(value) is str):
        return value
    return _adapter(target.entity, name).validate_python(value)


@lru_cache(maxsize=1024)
def _adapter(entity: type[StoredModel], name: str) -> TypeAdapter[Any]:
    field = entity.layout.field(name)
    assert field is not None
    return TypeAdapter(field.annotation)


@lru_cache(maxsize=4096)
def _targets(design: Design, name: str, own: str) -> tuple[Layout, ...]:
    """The entities in whose partition key a field is the only one; one for each partition, roots first.

    `own` is the template of the partition key of the item that has the field.
    """
    layouts = [
        layout for layout in (entity.layout for entity in design.entities) if _is_found_by(layout, name)
    ]
    roots = {layout.primary.parts[0][1].text for layout in layouts if not _has_siblings(layout)}
    targets: dict[tuple[Table, str], Layout] = {}
    for layout in sorted(layouts, key=_has_siblings):
        text = layout.primary.parts[0][1].text
        if len(roots) <= 1 or text == own:
            targets.setdefault((layout.table, text), layout)
    return tuple(targets.values())


def _is_found_by(layout: Layout, name: str) -> bool:
    field = layout.field(name)
    return layout.primary.parts[0][1].names == (name,) and field is not None and not field.is_secret


def _has_siblings(layout: Layout) -> bool:
    """Whether the sort key has fields of its own: then the partition has many of these entities."""
    return any(not template.is_constant for _, template in layout.primary.parts[1:])


def owner_key(table: Table, identity: Identity, item: Item) -> Item | None:
    """Return the primary key of the entity that a copy or a lock belongs to; None for other items."""
    if OWNER in item:
        return stored_owner_key(table, item)
    if identity.role == "lock" and identity.layout is not None:
        lock = lock_in([identity.layout], item)
        return lock_owner(*lock, item) if lock else None
    return None


def key_patterns(opened: OpenDesign) -> list[dict[str, Any]]:
    """Return the partition keys that the entities have in each table and index, as templates."""
    forms: dict[tuple[str, str | None, tuple[str, ...]], dict[str, Any]] = {}
    for name, table in opened.tables.items():
        for layout, key in _keys_in(opened, table):
            templates = _partition_templates(table, key)
            index = key.index.name if key.index else None
            entry = forms.setdefault(
                (name, index, tuple(template.text for template in templates)),
                {
                    "table": name,
                    "index": index,
                    "templates": [template.text for template in templates],
                    "fields": list(
                        dict.fromkeys(field for template in templates for field in template.names)
                    ),
                    "prefix": templates[0].prefix,
                    "entities": [],
                },
            )
            if layout.entity.__name__ not in entry["entities"]:
                entry["entities"].append(layout.entity.__name__)
    return list(forms.values())


def _keys_in(opened: OpenDesign, table: Table) -> Iterator[tuple[Layout, KeyLayout]]:
    for entity in opened.design.entities_of(table):
        layout = entity.layout
        for key in (layout.primary, *layout.indexes, *(key for copy in layout.copies for key in copy.keys)):
            yield layout, key


def _partition_templates(table: Table, key: KeyLayout) -> list[Template]:
    names = partition_attributes(table, key.index)
    return [template for attribute, template in key.parts if attribute in names]


def render_partition(
    opened: OpenDesign, table: Table, index: Index | None, texts: list[str], values: Mapping[str, str]
) -> list[str]:
    """Return the partition key of templates (`texts`) with these values of their fields, which are given as text."""
    for layout, key in _keys_in(opened, table):
        templates = _partition_templates(table, key)
        if key.index is index and [template.text for template in templates] == texts:
            names = partition_attributes(table, index)
            typed = {name: _parsed(layout, name, values) for template in templates for name in template.names}
            return [
                text_of(key_value(table, attribute, template, typed))
                for attribute, template in zip(names, templates, strict=True)
            ]
    place = opened.db.context.table_name(table)
    raise UsageError(f"no entity of {place} has the partition key {' and '.join(texts)} there")


def _parsed(layout: Layout, name: str, values: Mapping[str, str]) -> Any:
    text = values.get(name, "").strip()
    if not text:
        raise UsageError(f"{name} has no value; a partition is found by its whole key")
    try:
        return _typed(layout, name, text)
    except ValidationError as error:
        raise UsageError(describe_problems(problems_of(error)[:1], name)) from None


MOST_DEPENDENTS = 100


def dependents_of(opened: OpenDesign, table: Table, identity: Identity, item: Item) -> dict[str, Any]:
    """Return the copies and locks that an entity should have, by its fields, each with whether it is stored.

    `problem` says why they are not known: the secrets of the item cannot be decrypted.
    """
    layout = identity.layout
    if identity.role != "entity" or layout is None or not has_dependents(layout):
        return {"items": [], "count": 0, "problem": None}
    try:
        dependents = list(_dependents(opened, layout, item).items())
    except TablewrightError as error:
        return {"items": [], "count": 0, "problem": f"Copies and locks are not known: {error}"}
    keys = [key_of(table, dependent.item) for _, dependent in dependents[:MOST_DEPENDENTS]]
    stored = run_sync(items_at(opened.db.context, table, keys), opened.db.connection.call)
    shown = [_shown(table, dependent, stored.get(key)) for key, dependent in dependents[:MOST_DEPENDENTS]]
    return {"items": shown, "count": len(dependents), "problem": None}


def _dependents(opened: OpenDesign, layout: Layout, item: Item) -> dict[Any, Dependent]:
    context = opened.db.context
    decoder = context.decoder(layout)
    return run_sync(
        compute_with_keys(lambda: former_dependents(layout, decoder.decrypted(item), context.vault)),
        opened.db.connection.call,
    )


def _shown(table: Table, dependent: Dependent, stored: Item | None) -> dict[str, Any]:
    key = key_of(table, dependent.item)
    taken = stored is not None and any(stored.get(name) != value for name, value in dependent.mark.items())
    return {
        "role": "lock" if dependent.field else "copy",
        "name": dependent.field.name if dependent.field else dependent.copy,
        "key": key,
        "title": describe_key(key),
        "stored": stored is not None and not taken,
        "problem": _problem(stored, taken=taken),
    }


def _problem(stored: Item | None, *, taken: bool) -> str | None:
    if stored is None:
        return "This item is not stored. Check the items in Health, Integrity."
    return "An item of another owner has this key. Check the items in Health, Integrity." if taken else None
