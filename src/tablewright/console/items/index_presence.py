"""Index presence: whether an item is in an index, why it is absent, and whether the index lags behind the table.

An item belongs to an index if it has all key attributes of the index. Its row there is read by these attributes, and
compared with what the index projects of the item. A row that is missing or different is lagging: the index has not
received the last write yet.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Literal, TypeAlias

from tablewright.access.condition_text import Aliases
from tablewright.access.items.footprint import comparable_key, entity_values
from tablewright.access.items.item_values import differs, from_attribute
from tablewright.access.procedures import Call, run_sync, with_retries
from tablewright.access.reads.item_reads import items_at
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import Identity, identify
from tablewright.design.indexes import Index
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import TablewrightError

State: TypeAlias = Literal["present", "absent", "lagging", "unchecked"]

MOST_PAGES = 3
"""How many pages of rows with the same index key are read to find the row of one item."""


def index_states(opened: OpenDesign, table: Table, item: Item) -> list[dict[str, Any]]:
    """Return the state of an item of the table in each index."""
    identity = identify(opened, table, item)
    return [index_state(opened, table, index, item, identity) for index in table.indexes]


def index_state(
    opened: OpenDesign, table: Table, index: Index, item: Item, identity: Identity
) -> dict[str, Any]:
    """Return the state of an item of the table in one index.

    - `state`: `present`, `absent`, `lagging`, or `unchecked` if too many rows have the same index key
    - `why`: the reason, for people; None for a row that is present
    - `missing`: the key attributes of the index that the item lacks
    - `projected`, `left_out`: the attributes of the item that rows of the index have, and those that they lack
    """
    missing = [name for name in index.key if name not in item]
    projected = [name for name in item if index.holds(table, name)]
    state: State = "absent"
    if missing:
        why: str | None = absence(opened, identity, index, item, missing)
    else:
        state, why = _compare_with_row(opened, table, index, item)
    return {
        "index": index.name,
        "state": state,
        "why": why,
        "missing": missing,
        "projected": [] if missing else projected,
        "left_out": [] if missing else [name for name in item if name not in projected],
    }


def _compare_with_row(opened: OpenDesign, table: Table, index: Index, item: Item) -> tuple[State, str | None]:
    rows = _rows_of(opened, table, index, item)
    if rows is None:
        return "unchecked", f"Many rows have the same key in {index.name}; open its partition there."
    if not rows:
        return "lagging", f"{index.name} does not have the item yet."
    return compare_row(table, index, rows[0], item)


def compare_row(table: Table, index: Index, row: Item, item: Item | None) -> tuple[State, str | None]:
    """Compare a row of an index with the item of the table; None if the table has no such item."""
    if item is None:
        return "lagging", f"The table does not have this item any more; {index.name} still has its row."
    expected = {name: value for name, value in item.items() if index.holds(table, name)}
    different = [
        name for name in dict.fromkeys((*expected, *row)) if differs(row.get(name), expected.get(name))
    ]
    if different:
        return "lagging", f"{index.name} has other values of {', '.join(different)} than the table."
    return "present", None


def stored_items(opened: OpenDesign, table: Table, rows: Sequence[Item]) -> list[Item | None]:
    """Return the items of the table that some rows of an index belong to; None where there is none."""
    keys = [{name: row[name] for name in table.key} for row in rows]
    items = run_sync(items_at(opened.db.context, table, keys), opened.db.connection.call)
    return [items.get(comparable_key(table, key)) for key in keys]


def _rows_of(opened: OpenDesign, table: Table, index: Index, item: Item) -> list[Item] | None:
    """The row of an item in an index, found by its index key and its primary key; None if there are too many."""
    aliases = Aliases()
    terms = [f"{aliases.name(name)} = {aliases.value(item[name])}" for name in index.key]
    others = [name for name in table.key if name not in index.key]
    members: dict[str, Any] = {
        "TableName": opened.db.context.table_name(table),
        "IndexName": index.name,
        "KeyConditionExpression": " AND ".join(terms),
    }
    if others:
        members["FilterExpression"] = " AND ".join(
            f"{aliases.name(name)} = {aliases.value(item[name])}" for name in others
        )
    members |= aliases.members()
    for _ in range(MOST_PAGES):
        reply = run_sync(with_retries(Call("Query", members)), opened.db.connection.call)
        rows: list[Item] = reply["Items"]
        if rows or "LastEvaluatedKey" not in reply:
            return rows
        members["ExclusiveStartKey"] = reply["LastEvaluatedKey"]
    return None


def absence(opened: OpenDesign, identity: Identity, index: Index, item: Item, missing: Sequence[str]) -> str:
    """Return why an item is not in an index, by the design."""
    lacks = f"The item has no {' and no '.join(missing)}"
    layout = identity.layout
    if layout is None:
        return f"{lacks}."
    name = layout.entity.__name__
    if identity.role == "lock":
        return f"A lock of {name} is in no index."
    kind = f"a copy of {name}" if identity.role == "copy" else name
    key = next((key_layout for key_layout in identity.keys if key_layout.index is index), None)
    if key is None:
        return f"{lacks}: {kind} has no key in {index.name}."
    values = _values(opened, layout, item)
    if key.sparse is not None and not key.sparse.holds(values):
        return f"Sparse: {kind} is in {index.name} only if {_condition(key)}."
    empty = [field for field in key.names if values.get(field) is None]
    if empty:
        return f"{lacks}: {' and '.join(empty)} of the {name} has no value."
    return f"{lacks}, although its fields have values for it. Check the items in Health, Integrity."


def _values(opened: OpenDesign, layout: Layout, item: Item) -> Mapping[str, Any]:
    """The values of the fields, and those of computed fields where the item is valid."""
    stored = {
        name: from_attribute(item[field.stored])
        for name, field in layout.fields.items()
        if field.stored in item
    }
    if layout.computed and not layout.secrets:
        try:
            return entity_values(opened.db.context.decoder(layout).make(item))
        except TablewrightError:
            pass
    return stored


def _condition(key: KeyLayout) -> str:
    assert key.sparse is not None
    when = key.sparse.when
    if isinstance(when, Mapping):
        return " and ".join(
            f"{name} is absent" if value is None else f"{name} = {_text(value)}"
            for name, value in when.items()
        )
    return " and ".join(f"{name} has a true value" for name in key.sparse.names)


def _text(value: Any) -> str:
    plain = value.value if isinstance(value, Enum) else value
    return str(plain).lower() if isinstance(plain, bool) else str(plain)
