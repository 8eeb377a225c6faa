"""Keys as attribute values: what a layout's templates say, filled with an entity's values."""

from collections.abc import Mapping
from typing import Any

from tablewright.access.codec import to_attribute
from tablewright.design.layouts import KeyLayout
from tablewright.design.tables import Table
from tablewright.design.templates import Template
from tablewright.errors import KeyValueError
from tablewright.values.attributes import AttributeValue, Item


def key_value(table: Table, attribute: str, template: Template, values: Mapping[str, Any]) -> AttributeValue:
    """One key attribute: text by its template, or a bare number or bytes.

    >>> orders = Table("orders", key=("customer", "number"), types={"number": "N"})
    >>> key_value(orders, "customer", Template("C#{name}"), {"name": "ada"})
    {'S': 'C#ada'}
    >>> key_value(orders, "number", Template("{number}"), {"number": 7})
    {'N': '7'}
    """
    wanted = table.type_of(attribute)
    if wanted == "S":
        return {"S": template.render(values)}
    (name,) = template.names
    made = to_attribute(values[name])
    if wanted not in made:
        raise KeyValueError(f"{name} = {values[name]!r} cannot be {attribute}, a key of type {wanted}")
    return made


def key_values(table: Table, key: KeyLayout, values: Mapping[str, Any]) -> Item | None:
    """All attributes of one key; None when the entity is not in that index: sparse, or a source is absent."""
    if key.sparse is not None and not key.sparse.holds(values):
        return None
    if key.index is not None and any(values.get(name) is None for name in _sources(key)):
        return None
    return {attribute: key_value(table, attribute, template, values) for attribute, template in key.parts}


def _sources(key: KeyLayout) -> list[str]:
    return [name for _, template in key.parts for name in template.names]
