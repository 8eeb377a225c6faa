"""The view items: item collections, their items in every index, and where the values of an item lead.

POST /items/read           a page of items of a table, an index or a partition
POST /items/partitions     the partitions of a table or an index, page by page
GET  /items/one            one item in full: its state in each index, its links, copies and locks
GET  /items/key-patterns   the partition keys of the design, as templates
POST /items/partition-key  the partition key of a template and the values of its fields
"""

from typing import Any

import orjson

from tablewright.access.items.decoding import is_expired
from tablewright.access.items.item_values import describe_key
from tablewright.access.procedures import run_sync
from tablewright.access.reads.item_reads import item_at
from tablewright.console.endpoints import Body, ConsoleRequest, get, post
from tablewright.console.items.browse_pages import read_items, read_partitions
from tablewright.console.items.browse_requests import Browse
from tablewright.console.items.index_presence import index_states
from tablewright.console.items.item_references import (
    dependents_of,
    key_patterns,
    links_of,
    owner_key,
    render_partition,
)
from tablewright.console.items.key_texts import key_from_json
from tablewright.console.shown_items import identify, show_item
from tablewright.errors import ResourceNotFound, UsageError


class PartitionValues(Body):
    """The templates of a partition key, and the values of their fields as text."""

    table: str
    index: str | None = None
    templates: list[str]
    values: dict[str, str]


def list_items(request: ConsoleRequest) -> dict[str, Any]:
    """Return a page of items."""
    return read_items(request.design, request.parse(Browse))


def list_partitions(request: ConsoleRequest) -> dict[str, Any]:
    """Return a page of partitions."""
    return read_partitions(request.design, request.parse(Browse))


def one_item(request: ConsoleRequest) -> dict[str, Any]:
    """Return an item in full, read consistently from the table."""
    opened = request.design
    table = opened.table(request.text("table"))
    try:
        content = orjson.loads(request.text("key"))
    except orjson.JSONDecodeError:
        raise UsageError('key is JSON, such as {"PK": {"S": "USER#1"}}') from None
    key = key_from_json(table, content)
    item = run_sync(item_at(opened.db.context, table, key), opened.db.connection.call)
    if item is None:
        raise ResourceNotFound(
            f"{request.text('table')} has no item {describe_key(key)}; it was deleted, or has another key"
        )
    identity = identify(opened, table, item)
    return {
        **show_item(opened, table, item),
        "owner": owner_key(table, identity, item),
        "expired": is_expired(table, item, opened.db.context.now()),
        "indexes": index_states(opened, table, item),
        "links": links_of(opened, table, identity, item),
        "dependents": dependents_of(opened, table, identity, item),
    }


def list_key_patterns(request: ConsoleRequest) -> dict[str, Any]:
    """Return the partition keys of the design, as templates."""
    return {"patterns": key_patterns(request.design)}


def partition_key_of(request: ConsoleRequest) -> dict[str, Any]:
    """Return the partition key of a template and the values of its fields."""
    opened, body = request.design, request.parse(PartitionValues)
    table = opened.table(body.table)
    index = table.index(body.index) if body.index is not None else None
    return {"partition": render_partition(opened, table, index, body.templates, body.values)}


ROUTES = [
    post("/items/read", list_items, writes=False),
    post("/items/partitions", list_partitions, writes=False),
    get("/items/one", one_item),
    get("/items/key-patterns", list_key_patterns),
    post("/items/partition-key", partition_key_of, writes=False),
]
