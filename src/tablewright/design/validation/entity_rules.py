"""Soundness: whether a class can keep what its fields, markers and keys promise, each being right by itself."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin
from uuid import UUID

from tablewright.design.fields.markers import Counter, Unique, Version
from tablewright.design.tables.tables import Table
from tablewright.errors import DesignError

if TYPE_CHECKING:
    from tablewright.design.layouts.layouts import CopyLayout, FieldLayout, KeyLayout
    from tablewright.design.validation.problems import Complaints

_KEY_TYPES = (str, int, datetime, date, UUID, Enum)

TAKEN = frozenset({"layout", "suppress", "changed", "unknown_attributes", "is_partial", "mark_partial"})
"""What every entity has, and no field may hide."""


def check_names(entity: str, names: "Mapping[str, str]") -> None:
    """Refuse fields, given with the names they are stored under, that hide what every entity has."""
    for name, stored in names.items():
        if name in TAKEN:
            raise DesignError(
                f"{entity} has a field {name}, which is a part of every entity; "
                f'call it {name}_ = Field(alias="{stored}")'
            )


def check_fields(entity: str, table: Table, fields: "Iterable[FieldLayout]") -> None:
    """Refuse fields that hide something or each other, and markers that do not fit their field."""
    stored: dict[str, FieldLayout] = {}
    versions = []
    for field in fields:
        check_names(entity, {field.name: field.stored})
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


def check_primary(
    entity: str, primary: "KeyLayout", fields: "Mapping[str, FieldLayout]", complaints: "Complaints"
) -> None:
    """Refuse a primary key of what the library itself changes: it could be written once and never again."""
    for field in (fields[name] for name in primary.names if name in fields):
        changing = [kind.__name__ for kind in (Counter, Version) if field.marker(kind)]
        if field.automatic == "touched" or changing:
            shown = " / ".join(f'"{template.text}"' for _, template in primary.parts)
            why = f"a {changing[0]}" if changing else "touched at every write"
            complaints.add(
                "TW103",
                entity,
                f"makes its primary key {shown} of {field.name}, which is {why}",
                f"make the key of what stays, and index {field.name}",
                field=field.name,
            )


def check_copy(entity: str, copy: "CopyLayout", fields: "Mapping[str, FieldLayout]") -> None:
    """Refuse copies for each element of what has none, and copies that would all be one item."""
    each = fields.get(copy.copy.each or "")
    if each is not None and _plain(each.annotation) not in (list, tuple, set, frozenset):
        raise DesignError(
            f"{entity}.{copy.name} is a copy for each element of {each.name}, which is a {_shown(each)}; "
            f"make it a list, or leave out each and name"
        )
    told = {name for _, template in copy.primary.parts for name in template.told}
    if copy.copy.name is not None and copy.copy.name not in told:
        shown = " / ".join(f'"{template.text}"' for _, template in copy.primary.parts)
        raise DesignError(
            f"{entity}.{copy.name} is a copy for each element of {copy.copy.each}, but its key {shown} does not tell "
            f"which: all would be one item; put {{{copy.copy.name}}} into primary=..."
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
