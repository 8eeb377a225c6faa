"""Sparse conditions: when an item is in an index, in words.

An item is in a sparse index if the condition of `Sparse` holds. It is in any index only if all fields of its key have
a value, so optional fields of the key belong to the condition.
"""

from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from typing import Any, get_origin

from tablewright.design.fields.annotations import plain_type
from tablewright.design.keys.keys import Sparse
from tablewright.design.layouts.layouts import KeyLayout, Layout


def index_condition(layout: Layout, key: KeyLayout) -> str:
    """When an entity has that key, in words; names are those of fields. Empty if it always has."""
    conditions = _declared(layout, key.sparse) if key.sparse else {}
    for _, template in key.parts:
        for name in template.names:
            field = layout.field(name)
            if field is not None and field.optional:
                conditions.setdefault(name, f"{name} has a value")
    return " and ".join(conditions.values())


def _declared(layout: Layout, sparse: Sparse) -> dict[str, str]:
    """The condition of each field in `when`.

    `when="is_open"` holds if the field is true, or has a value other than 0 and the empty text; `when={...}` if each
    field has its value, where None means that the field is absent.
    """
    if isinstance(sparse.when, Mapping):
        return {name: _equals(name, value) for name, value in sparse.when.items()}
    return {name: _holds(layout, name) for name in sparse.names}


def _equals(name: str, value: Any) -> str:
    if value is None:
        return f"{name} is absent"
    return f"{name} is {_shown(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, Enum):
        return _shown(value.value)
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _holds(layout: Layout, name: str) -> str:
    """What a truth value means for the type of a field."""
    field = layout.field(name)
    kind = plain_type(field.annotation)[0] if field else None
    if kind is bool:
        return f"{name} is true"
    if kind in (int, float, Decimal):
        return f"{name} is not 0"
    if kind is str or get_origin(kind) in (list, set, frozenset, tuple, dict):
        return f"{name} is not empty"
    return f"{name} has a value"
