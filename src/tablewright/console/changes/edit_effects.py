"""Edit effects: everything that the actions of a transaction touch, before they are executed.

Of each item the content before and after, its rows in the indexes, its stream record, and the capacity.
"""

from collections.abc import Sequence
from typing import Any

from tablewright.access.items.item_values import describe_key
from tablewright.access.procedures import run_sync
from tablewright.access.reads.item_reads import items_at
from tablewright.access.writes.write_capacity import MeteredChange, item_change, units_by_place
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import identify, show_item, visible
from tablewright.console.transaction_members import TransactionMember, member_key
from tablewright.design.indexes import Index
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item


def item_changes(
    opened: OpenDesign, members: Sequence[TransactionMember]
) -> list[tuple[TransactionMember, MeteredChange]]:
    """Return what each action changes, by the items as they are stored now."""
    changes = []
    for table in dict.fromkeys(member.table for member in members):
        own = [member for member in members if member.table is table]
        keys = [member_key(member) for member in own]
        stored = run_sync(items_at(opened.db.context, table, keys), opened.db.connection.call)
        changes += [(member, item_change(table, member.kind, member.request, stored)) for member in own]
    return changes


def effects(opened: OpenDesign, members: Sequence[TransactionMember]) -> dict[str, Any]:
    """Describe what the actions touch; nothing is written."""
    changes = item_changes(opened, members)
    units: dict[str, float] = {}
    for table in dict.fromkeys(member.table for member, _ in changes):
        own = [change for member, change in changes if member.table is table]
        for place, used in units_by_place(table, own, transactional=True).items():
            name = opened.db.context.table_name(table) if place == table.name else place
            units[name] = units.get(name, 0.0) + used
    return {"items": [_effect(opened, member, change) for member, change in changes], "units": units}


def _effect(opened: OpenDesign, member: TransactionMember, change: MeteredChange) -> dict[str, Any]:
    table = member.table
    before, after = change.before, change.after
    known = after or before or member_key(member)
    shown = show_item(opened, table, known)
    layout = identify(opened, table, known).layout
    return {
        "table": shown["table"],
        "role": shown["role"],
        "entity": shown["entity"],
        "title": describe_key(member_key(member)),
        "key_parts": {name: shown["key_parts"][name] for name in table.key if name in shown["key_parts"]},
        "action": _action(member, change),
        "before": None if before is None else visible(opened, table, before, layout),
        "after": None if after is None else visible(opened, table, after, layout),
        "hidden_changes": _hidden_changes(opened, table, before, after),
        "indexes": [row for index in table.indexes if (row := _index_row(table, index, before, after))],
        "stream": _stream_record(table, before, after),
    }


def _action(member: TransactionMember, change: MeteredChange) -> str:
    if member.kind == "ConditionCheck":
        return "check"
    if change.before is None:
        return "create"
    return "delete" if change.after is None else "change"


def _hidden_changes(opened: OpenDesign, table: Table, before: Item | None, after: Item | None) -> list[str]:
    """Return the secret attributes that change; their values are not shown."""
    if before is None or after is None:
        return []
    shown = visible(opened, table, after)
    names = before.keys() | after.keys()
    return sorted(
        name for name in names if before.get(name) != after.get(name) and "HIDDEN" in shown.get(name, {})
    )


def _index_row(table: Table, index: Index, before: Item | None, after: Item | None) -> dict[str, Any] | None:
    """Return how an item's row in an index changes; None if the row stays as it is, or there is none."""
    old, new = _row(table, index, before), _row(table, index, after)
    if old == new:
        return None
    state = "added" if old is None else "removed" if new is None else "changed"
    if old is not None and new is not None and any(old[name] != new[name] for name in index.key):
        state = "moved"
    return {
        "index": index.name,
        "state": state,
        "before": old and {name: old[name] for name in index.key},
        "after": new and {name: new[name] for name in index.key},
    }


def _row(table: Table, index: Index, item: Item | None) -> Item | None:
    if item is None or any(name not in item for name in index.key):
        return None
    return {name: value for name, value in item.items() if index.holds(table, name)}


def _stream_record(table: Table, before: Item | None, after: Item | None) -> str | None:
    if table.stream is None or before == after:
        return None
    kind = "INSERT" if before is None else "REMOVE" if after is None else "MODIFY"
    return f"{kind} ({table.stream})"
