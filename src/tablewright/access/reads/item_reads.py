"""Read items by their primary keys: one, many, or several at the same point in time."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count, islice

from tablewright.access.context import Context
from tablewright.access.items.footprint import ComparableKey, comparable_key
from tablewright.access.procedures import Call, Procedure, backoff, count_retry, wait_or_raise, with_retries
from tablewright.design.tables import Table
from tablewright.dynamodb.limits import MAX_BATCH_KEYS, MAX_TRANSACTION
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import TransactionCanceled, TransactionConflict


def item_at(context: Context, table: Table, key: Item) -> Procedure[Item | None]:
    """Read the item under a key, consistently; None when there is none."""
    request = {"TableName": context.table_name(table), "Key": key, "ConsistentRead": True}
    item: Item | None = (yield from with_retries(Call("GetItem", request))).get("Item")
    return item


def items_at(context: Context, table: Table, keys: Iterable[Item]) -> Procedure[dict[ComparableKey, Item]]:
    """Read the items under some keys, each consistently, but not all at the same point in time."""
    return (yield from items_under(context, table, {comparable_key(table, key): key for key in keys}))


def items_under(
    context: Context, table: Table, keys: Mapping[ComparableKey, Item]
) -> Procedure[dict[ComparableKey, Item]]:
    """As `items_at`, for keys whose comparable form is known."""
    name = context.table_name(table)
    waiting = list(keys.values())
    items: dict[ComparableKey, Item] = {}
    attempt = 0
    while waiting:
        batch, rest = waiting[:MAX_BATCH_KEYS], waiting[MAX_BATCH_KEYS:]
        requested = {name: {"Keys": batch, "ConsistentRead": True}}
        reply = yield from with_retries(Call("BatchGetItem", {"RequestItems": requested}))
        items |= {comparable_key(table, item): item for item in reply["Responses"].get(name, ())}
        unprocessed = reply.get("UnprocessedKeys", {}).get(name, {}).get("Keys", [])
        waiting = [*unprocessed, *rest]
        if unprocessed:
            count_retry("UnprocessedKeys")
            yield backoff(attempt)
            attempt += 1
    return items


def items_together(context: Context, table: Table, keys: Sequence[Item]) -> Procedure[list[Item | None]]:
    """Read the items under up to 100 keys in one transaction: all of the same point in time."""
    name = context.table_name(table)
    actions = [{"Get": {"TableName": name, "Key": key}} for key in islice(keys, MAX_TRANSACTION)]
    for attempt in count():
        try:
            reply = yield from with_retries(Call("TransactGetItems", {"TransactItems": actions}))
            return [entry.get("Item") for entry in reply["Responses"]]
        except TransactionCanceled as canceled:  # another client is writing one of the items
            yield from wait_or_raise(TransactionConflict(str(canceled)), attempt)
    raise AssertionError("count() has no end")
