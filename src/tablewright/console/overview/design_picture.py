"""The picture of a design: which entities share a partition, and where each index has them.

For each table: its indexes as columns, its item collections as groups of rows. A row is an entity, or a copy or a lock
of one, with a cell for each index: its key there, or None if it is never in that index.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tablewright.console.open_designs import OpenDesign
from tablewright.design.designs import Design
from tablewright.design.fields.markers import Unique
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.layouts.reserved_attributes import LOCK
from tablewright.design.tables.tables import Index, Table
from tablewright.generate.diagrams.partitions import projection_text
from tablewright.generate.sparse_conditions import index_condition


def design_picture(opened: OpenDesign) -> list[dict[str, Any]]:
    """Describe the tables of a design with their item collections and indexes."""
    return [_table(opened.design, name, table) for name, table in opened.tables.items()]


def _table(design: Design, name: str, table: Table) -> dict[str, Any]:
    rows = [row for entity in design.entities_of(table) for row in _rows(table, entity.layout)]
    return {
        "table": name,
        "key": table.key,
        "is_key_table": table is design.key_table,
        "indexes": [_index(index, rows) for index in table.indexes],
        "collections": _collections(rows),
        "patterns": [
            {"name": plan.name, "kind": plan.kind, "index": plan.index.name if plan.index else None}
            for plan in design.plans
            if plan.table is table
        ],
    }


def _index(index: Index, rows: list[dict[str, Any]]) -> dict[str, Any]:
    cells = [row["cells"][index.name] for row in rows if row["role"] != "lock"]
    return {
        "name": index.name,
        "key": index.key,
        "local": index.local,
        "projection": projection_text(index),
        "rows": sum(cell is not None for cell in cells),
        "sparse": any(cell is None or cell["condition"] for cell in cells),
    }


def _collections(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group rows whose partition keys have the same form, the largest group first, each sorted by its sort key.

    The library's own locks are one group.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        own_lock = row["partition"].startswith(f"{LOCK}#")
        form = LOCK if own_lock else re.sub(r"\{\w+", "{", row["partition"])
        groups.setdefault(form, []).append(row)
    ordered = sorted(groups.values(), key=lambda group: -sum(row["role"] == "entity" for row in group))
    return [
        {"partition": _most_common(group), "rows": sorted(group, key=lambda row: row["sort"] or "")}
        for group in ordered
    ]


def _most_common(group: list[dict[str, Any]]) -> str:
    """The partition key of a group as most of its rows write it; of several locks of the library, their form."""
    counts = Counter(row["partition"] for row in group)
    if len(counts) > 1 and all(text.startswith(f"{LOCK}#") for text in counts):
        return f"{LOCK}#{{entity}}#{{field}}#{{value}}"
    ((text, _),) = counts.most_common(1)
    return str(text)


def _rows(table: Table, layout: Layout) -> Iterator[dict[str, Any]]:
    yield _row(table, layout, "entity", None, (layout.primary, *layout.indexes))
    for copy in layout.copies:
        yield _row(table, layout, "copy", copy.name, copy.keys)
    for lock in layout.locks:
        yield _row(table, layout, "lock", lock.field.name, (lock.key,))
    for field, unique in layout.marked(Unique):
        if layout.lock_of(field.name) is None:
            yield _library_lock(table, layout, field.name, unique.within)


def _row(
    table: Table, layout: Layout, role: str, name: str | None, keys: tuple[KeyLayout, ...]
) -> dict[str, Any]:
    primary, *others = keys
    parts = dict(primary.parts)
    by_index = {key.index.name: key for key in others if key.index}
    return {
        "entity": layout.entity.__name__,
        "role": role,
        "name": name,
        "partition": parts[table.partition].text,
        "sort": parts[table.sort].text if table.sort else None,
        "cells": {
            index.name: _cell(index, layout, by_index[index.name]) if index.name in by_index else None
            for index in table.indexes
        },
    }


def _library_lock(table: Table, layout: Layout, field: str, within: Sequence[str]) -> dict[str, Any]:
    owner = layout.type_name or layout.entity.__name__
    values = "#".join(f"{{{name}}}" for name in (*within, field))
    return {
        "entity": layout.entity.__name__,
        "role": "lock",
        "name": field,
        "partition": f"{LOCK}#{owner}#{field}#{values}",
        "sort": LOCK if table.sort else None,
        "cells": {index.name: None for index in table.indexes},
    }


def _cell(index: Index, layout: Layout, key: KeyLayout) -> dict[str, Any]:
    parts = dict(key.parts)
    return {
        "partition": [parts[name].text for name in index.partition],
        "sort": [parts[name].text for name in index.sort],
        "condition": index_condition(layout, key),
    }
