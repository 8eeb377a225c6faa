"""Browse pages: the pages of items that the items view shows, with what each request examined and returned.

A request to the API reads pages of DynamoDB until it has enough items, or has used its budget of time, of examined
items or of bytes. So a filter that matches few items of a large table replies soon; the cursor continues the read.
"""

import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from tablewright.access.cursors import binding_of, damaged
from tablewright.access.items.decoding import is_expired
from tablewright.access.items.item_values import key_of
from tablewright.access.procedures import Call, run_sync, with_retries
from tablewright.console.endpoints import MAX_LIMIT
from tablewright.console.items.browse_requests import Browse, BrowseRequest, browse_request
from tablewright.console.items.index_presence import compare_row, index_state, stored_items
from tablewright.console.items.item_references import links_of
from tablewright.console.items.key_texts import key_attribute, partition_attributes, text_of
from tablewright.console.key_parts import KeyPart
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import identify, show_item
from tablewright.design.indexes import Index
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.errors import UsageError

MOST_CHARACTERS = 256
MOST_BINARY_BYTES = 96
MOST_MEMBERS = 12
MOST_DEPTH = 3


def cut_item(item: Item, whole: Collection[str] = ()) -> tuple[Item, list[str]]:
    """Return an item with cut values, and the names of the attributes that were cut; those in `whole` are not.

    An item in a list has only the beginning of long texts, binaries, lists and maps, so that a list stays small. The
    details of one item have every value in full.

    >>> cut_item({"id": {"S": "1"}, "text": {"S": "x" * 1000}})[1]
    ['text']
    """
    shortened: Item = {}
    cut: list[str] = []
    for name, value in item.items():
        shortened[name], is_cut = (value, False) if name in whole else _cut(value, MOST_DEPTH)
        if is_cut:
            cut.append(name)
    return shortened, cut


def _cut(value: AttributeValue, depth: int) -> tuple[AttributeValue, bool]:
    ((kind, content),) = value.items()
    match kind:
        case "S" if len(content) > MOST_CHARACTERS:
            return {"S": content[:MOST_CHARACTERS]}, True
        case "B" if len(content) > MOST_BINARY_BYTES:
            return {"B": content[:MOST_BINARY_BYTES]}, True
        case "SS" | "NS" | "BS":
            return _cut_set(kind, content)
        case "L":
            return _cut_members("L", list(enumerate(content)), depth)
        case "M":
            return _cut_members("M", list(content.items()), depth)
        case _:
            return value, False


def _cut_set(kind: str, content: list[Any]) -> tuple[AttributeValue, bool]:
    cut = [_cut({kind[0]: element}, 0) for element in content[:MOST_MEMBERS]]
    is_cut = len(content) > MOST_MEMBERS or any(was_cut for _, was_cut in cut)
    return {kind: [value[kind[0]] for value, _ in cut]}, is_cut


def _cut_members(kind: str, members: list[tuple[Any, Any]], depth: int) -> tuple[AttributeValue, bool]:
    if depth == 0:
        return {kind: [] if kind == "L" else {}}, bool(members)
    cut = [(name, _cut(value, depth - 1)) for name, value in members[:MOST_MEMBERS]]
    is_cut = len(members) > MOST_MEMBERS or any(was_cut for _, (_, was_cut) in cut)
    if kind == "L":
        return {"L": [value for _, (value, _) in cut]}, is_cut
    return {"M": {name: value for name, (value, _) in cut}}, is_cut


MOST_SECONDS = 1.0
MOST_EXAMINED = 10_000
MOST_BYTES = 1_000_000
MOST_COMPARED = 100
"""How many items of one request are compared with an index: each takes a query."""
TABLE = "table"


@dataclass
class BrowsePage:
    """The items of one request, as they are stored, and where the read continues."""

    request: BrowseRequest
    items: list[Item] = field(default_factory=list)
    examined: int = 0
    capacity: float = 0.0
    cursor: str | None = None


def read_items(opened: OpenDesign, browse: Browse) -> dict[str, Any]:
    """Return a page of items as rows."""
    lens = _lens(opened, browse)
    if lens is not None and browse.limit > MOST_COMPARED:
        raise UsageError(f"seen_in compares at most {MOST_COMPARED} items in a request; give a smaller limit")
    page = read_page(opened, browse)
    rows = [_row(opened, page.request, item) for item in page.items]
    if lens is not None:
        states = _states(opened, page, lens[0])
        rows = [{**row, "seen": state} for row, state in zip(rows, states, strict=True)]
    return {"items": rows, **_totals(page)}


def read_partitions(opened: OpenDesign, browse: Browse) -> dict[str, Any]:
    """Return the partitions of a page of items: entities, number of items and bytes of each.

    A partition whose items are on two pages is in both, with the items of each.
    """
    if browse.partition is not None:
        raise UsageError("a list of partitions reads all items; leave partition out")
    page = read_page(opened, browse)
    return {"partitions": list(_partitions(opened, page)), **_totals(page)}


def _totals(page: BrowsePage) -> dict[str, Any]:
    request = page.request
    return {
        "examined": page.examined,
        "returned": len(page.items),
        "capacity": page.capacity,
        "cursor": page.cursor,
        "operation": request.operation,
        "request": request.members,
    }


def read_page(opened: OpenDesign, browse: Browse) -> BrowsePage:
    """Read items until there are enough, or the budget of one request is used."""
    request = browse_request(opened, browse)
    cursors, binding = opened.db.context.cursors, binding_of("items", request.members)
    start: Item | None = None
    if browse.cursor is not None:
        start = _start_key(request, cursors.read(binding, browse.cursor, "list of items"))
    page = BrowsePage(request)
    size, deadline = 0, time.monotonic() + MOST_SECONDS
    while True:
        most = MAX_LIMIT if request.is_filtered else browse.limit
        members = {**request.members, "Limit": most - len(page.items)}
        if start is not None:
            members["ExclusiveStartKey"] = start
        reply = run_sync(with_retries(Call(request.operation, members)), opened.db.connection.call)
        items = [item for item in reply["Items"] if _is_chosen(opened, request, item)]
        page.items += items
        page.examined += reply["ScannedCount"]
        page.capacity += reply.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0)
        size += sum(map(item_size, items))
        start = reply.get("LastEvaluatedKey")
        is_spent = size >= MOST_BYTES or page.examined >= MOST_EXAMINED or time.monotonic() > deadline
        if start is None or len(page.items) >= browse.limit or is_spent:
            break
    if start is not None:
        page.cursor = cursors.make(binding, [text_of(start[name]) for name in request.position_attributes])
    return page


def _start_key(request: BrowseRequest, position: object) -> Item:
    names = request.position_attributes
    if not isinstance(position, list) or len(position) != len(names):
        raise damaged()
    return {
        name: key_attribute(request.table, name, text) for name, text in zip(names, position, strict=True)
    }


def _is_chosen(opened: OpenDesign, request: BrowseRequest, item: Item) -> bool:
    if request.layout is None and request.role is None:
        return True
    identity = identify(opened, request.table, item, request.index)
    return (request.layout is None or identity.layout is request.layout) and (
        request.role is None or identity.role == request.role
    )


def _row(opened: OpenDesign, request: BrowseRequest, item: Item) -> dict[str, Any]:
    """An item in a list: long values are cut, and members that every row has in common are left out."""
    table = request.table
    identity = identify(opened, table, item, request.index)
    shown = show_item(opened, table, item, request.index, identity)
    shortened, cut = cut_item(shown["item"], table.key_attributes)
    return {
        "role": shown["role"],
        "entity": shown["entity"],
        "key": shown["key"],
        "key_parts": shown["key_parts"],
        "item": shortened,
        "cut": cut,
        "problem": shown["problem"],
        "size": shown["size"],
        "expired": is_expired(table, item, opened.db.context.now()),
        "links": {name: links[0] for name, links in links_of(opened, table, identity, item).items()},
    }


def _lens(opened: OpenDesign, browse: Browse) -> tuple[Index | None] | None:
    """The index that items are compared with, or None for the table, in a tuple; None if they are not compared."""
    if browse.seen_in is None:
        return None
    table = opened.table(browse.table)
    return (None if browse.seen_in == TABLE else table.index(browse.seen_in),)


def _states(opened: OpenDesign, page: BrowsePage, lens: Index | None) -> Iterable[dict[str, Any]]:
    """The state of each item in an index, or that of each row of an index in the table."""
    request = page.request
    table, source = request.table, request.index
    mains = stored_items(opened, table, page.items) if source else list(page.items)
    for row, main in zip(page.items, mains, strict=True):
        if source is not None and (main is None or lens is None or lens is source):
            state, why = compare_row(table, source, row, main)
            yield {"state": state, "why": why, "index": lens.name if lens else None}
        elif lens is None or main is None:
            yield {"state": "present", "why": None, "index": None}
        else:
            shown = show_item(opened, table, main)
            keys = {name: shown["key_parts"][name] for name in lens.key if name in shown["key_parts"]}
            yield {
                **index_state(opened, table, lens, main, identify(opened, table, main)),
                "key": {name: main[name] for name in lens.key if name in main},
                "key_parts": keys,
            }


def _partitions(opened: OpenDesign, page: BrowsePage) -> Iterator[dict[str, Any]]:
    request = page.request
    table = request.table
    names = partition_attributes(table, request.index)
    for texts, group in groupby(page.items, key=lambda item: [text_of(item[name]) for name in names]):
        items = list(group)
        identities = [identify(opened, table, item, request.index) for item in items]
        entities: dict[str, int] = {}
        for identity in identities:
            name = identity.layout.entity.__name__ if identity.layout else ""
            name += f" {identity.role}" if identity.role in ("copy", "lock") else ""
            entities[name] = entities.get(name, 0) + 1
        shown = show_item(opened, table, items[0], request.index)
        parts: dict[str, list[KeyPart]] = shown["key_parts"]
        yield {
            "partition": texts,
            "key_parts": {name: parts[name] for name in names},
            "entities": entities,
            "items": len(items),
            "size": sum(map(item_size, items)),
            "first": key_of(table, items[0]),
        }
