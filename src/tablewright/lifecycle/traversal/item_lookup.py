"""Items: reading some by their keys, and telling whose they are."""

from collections.abc import Iterable, Sequence
from itertools import count, islice

from tablewright.access.calls.backoff import backoff
from tablewright.access.calls.procedures import Call, Procedure
from tablewright.access.calls.retries import wait_or_raise, with_retries
from tablewright.access.context import Context
from tablewright.access.items.footprint import Place, is_satellite, place_of
from tablewright.access.items.vault import NoVault
from tablewright.design.designs import Design
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables.tables import Table
from tablewright.errors import TransactionCanceled, TransactionConflict
from tablewright.values.attributes import Item

_MOST_IN_A_BATCH = 100


def item_at(context: Context, table: Table, key: Item) -> Procedure[Item | None]:
    """The item under a key, as it is now."""
    request = {"TableName": context.table_name(table), "Key": key, "ConsistentRead": True}
    found: Item | None = (yield from with_retries(Call("GetItem", request))).get("Item")
    return found


def items_at(context: Context, table: Table, keys: Iterable[Item]) -> Procedure[dict[Place, Item]]:
    """The items under some keys, each as it is now; not all of one moment."""
    name = context.table_name(table)
    waiting = list({place_of(table, key): key for key in keys}.values())
    found: dict[Place, Item] = {}
    attempt = 0
    while waiting:
        batch, rest = waiting[:_MOST_IN_A_BATCH], waiting[_MOST_IN_A_BATCH:]
        asked = {name: {"Keys": batch, "ConsistentRead": True}}
        reply = yield from with_retries(Call("BatchGetItem", {"RequestItems": asked}))
        found |= {place_of(table, item): item for item in reply["Responses"].get(name, ())}
        unprocessed = reply.get("UnprocessedKeys", {}).get(name, {}).get("Keys", [])
        waiting = [*unprocessed, *rest]
        if unprocessed:
            yield backoff(attempt)
            attempt += 1
    return found


def items_together(context: Context, table: Table, keys: Sequence[Item]) -> Procedure[list[Item | None]]:
    """The items under up to 100 keys, all as they were in one moment."""
    name = context.table_name(table)
    actions = [{"Get": {"TableName": name, "Key": key}} for key in islice(keys, _MOST_IN_A_BATCH)]
    for attempt in count():
        try:
            reply = yield from with_retries(Call("TransactGetItems", {"TransactItems": actions}))
            return [entry.get("Item") for entry in reply["Responses"]]
        except TransactionCanceled as canceled:  # somebody is writing one of them
            yield from wait_or_raise(TransactionConflict(str(canceled)), attempt)
    raise AssertionError("count() has no end")


def key_of(table: Table, item: Item) -> Item:
    """The primary key of an item."""
    return {name: item[name] for name in table.key}


def layouts_for(design: Design, table: Table, item: Item) -> list[Layout]:
    """The entities that an item says it is, by its type, or by its key where it tells none."""
    layouts = [entity.layout for entity in design.entities_of(table)]
    said = item.get(table.discriminator, {}).get("S")
    typed = [layout for layout in layouts if layout.type_name is not None and layout.type_name == said]
    return typed or [layout for layout in layouts if layout.type_name is None and has_key_of(layout, item)]


def is_of(design: Design, layout: Layout, item: Item) -> bool:
    """Whether an item is the main item of an entity of that class, as far as it says so itself."""
    return not is_satellite(item) and layout in layouts_for(design, layout.table, item)


def has_key_of(layout: Layout, item: Item) -> bool:
    """Whether an item's key could have been made by the class."""
    return all(
        layout.table.type_of(attribute) != "S" or template.parse(item[attribute].get("S", "")) is not None
        for attribute, template in layout.primary.parts
    )


def require_keys(context: Context, layout: Layout) -> None:
    """Refuse at once to go over items whose secrets cannot be opened, as there are no keys at all."""
    if layout.secrets and isinstance(context.vault, NoVault):
        context.vault.decrypt(layout, {})
