"""Entity samples: how many items of each entity a table has, estimated from some of its items.

A table with few items is counted exactly. Of a larger one a few parts are read, spread over the table; a part is a
range of partition keys in the order of their hash values, so it is as good as a random choice of partitions.
"""

from collections import Counter
from typing import Any

from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import identify
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item

MOST_ITEMS = 1000
PARTS = 4


def entity_sample(opened: OpenDesign, name: str, items: int | None, most: int = MOST_ITEMS) -> dict[str, Any]:
    """Count the items by role and entity among at most `most` items; `items` is the count of the whole table.

    `complete` tells whether all items were read; otherwise `estimate` is the share of the sample times `items`.
    """
    table = opened.table(name)
    parts = 1 if items is None or items <= most else PARTS
    found: list[Item] = []
    complete = True
    for part in range(parts):
        page, is_whole = _part(opened, name, part, parts, most // parts)
        found += page
        complete = complete and is_whole
    return {
        "table": name,
        "examined": len(found),
        "complete": complete,
        "items": len(found) if complete else items,
        "counts": _counts(opened, table, found, None if complete else items),
    }


def _part(opened: OpenDesign, name: str, part: int, parts: int, limit: int) -> tuple[list[Item], bool]:
    """Read the first page of a part of a table; return its items, and whether there are no more."""
    request: dict[str, Any] = {"TableName": name, "Limit": limit}
    if parts > 1:
        request |= {"Segment": part, "TotalSegments": parts}
    page = opened.db.connection.call("Scan", request)
    return page["Items"], "LastEvaluatedKey" not in page


def _counts(opened: OpenDesign, table: Table, found: list[Item], items: int | None) -> list[dict[str, Any]]:
    """Count by role and entity, the most frequent first; `items` is None if all items were read."""
    identities = (identify(opened, table, item) for item in found)
    counted = Counter(
        (each.role, each.layout.entity.__name__ if each.layout else None) for each in identities
    )
    return [
        {
            "role": role,
            "entity": entity,
            "found": number,
            "estimate": number if items is None else round(items * number / len(found)),
        }
        for (role, entity), number in counted.most_common()
    ]
