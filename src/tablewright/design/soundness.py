"""Soundness: whether a class can keep what its fields, markers and keys promise, each being right by itself."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin
from uuid import UUID

from tablewright.design.fields import Counter, Unique, Version
from tablewright.design.tables import Table
from tablewright.errors import DesignError

if TYPE_CHECKING:
    from tablewright.design.complaints import Complaints
    from tablewright.design.layouts import CopyLayout, FieldLayout, KeyLayout

_KEY_TYPES = (str, int, datetime, date, UUID, Enum)

TAKEN = frozenset({"layout", "suppress", "changed", "unknown_attributes", "is_partial", "mark_partial"})
"""What every entity has, and no field may hide."""


def check_fields(entity: str, table: Table, fields: "Iterable[FieldLayout]") -> None:
    """Refuse fields that hide something or each other, and markers that do not fit their field."""
    stored: dict[str, FieldLayout] = {}
    versions = []
    for field in fields:
        if field.name in TAKEN:
            raise DesignError(
                f"{entity} has a field {field.name}, which is a part of every entity; "
                f'call it {field.name}_ = Field(alias="{field.stored}")'
            )
        other = stored.setdefault(field.stored, field)
        if other is not field:
            raise DesignError(
                f"{entity} stores {other.name} and {field.name} both as {field.stored}; give one an alias of its own"
            )
        if field.marker(Version):
            versions.append(field.name)
        _check_markers(entity, table, field)
    if len(versions) > 1:
        raise DesignError(f"{entity} has two versions, {versions[0]} and {versions[1]}; one is enough")


def check_keys(entity: str, keys: "Sequence[KeyLayout]", complaints: "Complaints") -> None:
    """Refuse one attribute that two keys of an item fill differently: one of them would never be found."""
    for one, other in combinations(keys, 2):
        theirs = dict(other.parts)
        for attribute, template in one.parts:
            if theirs.get(attribute, template) != template:
                complaints.add(
                    "TW004",
                    entity,
                    f'writes {attribute} as "{template.text}" ({_called(one)}) and as '
                    f'"{theirs[attribute].text}" ({_called(other)})',
                    "give both the same template, or one of them an attribute of its own",
                    field=attribute,
                )


def check_copy(entity: str, copy: "CopyLayout", fields: "Mapping[str, FieldLayout]") -> None:
    """Refuse copies for each element of what has none."""
    each = fields.get(copy.copy.each or "")
    if each is not None and _plain(each.annotation) not in (list, tuple, set, frozenset):
        raise DesignError(
            f"{entity}.{copy.name} is a copy for each element of {each.name}, which is a {_shown(each)}; "
            f"make it a list, or leave out each and name"
        )


def can_be_key(annotation: Any, *, bare: bool) -> bool:
    """Whether values of a type have one spelling in a key; bytes are a key only by themselves."""
    if get_origin(annotation) is Literal:
        return all(type(value) in (str, int) for value in get_args(annotation))
    if not isinstance(annotation, type) or annotation is bool:
        return False
    return issubclass(annotation, _KEY_TYPES) or (bare and annotation is bytes)


def _check_markers(entity: str, table: Table, field: "FieldLayout") -> None:
    subject = f"{entity}.{field.name}"
    if field.marker(Version) and field.annotation is not int:
        raise DesignError(f"{subject} is a Version, which is an int, not a {_shown(field)}")
    if field.marker(Counter) and field.annotation not in (int, float, Decimal):
        raise DesignError(f"{subject} is a Counter, which is a number, not a {_shown(field)}")
    if not field.marker(Unique):
        return
    if table.type_of(table.partition) != "S":
        raise DesignError(
            f"{subject} is unique, and its lock needs a partition key of text; "
            f"{table.partition} of {table.name} is of type {table.type_of(table.partition)}"
        )
    if not field.is_secret and not can_be_key(field.annotation, bare=False):
        raise DesignError(
            f"{subject} is unique, and a {_shown(field)} cannot be; "
            "locks are made of text, numbers, dates and enums"
        )


def _called(key: "KeyLayout") -> str:
    return key.index.name if key.index else "primary"


def _plain(annotation: Any) -> Any:
    return get_origin(annotation) or annotation


def _shown(field: "FieldLayout") -> str:
    return getattr(_plain(field.annotation), "__name__", str(field.annotation))
