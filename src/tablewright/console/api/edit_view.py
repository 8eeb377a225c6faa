"""The edit view: forms of entities, the effects of staged edits, one transaction for all of them, and undo."""

import json
from typing import Any

from tablewright.access.items.item_values import describe_key
from tablewright.access.writes.write_capacity import MeteredChange
from tablewright.console.changes.edit_effects import effects, item_changes
from tablewright.console.changes.staged_edits import (
    StagedEdit,
    entity_problem,
    fingerprint,
    plan_edits,
    read_entity,
    read_item,
    transact,
)
from tablewright.console.endpoints import Body, Conflict, ConsoleRequest, get, post
from tablewright.console.items.key_texts import key_from_json, with_bytes
from tablewright.console.open_designs import OpenDesign
from tablewright.console.patterns.pattern_examples import form_schema
from tablewright.console.shown_items import identify, show_item
from tablewright.console.transaction_members import member_key
from tablewright.console.undo_log import undone_items
from tablewright.design.fields.markers import Counter, Version
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item, admit_item
from tablewright.errors import UsageError


class Edits(Body):
    """The body of a preview and of a commit."""

    edits: list[StagedEdit]


class UndoRequest(Body):
    """The body of an undo."""

    undo: str


def describe_form(request: ConsoleRequest) -> dict[str, Any]:
    """Return the form of an entity: its JSON schema, and the fields that are set by the library."""
    return _form(_layout(request.design, request.text("entity")))


def read_for_edit(request: ConsoleRequest) -> dict[str, Any]:
    """Return an item to edit: how it is shown, its values by field, and its fingerprint."""
    opened = request.design
    table = opened.table(request.text("table"))
    key = _key(table, request.text("key"))
    item = read_item(opened, table, key)
    if item is None:
        raise UsageError(f"{request.text('table')} has no item {describe_key(key)}; it was deleted")
    identity = identify(opened, table, item)
    shown = show_item(opened, table, item)
    if identity.role == "entity":
        shown["problem"] = entity_problem(opened, table, item)
    is_entity = identity.role == "entity" and not shown["problem"]
    reply = {"shown": shown, "fingerprint": fingerprint(item), "form": None, "values": None}
    if is_entity and identity.layout is not None:
        layout = identity.layout
        entity = read_entity(opened, layout, item)
        hidden = set() if opened.reveal else set(layout.secrets)
        reply["values"] = entity.model_dump(mode="json", by_alias=False, include=set(layout.fields) - hidden)
        reply["form"] = _form(layout)
    return reply


def preview(request: ConsoleRequest) -> dict[str, Any]:
    """Return everything that saving the edits would touch; nothing is written."""
    body = request.parse(Edits)
    return effects(request.design, plan_edits(request.design, body.edits))


def commit(request: ConsoleRequest) -> dict[str, Any]:
    """Save all edits in one transaction, or none; return what was touched, and the name that undoes it."""
    opened = request.design
    members = plan_edits(opened, request.parse(Edits).edits)
    touched = effects(opened, members)
    changes = item_changes(opened, members)
    layouts = [
        identify(opened, member.table, change.after or change.before or member_key(member)).layout
        for member, change in changes
    ]
    transact(opened, members)
    names = {table: name for name, table in opened.tables.items()}
    changes = [
        (member, MeteredChange(with_bytes(change.before), with_bytes(change.after)))
        for member, change in changes
    ]
    undone = undone_items(changes, names, layouts, opened.attributes_of)
    return touched | {"undo": opened.undo_log.add(undone)}


def undo(request: ConsoleRequest) -> dict[str, Any]:
    """Restore what a transaction changed, by a new write, if no item has changed since."""
    opened, name = request.design, request.parse(UndoRequest).undo
    items = opened.undo_log.items(name)
    for item in items:
        stored = read_item(opened, item.table, item.key)
        if (stored and admit_item(stored)[0]) != (item.after and admit_item(item.after)[0]):
            raise Conflict(f"nothing was undone: {describe_key(item.key)} has changed since")
    members = [restored.member() for restored in items]
    touched = effects(opened, members)
    transact(opened, members)
    opened.undo_log.forget(name)
    return touched


def _form(layout: Layout) -> dict[str, Any]:
    return {
        "entity": layout.entity.__name__,
        "schema": form_schema(layout.entity, layout.secrets),
        "key_fields": layout.primary.names,
        "automatic": [field.name for field in layout.fields.values() if field.automatic]
        + [field.name for kind in (Version, Counter) for field, _ in layout.marked(kind)],
        "secret": layout.secrets,
        "writes": layout.writes,
    }


def _layout(opened: OpenDesign, name: str) -> Layout:
    for entity in opened.design.entities:
        if entity.__name__ == name:
            return entity.layout
    raise UsageError(f"{opened.name} has no entity {name}")


def _key(table: Table, text: str) -> Item:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError(
            f"key is the primary key of an item, in DynamoDB's JSON; got {text[:100]!r}"
        ) from None
    return key_from_json(table, content)


ROUTES = [
    get("/edit/form", describe_form),
    get("/edit/item", read_for_edit),
    post("/edit/preview", preview, writes=False),
    post("/edit/commit", commit, writes=True),
    post("/edit/undo", undo, writes=True),
]
