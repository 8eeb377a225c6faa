"""Item collections: one example partition of a table or an index, with its items as rows, built from sample data.

It is the table that single-table designers draw: partition key, sort key, type, and the attributes of each item.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tablewright.access.items.unique_locks import is_lock
from tablewright.design.designs import Design
from tablewright.design.indexes import Index
from tablewright.design.layouts.layouts import KEPT, OWNER, SCHEMA_VERSION, Layout
from tablewright.design.tables import Table
from tablewright.design.validation.field_rules import annotated_fields
from tablewright.dynamodb.values.attributes import AttributeValue, Item

MOST_ROWS = 8
MOST_OF_A_TYPE = 2
"""Where there are several types."""
MOST_OF_ONE_TYPE = 4
"""Where there is one type only."""
MOST_ATTRIBUTES = 5
_LONGEST = 36


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item of a partition."""

    sort_key: str
    type: str
    attributes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ItemCollection:
    """The items of one partition, in the order of their sort key."""

    place: str
    """The index; "table" for the table."""
    partition_attribute: str
    sort_attribute: str
    partition_key: str
    rows: tuple[ItemRow, ...]
    others: int = 0
    """How many items of the partition are not shown."""

    @property
    def remark(self) -> str:
        """What the table does not show; empty if it shows all."""
        if not self.others:
            return ""
        return f"{self.others} more item{'s' if self.others > 1 else ''} in this partition."


def item_collections(design: Design, table: Table, items: Sequence[Item]) -> tuple[ItemCollection, ...]:
    """An example partition of the table, and of each index that contains one of the items."""
    collections = [_collection(design, table, index, items) for index in (None, *table.indexes)]
    return tuple(collection for collection in collections if collection is not None)


def _collection(
    design: Design, table: Table, index: Index | None, items: Sequence[Item]
) -> ItemCollection | None:
    partition = index.partition if index else (table.partition,)
    sort = index.sort if index else tuple(filter(None, (table.sort,)))
    groups: dict[str, list[Item]] = {}
    for item in items:
        if all(name in item for name in (*partition, *sort)) and not is_lock(table, item):
            groups.setdefault(_key_text(item, partition), []).append(item)
    if not groups:
        return None
    key, members = max(groups.items(), key=lambda group: _interest(design, table, group[1]))
    ordered = sorted(members, key=lambda item: [_order(item[name]) for name in sort])
    shown = _shown(design, table, ordered)
    rows = tuple(
        ItemRow(_key_text(item, sort), _type(design, table, item), _attributes(design, table, index, item))
        for item in shown
    )
    place = index.name if index else "table"
    return ItemCollection(
        place, " + ".join(partition), " + ".join(sort), key, rows, len(ordered) - len(shown)
    )


def _interest(design: Design, table: Table, members: Sequence[Item]) -> tuple[int, int]:
    """Partitions with several types explain most, then those with several items."""
    return len({_type(design, table, item) for item in members}), min(len(members), MOST_ROWS)


def _shown(design: Design, table: Table, ordered: Sequence[Item]) -> list[Item]:
    """The first items of each type."""
    kinds = [_type(design, table, item) for item in ordered]
    most = MOST_OF_A_TYPE if len(set(kinds)) > 1 else MOST_OF_ONE_TYPE
    seen: Counter[str] = Counter()
    items: list[Item] = []
    for item, kind in zip(ordered, kinds, strict=True):
        seen[kind] += 1
        if seen[kind] <= most and len(items) < MOST_ROWS:
            items.append(item)
    return items


def _order(value: AttributeValue) -> tuple[float, bytes]:
    (kind, text), *_ = value.items()
    if kind == "N":
        return float(text), b""
    return 0.0, text if isinstance(text, bytes) else str(text).encode()


def _key_text(item: Item, names: Sequence[str]) -> str:
    return " + ".join(_text(item[name], longest=120) for name in names)


def _type(design: Design, table: Table, item: Item) -> str:
    """The type of an item, or its class if it has no type; marked if it is a copy."""
    layout = _layout(design, table, item)
    stored = item.get(table.discriminator, {}).get("S")
    name = str(stored) if stored else layout.entity.__name__ if layout else ""
    return f"{name} (copy)" if OWNER in item else name


def _layout(design: Design, table: Table, item: Item) -> Layout | None:
    """The layout of the entity that an item belongs to."""
    layouts = [entity.layout for entity in design.entities_of(table)]
    stored = item.get(table.discriminator, {}).get("S")
    for layout in layouts:
        if stored in {layout.type_name, *(copy.copy.type for copy in layout.copies)} - {None}:
            return layout
    return layouts[0] if len(layouts) == 1 else None


def _attributes(design: Design, table: Table, index: Index | None, item: Item) -> tuple[tuple[str, str], ...]:
    """The first attributes, those of the class before those of its bases, without those that the keys contain."""
    layout = _layout(design, table, item)
    ordered = _own_first(layout) if layout else list(item)
    secret = {field.stored for field in layout.fields.values() if field.is_secret} if layout else set()
    place = index.key if index else table.key
    hidden = {*place, table.discriminator, OWNER, KEPT, SCHEMA_VERSION}
    repeated = {part for name in place for part in _key_text(item, [name]).split("#")}
    rows = [
        (name, "(secret)" if name in secret else _text(item[name]))
        for name in ordered
        if name in item and name not in hidden and (index is None or index.holds(table, name))
    ]
    return tuple((name, text) for name, text in rows if text and text not in repeated)[:MOST_ATTRIBUTES]


def _own_first(layout: Layout) -> list[str]:
    """The stored names of the fields: the most informative first, times and versions of bases last."""
    own = set(annotated_fields(layout.entity))
    return [field.stored for field in sorted(layout.fields.values(), key=lambda field: field.name not in own)]


def _text(value: AttributeValue, longest: int = _LONGEST) -> str:
    """An attribute value for readers.

    >>> _text({"M": {"city": {"S": "Oslo"}, "zip": {"N": "150"}}}), _text({"L": [{"S": "a"}, {"BOOL": True}]})
    ('{city: Oslo, zip: 150}', '[a, true]')
    """
    ((kind, content),) = value.items()
    match kind:
        case "M":
            text = "{" + ", ".join(f"{name}: {_text(inner)}" for name, inner in content.items()) + "}"
        case "L":
            text = "[" + ", ".join(map(_text, content)) + "]"
        case "SS" | "NS":
            text = "{" + ", ".join(sorted(content)) + "}"
        case "BOOL":
            text = "true" if content else "false"
        case "NULL":
            text = "null"
        case "B" | "BS":
            text = "(binary)"
        case _:
            text = str(content)
    return text if len(text) <= longest else text[: longest - 1] + "…"
