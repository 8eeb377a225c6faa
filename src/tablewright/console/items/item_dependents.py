"""Item dependents: the copies and locks of an entity, and whether they are stored."""

from typing import Any

from tablewright.access.calls.procedures import run_sync
from tablewright.access.items.footprint import Dependent, former_dependents, has_dependents
from tablewright.access.items.key_values import describe_key, key_of
from tablewright.access.items.vault import compute_with_keys
from tablewright.access.reads.item_reads import items_at
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import Identity
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import TablewrightError

MOST_DEPENDENTS = 100


def dependents_of(opened: OpenDesign, table: Table, identity: Identity, item: Item) -> dict[str, Any]:
    """Return the copies and locks that an entity should have, by its fields, each with whether it is stored.

    `problem` says why they are not known: the secrets of the item cannot be decrypted.
    """
    layout = identity.layout
    if identity.role != "entity" or layout is None or not has_dependents(layout):
        return {"items": [], "count": 0, "problem": None}
    try:
        found = list(_dependents(opened, layout, item).items())
    except TablewrightError as error:
        return {"items": [], "count": 0, "problem": f"Copies and locks are not known: {error}"}
    keys = [key_of(table, dependent.item) for _, dependent in found[:MOST_DEPENDENTS]]
    stored = run_sync(items_at(opened.db.context, table, keys), opened.db.connection.call)
    shown = [_shown(table, dependent, stored.get(key)) for key, dependent in found[:MOST_DEPENDENTS]]
    return {"items": shown, "count": len(found), "problem": None}


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
