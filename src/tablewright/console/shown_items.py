"""Shown items: an item as the page shows it, with its entity, the parts of its keys, and without secret values."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tablewright.access.items.footprint import is_dependent, stored_owner_key
from tablewright.access.items.item_values import describe_key, key_of
from tablewright.access.items.unique_locks import is_lock, lock_in
from tablewright.access.items.vault import compute_with_keys
from tablewright.access.procedures import run_sync
from tablewright.console.key_parts import KeyPart, key_parts
from tablewright.console.open_designs import OpenDesign
from tablewright.design.indexes import Index, VectorIndex
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import KEPT, OWNER, KeyLayout, Layout
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import AttributeValue, Item, base64_text
from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.errors import TablewrightError, UnknownItem
from tablewright.lifecycle.traversal.item_entities import layouts_for

LOG = logging.getLogger("tablewright.console")

Role = Literal["entity", "copy", "lock", "unknown"]
HIDDEN: AttributeValue = {"HIDDEN": True}
"""Stands for the value of a secret field in everything that is sent to the browser."""


@dataclass(frozen=True)
class Identity:
    """What an item is: an entity, a copy or a lock of one, or unknown."""

    role: Role
    layout: Layout | None
    keys: tuple[KeyLayout, ...] = ()
    """The keys whose templates its key attributes follow."""


def identify(opened: OpenDesign, table: Table, item: Item, index: Index | None = None) -> Identity:
    """Find the entity that an item is of, or is a copy or a lock of.

    A row of an `index` that does not hold the type or the owner is found by its keys.
    """
    layouts = [entity.layout for entity in opened.design.entities_of(table)]
    if index is not None and not (index.holds(table, table.discriminator) and index.holds(table, OWNER)):
        return _identity_by_key(layouts, item)
    if is_lock(table, item):
        name = str(item[table.partition]["S"]).split("#")[1]
        owner = next(
            (layout for layout in layouts if name in (layout.type_name, layout.entity.__name__)), None
        )
        return Identity("lock", owner)
    if (chosen := lock_in(layouts, item)) is not None:
        return Identity("lock", chosen[0], (chosen[1].key,))
    if is_dependent(item):
        return _copy_identity(layouts, table, item)
    candidates = layouts_for(opened.design, table, item)
    if not candidates:
        return Identity("unknown", None)
    return Identity("entity", candidates[0], (candidates[0].primary, *candidates[0].indexes))


def _identity_by_key(layouts: Iterable[Layout], item: Item) -> Identity:
    key_layouts = []
    for layout in layouts:
        forms: list[tuple[Role, tuple[KeyLayout, ...]]] = [("entity", (layout.primary, *layout.indexes))]
        forms += [("copy", copy.keys) for copy in layout.copies]
        forms += [("lock", (lock.key,)) for lock in layout.locks]
        for role, keys in forms:
            if all(_parts_of(item, attribute, template) for attribute, template in keys[0].parts):
                key_layouts.append(Identity(role, layout, keys))
    return key_layouts[0] if len(key_layouts) == 1 else Identity("unknown", None)


def _copy_identity(layouts: Iterable[Layout], table: Table, item: Item) -> Identity:
    type_name = item.get(table.discriminator, {}).get("S")
    for layout in layouts:
        for copy in layout.copies:
            if type_name == (copy.copy.type or layout.type_name) and all(
                _parts_of(item, attribute, template) for attribute, template in copy.primary.parts
            ):
                return Identity("copy", layout, copy.keys)
    return Identity("unknown", None)


def show_item(
    opened: OpenDesign,
    table: Table,
    item: Item,
    index: Index | None = None,
    identity: Identity | None = None,
) -> dict[str, Any]:
    """Describe an item for the page; `index` is the index that it was read from, `identity` what it is, if known.

    - `role`: `entity`, `copy`, `lock` or `unknown`; `entity`: the name of its class, or None
    - `key`: its primary key, in DynamoDB's JSON; `title`: the key as text
    - `key_parts`: for each key attribute, its text in parts: literal text, and fields with their names
    - `item`: the item in DynamoDB's JSON; secret values are replaced by `{"HIDDEN": true}`
    - `attributes`: the field of each attribute that is a field
    - `owner`: for a copy or a lock, the primary key of its entity
    - `problem`: why the item is not a valid entity, or None
    """
    identity = identity or identify(opened, table, item, index)
    layout = identity.layout
    return {
        "table": opened.db.context.table_name(table),
        "role": identity.role,
        "entity": layout.entity.__name__ if layout else None,
        "title": describe_key(key_of(table, item)),
        "key": key_of(table, item),
        "key_parts": _key_parts(table, identity.keys, item),
        "item": visible(opened, table, item, layout),
        "attributes": {field.stored: field.name for field in layout.fields.values()} if layout else {},
        "owner": stored_owner_key(table, item),
        "problem": _problem(opened, table, identity, item)
        if index is None or (index.projection == "ALL" and not isinstance(index, VectorIndex))
        else None,
        "size": item_size(item),
    }


def visible(opened: OpenDesign, table: Table, item: Item, layout: Layout | None = None) -> Item:
    """Return an item as it may be sent to the browser: secret values hidden, or decrypted with --reveal.

    Without a layout, every attribute that is secret in an entity of the table is hidden.
    """
    secrets = secret_attributes(opened, table)
    if secrets.isdisjoint(_names(item)):
        return item
    if opened.reveal and layout is not None:
        return _revealed(opened, layout, item)
    return hide(secrets, item)


def hide(secrets: frozenset[str], item: Item) -> Item:
    """Return an item without the values of these attributes; those that a copy keeps in a map are hidden too."""
    hidden = {name: HIDDEN if name in secrets else value for name, value in item.items()}
    if KEPT in item:
        hidden[KEPT] = {"M": hide(secrets, item[KEPT].get("M", {}))}
    return hidden


def secret_attributes(opened: OpenDesign, table: Table) -> frozenset[str]:
    """Return the attributes that are secret in an entity of a table, and those that hold keys in the key table."""
    if table is opened.design.key_table:
        return _KEY_ATTRIBUTES
    layouts = (entity.layout for entity in opened.design.entities_of(table))
    return frozenset(layout.fields[name].stored for layout in layouts for name in layout.secrets)


_KEY_ATTRIBUTES = frozenset({"keys"})


def _revealed(opened: OpenDesign, layout: Layout, item: Item) -> Item:
    decoder = opened.db.context.decoder(layout)
    work = compute_with_keys(lambda: decoder.decrypted(item))
    try:
        result = run_sync(work, opened.db.connection.call)
    except TablewrightError:
        return hide(secret_attributes(opened, layout.table), item)
    LOG.warning("revealed secrets of %s %s", layout.entity.__name__, describe_key(key_of(layout.table, item)))
    return result


def _names(item: Item) -> Iterable[str]:
    return item.keys() | item[KEPT].get("M", {}).keys() if KEPT in item else item.keys()


def _key_parts(table: Table, keys: Iterable[KeyLayout], item: Item) -> dict[str, list[KeyPart]]:
    templates = {attribute: template for key in keys for attribute, template in key.parts}
    parts: dict[str, list[KeyPart]] = {}
    for attribute in table.key_attributes:
        if attribute in item:
            template = templates.get(attribute)
            split = _parts_of(item, attribute, template) if template else _lock_parts(table, attribute, item)
            parts[attribute] = split or [KeyPart(text=value_text(item[attribute]), field=None)]
    return parts


def _lock_parts(table: Table, attribute: str, item: Item) -> list[KeyPart] | None:
    """Split the key of a lock that the library has made, `_lock#USER#email#ada@x`: the last part is the value."""
    if attribute != table.partition or not is_lock(table, item):
        return None
    match value_text(item[attribute]).split("#", 3):
        case [*names, field, value] if len(names) > 1:
            return [KeyPart(text="#".join([*names, field, ""]), field=None), KeyPart(text=value, field=field)]
    return None


def _parts_of(item: Item, attribute: str, template: Template) -> list[KeyPart] | None:
    return key_parts(template, value_text(item.get(attribute, {})))


def value_text(value: Mapping[str, Any]) -> str:
    """Return a key value as text; of bytes, base64."""
    content = next(iter(value.values()), "")
    return base64_text(content) if isinstance(content, bytes) else str(content)


def _problem(opened: OpenDesign, table: Table, identity: Identity, item: Item) -> str | None:
    layout = identity.layout
    if identity.role == "unknown":
        return "This item is of no entity of the design." if opened.design.entities_of(table) else None
    if identity.role == "lock" or layout is None or layout.secrets:
        return None
    try:
        opened.db.context.decoder(layout).make(item)
    except UnknownItem as error:
        return str(error)
    return None
