"""Text keys: the primary key of an item from the texts in an address or a form."""

from tablewright.console.items.key_texts import key_attribute
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import UsageError


def text_key(table: Table, partition: str, sort: str | None) -> Item:
    """Return the key of an item; without `sort`, the partition key alone. Binary keys are given in base64."""
    key = {table.partition: key_attribute(table, table.partition, partition)}
    if sort is not None:
        if table.sort is None:
            raise UsageError("this table has no sort key; leave out sort")
        key[table.sort] = key_attribute(table, table.sort, sort)
    return key


def whole_text_key(table: Table, partition: str, sort: str | None) -> Item:
    """Return the key of one item; `UsageError` if its sort key is missing."""
    if table.sort is not None and sort is None:
        raise UsageError(f"the sort key {table.sort} of the item is missing")
    return text_key(table, partition, sort)
