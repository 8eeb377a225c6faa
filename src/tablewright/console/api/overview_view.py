"""The overview: the picture of the design with counts, findings, index lag and request rates.

GET    /overview             the picture, the counts of tables and indexes, findings by severity, index lag, commands
GET    /overview/sample      items of a table by entity, from a bounded sample: `table`
EVENTS /overview/requests    requests a second
"""

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tablewright.connections import Embedded
from tablewright.console.api.design_view import describe_vector_index
from tablewright.console.api.health_view import severity_counts
from tablewright.console.command_lines import command_line
from tablewright.console.endpoints import ConsoleRequest, events, get
from tablewright.console.open_designs import OpenDesign
from tablewright.console.patterns.request_code import cli_code
from tablewright.console.shown_items import identify
from tablewright.design.designs import Design
from tablewright.design.fields.markers import Unique
from tablewright.design.indexes import Index
from tablewright.design.layouts.layouts import LOCK, KeyLayout, Layout
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ResourceNotFound
from tablewright.generate.diagrams.partitions import index_condition, projection_text

if TYPE_CHECKING:
    from tablewright.connections.embedded import ObservedRequest


def design_picture(opened: OpenDesign) -> list[dict[str, Any]]:
    """Describe the tables of a design with their item collections and indexes: the picture of the design.

    For each table: its indexes as columns, its item collections as groups of rows. A row is an entity, or a copy or a
    lock of one, with a cell for each index: its key there, or None if it is never in that index.
    """
    return [_table(opened.design, name, table) for name, table in opened.tables.items()]


def _table(design: Design, name: str, table: Table) -> dict[str, Any]:
    rows = [row for entity in design.entities_of(table) for row in _rows(table, entity.layout)]
    return {
        "table": name,
        "key": table.key,
        "is_key_table": table is design.key_table,
        "indexes": [_index(index, rows) for index in table.indexes],
        "vector_indexes": [describe_vector_index(index) for index in table.vector_indexes],
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


INTERVAL = 1.0
"""Seconds between two rates."""
COUNTED = (
    "all requests that the process of this console executes on the embedded database: of the console itself, of other "
    "designs on it, and of clients that it serves"
)
NOT_COUNTED = (
    "Requests are counted on the embedded database only. AWS has them in CloudWatch, as SuccessfulRequestLatency "
    "(sample count) of each table and operation."
)


def request_rates(
    opened: OpenDesign, now: Callable[[], float] = time.monotonic
) -> Iterator[dict[str, Any] | None]:
    """Return a rate for each second, and None in between; one event that says why where nothing is counted.

    Requests are counted until the iterator is closed.
    """
    connection = opened.db.connection
    if not isinstance(connection, Embedded):
        yield {"available": False, "why": NOT_COUNTED}
        return
    counts: Counter[str] = Counter()
    lock = threading.Lock()

    def count(observed: "ObservedRequest") -> None:
        with lock:
            counts[observed.operation] += 1

    end = connection.observe(count)
    try:
        since = now()
        yield {"available": True, "counted": COUNTED, **rate({}, 1.0)}
        while True:
            passed = now() - since
            if passed < INTERVAL:
                yield None
                continue
            since += passed
            with lock:
                counted = dict(counts)
                counts.clear()
            yield {"available": True, "counted": COUNTED, **rate(counted, passed)}
    finally:
        end()


def rate(counts: Mapping[str, int], seconds: float) -> dict[str, Any]:
    """Return the requests a second, in total and by operation.

    >>> rate({"GetItem": 30, "PutItem": 5}, 10.0)
    {'per_second': 3.5, 'operations': {'GetItem': 3.0, 'PutItem': 0.5}}
    """
    operations = {name: round(count / seconds, 2) for name, count in counts.items()}
    return {"per_second": round(sum(counts.values()) / seconds, 2), "operations": operations}


MOST_ITEMS = 1000
PARTS = 4


def entity_sample(opened: OpenDesign, name: str, items: int | None, most: int = MOST_ITEMS) -> dict[str, Any]:
    """Count the items by role and entity among at most `most` items; `items` is the count of the whole table.

    A table with few items is counted exactly. Of a larger one a few parts are read, spread over the table; a part is a
    range of partition keys in the order of their hash values, so it is as good as a random choice of partitions.
    `complete` tells whether all items were read; otherwise `estimate` is the share of the sample times `items`.
    """
    table = opened.table(name)
    parts = 1 if items is None or items <= most else PARTS
    sampled: list[Item] = []
    complete = True
    for part in range(parts):
        page, is_whole = _part(opened, name, part, parts, most // parts)
        sampled += page
        complete = complete and is_whole
    return {
        "table": name,
        "examined": len(sampled),
        "complete": complete,
        "items": len(sampled) if complete else items,
        "counts": _counts(opened, table, sampled, None if complete else items),
    }


def _part(opened: OpenDesign, name: str, part: int, parts: int, limit: int) -> tuple[list[Item], bool]:
    """Read the first page of a part of a table; return its items, and whether there are no more."""
    request: dict[str, Any] = {"TableName": name, "Limit": limit}
    if parts > 1:
        request |= {"Segment": part, "TotalSegments": parts}
    page = opened.db.connection.call("Scan", request)
    return page["Items"], "LastEvaluatedKey" not in page


def _counts(opened: OpenDesign, table: Table, sampled: list[Item], items: int | None) -> list[dict[str, Any]]:
    """Count by role and entity, the most frequent first; `items` is None if all items were read."""
    identities = (identify(opened, table, item) for item in sampled)
    counted = Counter(
        (identity.role, identity.layout.entity.__name__ if identity.layout else None)
        for identity in identities
    )
    return [
        {
            "role": role,
            "entity": entity,
            "found": number,
            "estimate": number if items is None else round(items * number / len(sampled)),
        }
        for (role, entity), number in counted.most_common()
    ]


COUNTED_BY_AWS = "as DescribeTable reports; AWS updates it about every six hours"
COUNTED_HERE = "as DescribeTable reports; exact at this time"
COUNTED_THERE = "as DescribeTable of this endpoint reports"


def counting(opened: OpenDesign) -> str:
    """Say where the counts come from, and how old they may be."""
    if isinstance(opened.db.connection, Embedded):
        return COUNTED_HERE
    return COUNTED_BY_AWS if opened.location.startswith("aws") else COUNTED_THERE


def table_counts(opened: OpenDesign, name: str) -> dict[str, Any]:
    """Count a table and its indexes; the counts of a table that does not exist are None."""
    try:
        table = opened.db.connection.call("DescribeTable", {"TableName": name})["Table"]
    except ResourceNotFound:
        return {"table": name, "exists": False, "status": None, "items": None, "bytes": None, "indexes": {}}
    members = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes", "VectorIndexes")
    indexes = [index for member in members for index in table.get(member) or ()]
    return {
        "table": name,
        "exists": True,
        "status": table.get("TableStatus"),
        "items": table.get("ItemCount"),
        "bytes": table.get("TableSizeBytes"),
        "indexes": {
            index["IndexName"]: {
                "items": index.get("ItemCount"),
                "bytes": index.get("IndexSizeBytes"),
                "status": index.get("IndexStatus"),
            }
            for index in indexes
        },
    }


LAG_UNKNOWN = (
    "DynamoDB does not tell how far a global index is behind its table; it is usually less than a second."
)

SAMPLE_COSTS = f"reads up to {MOST_ITEMS:,} items, which consumes read capacity at this endpoint"


def describe_overview(request: ConsoleRequest) -> dict[str, Any]:
    """Describe the tables, and what is known about the design as a whole."""
    opened = request.design
    return {
        "picture": design_picture(opened),
        "counts": [
            table_counts(opened, name) | {"command": cli_code(opened, "DescribeTable", {"TableName": name})}
            for name in opened.tables
        ],
        "counted": counting(opened),
        "findings": severity_counts(opened),
        "index_lag": index_lag(opened),
        "is_embedded": isinstance(opened.db.connection, Embedded),
        "sample": sampling(opened),
        "commands": {
            "deploy": command_line(opened, "deploy"),
            "samples": command_line(opened, "generate samples"),
        },
    }


def sampling(opened: OpenDesign) -> dict[str, Any]:
    """Say whether the page counts the entities of all tables by itself, and why not."""
    if isinstance(opened.db.connection, Embedded):
        return {"automatic": True, "why": None}
    return {"automatic": False, "why": SAMPLE_COSTS}


def index_lag(opened: OpenDesign) -> dict[str, Any]:
    """Return by how many seconds global indexes are behind, where that is known."""
    connection = opened.db.connection
    if not isinstance(connection, Embedded):
        return {"available": False, "why": LAG_UNKNOWN}
    return {"available": True, "seconds": connection.faults.index_lag if connection.faults else 0.0}


def sample_table(request: ConsoleRequest) -> dict[str, Any]:
    """Estimate the items of a table by entity."""
    opened, name = request.design, request.text("table")
    opened.table(name)
    counts = table_counts(opened, name)
    if not counts["exists"]:
        return {"table": name, "examined": 0, "complete": True, "items": None, "counts": []}
    return entity_sample(opened, name, counts["items"])


def watch_requests(request: ConsoleRequest) -> Iterator[dict[str, Any] | None]:
    """Send the requests a second, once a second."""
    return request_rates(request.design)


ROUTES = [
    get("/overview", describe_overview),
    get("/overview/sample", sample_table),
    events("/overview/requests", watch_requests),
]
