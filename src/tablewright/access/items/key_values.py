"""Key attributes: the templates of a layout, filled with the values of an entity."""

from collections.abc import Mapping
from typing import Any

from tablewright.access.items.value_codec import from_attribute, to_attribute
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import KeyLayout
from tablewright.design.tables.tables import KeyType, Table
from tablewright.dynamodb.limits import MAX_PARTITION_KEY, MAX_SORT_KEY
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.errors import KeyValueError


def key_value(table: Table, attribute: str, template: Template, values: Mapping[str, Any]) -> AttributeValue:
    """Return one key attribute: text from its template, or a number or bytes.

    >>> orders = Table("orders", key=("customer", "number"), types={"number": "N"})
    >>> key_value(orders, "customer", Template("C#{name}"), {"name": "ada"})
    {'S': 'C#ada'}
    >>> key_value(orders, "number", Template("{number}"), {"number": 7})
    {'N': '7'}
    """
    kind = table.type_of(attribute)
    if kind == "S":
        return {"S": key_text(table, attribute, template, values)}
    return number_or_bytes(attribute, kind, template, values)


def number_or_bytes(
    attribute: str, kind: KeyType, template: Template, values: Mapping[str, Any]
) -> AttributeValue:
    """Return a key attribute that is a number or bytes."""
    if template.is_constant:  # in the key condition of a pattern: points > 0
        return {kind: template.text}
    (part,) = template.fields
    name = part.name
    if part.key_format is not None:
        return {"N": part.render_number(values[name])}
    made = to_attribute(values[name])
    if kind not in made:
        raise KeyValueError(f"{name} = {values[name]!r} cannot be {attribute}, a key of type {kind}")
    return made


def key_text(table: Table, attribute: str, template: Template, values: Mapping[str, Any]) -> str:
    """Return a key attribute that is text; raise when it is too long or not valid Unicode."""
    text = template.render(values)
    if len(text) > MAX_SORT_KEY or not text.isascii():
        _require_key(table, attribute, template, text)
    return text


def parse_key(attribute: AttributeValue, template: Template) -> dict[str, Any]:
    """Return the values that can be read back from a key attribute; those from text are text.

    >>> parse_key({"S": "C#ada"}, Template("C#{name}")), parse_key({"N": "7"}, Template("{number}"))
    ({'name': 'ada'}, {'number': 7})
    """
    if "S" in attribute:
        return dict(template.parse(attribute["S"]) or {})
    if not template.is_number or not attribute:
        return {}
    (part,) = template.fields
    if part.key_format is None:
        return {part.name: from_attribute(attribute)}
    return {part.name: part.key_format.restore(attribute["N"])} if part.is_reversible else {}


def key_values(table: Table, key: KeyLayout, values: Mapping[str, Any]) -> Item | None:
    """Return all attributes of one key; None when the entity is not in that index: sparse, or a field is absent."""
    if key.sparse is not None and not key.sparse.holds(values):
        return None
    if key.index is not None and _lacks_source(key, values):
        return None
    return {attribute: key_value(table, attribute, template, values) for attribute, template in key.parts}


def key_of(table: Table, item: Item) -> Item:
    """Return the primary key of an item."""
    return {name: item[name] for name in table.key}


def is_key(table: Table, given: object) -> bool:
    """Return whether a value can be a primary key of a table: its attributes, each of the right type and size.

    >>> orders = Table("orders", key=("customer", "number"), types={"number": "N"})
    >>> is_key(orders, {"customer": {"S": "ada"}, "number": {"N": "7"}}), is_key(orders, {"customer": {"M": {}}})
    (True, False)
    """
    if not isinstance(given, Mapping) or given.keys() != set(table.key):
        return False
    return all(_is_key_value(table, name, given[name]) for name in table.key)


def _is_key_value(table: Table, attribute: str, given: object) -> bool:
    kind = table.type_of(attribute)
    if not isinstance(given, Mapping) or list(given) != [kind]:
        return False
    content = given[kind]
    size = len(content.encode() if isinstance(content, str) else content)
    return 0 < size <= (MAX_PARTITION_KEY if attribute == table.partition else MAX_SORT_KEY)


def describe_key(key: Item) -> str:
    """Format a key for messages.

    >>> describe_key({"PK": {"S": "USER#u1"}, "SK": {"N": "7"}})
    "PK = 'USER#u1', SK = '7'"
    """
    return ", ".join(f"{name} = {next(iter(value.values()))!r}" for name, value in key.items())


def _require_key(table: Table, attribute: str, template: Template, text: str) -> None:
    sources = ", ".join(dict.fromkeys(template.names)) or template.text
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise KeyValueError(
            f"{sources} has an unpaired surrogate, which is not valid Unicode; the key {attribute} cannot contain it"
        ) from None
    sorts = (table.sort, *(name for index in table.indexes for name in index.sort))
    longest = MAX_SORT_KEY if attribute in sorts else MAX_PARTITION_KEY
    if size > longest:
        raise KeyValueError(
            f"{sources} makes the key {attribute} {size} bytes long, and DynamoDB allows {longest}; shorten {sources}"
        )


def _lacks_source(key: KeyLayout, values: Mapping[str, Any]) -> bool:
    for _, template in key.parts:
        for name in template.names:
            if values.get(name) is None:
                return True
    return False
