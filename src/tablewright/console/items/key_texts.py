"""Key texts: key values as the text that a person types or a link contains, and back to attribute values.

Binary values are base64 text in JSON of the page, and bytes in requests.
"""

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.design.indexes import Index
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import AttributeValue, Item, base64_text
from tablewright.dynamodb.values.numbers import canonical
from tablewright.errors import ServiceError, UsageError


def with_bytes(value: Any) -> Any:
    """Return a request whose binary values are bytes, as connections take them.

    >>> with_bytes({"Key": {"id": {"B": "AP8="}}})
    {'Key': {'id': {'B': b'\\x00\\xff'}}}
    """
    if isinstance(value, list):
        return [with_bytes(element) for element in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        if isinstance(text := value.get("B"), str):
            return {"B": _bytes(text)}
        if isinstance(texts := value.get("BS"), list):
            return {"BS": [_bytes(element) for element in texts]}
    return {name: with_bytes(member) for name, member in value.items()}


def _bytes(text: object) -> bytes:
    if isinstance(text, bytes):
        return text
    try:
        return b64decode(str(text), validate=True)
    except (NotBase64, ValueError):
        raise UsageError(f"a binary value is base64 text, got {text!r}") from None


def partition_attributes(table: Table, index: Index | None) -> tuple[str, ...]:
    """Return the attributes of the partition key."""
    return index.partition if index else (table.partition,)


def sort_attributes(table: Table, index: Index | None) -> tuple[str, ...]:
    """Return the attributes of the sort key; empty if there is none."""
    return index.sort if index else table.key[1:]


def key_attribute(table: Table, attribute: str, text: str) -> AttributeValue:
    """Return a key value from its text: a number as digits, bytes as base64.

    >>> key_attribute(Table("orders", "number", types={"number": "N"}), "number", "7")
    {'N': '7'}
    """
    kind = table.type_of(attribute)
    if not text:
        raise UsageError(f"{attribute} is a key, and a key cannot be empty")
    try:
        match kind:
            case "N":
                return {"N": canonical(text)}
            case "B":
                return {"B": b64decode(text, validate=True)}
            case _:
                return {"S": text}
    except (ServiceError, NotBase64, ValueError):
        words = {"N": "a number", "B": "base64"}[kind]
        raise UsageError(f"{attribute} is {words}, got {text[:60]!r}") from None


def text_of(value: AttributeValue) -> str:
    """Return the text of a key value; of bytes, base64.

    >>> text_of({"B": b"x"}), text_of({"N": "7"})
    ('eA==', '7')
    """
    ((kind, content),) = value.items()
    if kind == "B" and not isinstance(content, str):
        return base64_text(bytes(content))
    return str(content)


def key_from_json(table: Table, content: object) -> Item:
    """Return a primary key from the JSON that the API sends: `{"PK": {"S": "USER#1"}}`, bytes as base64."""
    if not isinstance(content, Mapping) or set(content) != set(table.key):
        raise UsageError(f"key has the attributes {' and '.join(table.key)}, each as DynamoDB's JSON")
    return {name: _from_json(table, name, content[name]) for name in table.key}


def _from_json(table: Table, attribute: str, content: Any) -> AttributeValue:
    kind = table.type_of(attribute)
    if not isinstance(content, Mapping) or list(content) != [kind] or not isinstance(content[kind], str):
        raise UsageError(f'{attribute} in key is {{"{kind}": "..."}}, got {str(content)[:60]}')
    return key_attribute(table, attribute, content[kind])


def partition_key(table: Table, index: Index | None, texts: Sequence[str]) -> Item:
    """Return the attributes of a partition key from their texts."""
    names = partition_attributes(table, index)
    if len(texts) != len(names):
        raise UsageError(f"partition has {len(names)} value(s): {', '.join(names)}; got {len(texts)}")
    return {name: key_attribute(table, name, text) for name, text in zip(names, texts, strict=True)}


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
