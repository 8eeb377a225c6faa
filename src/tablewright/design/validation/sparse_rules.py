"""Rules for the conditions of sparse keys: a condition that never or always holds leaves an index empty, or full."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from tablewright.design.fields.markers import Hashed
from tablewright.design.keys.keys import Sparse
from tablewright.design.layouts.compared_values import ValueMismatch, checked_value
from tablewright.design.layouts.layouts import FieldLayout
from tablewright.design.validation.subjects import Subject

_ALWAYS_TRUE = (Enum, date, UUID, BaseModel)
"""Types whose values all count as true."""


def check_sparse_condition(subject: Subject, sparse: Sparse, key_name: str) -> None:
    """Report values that a field can never have, and fields that are always true."""
    if isinstance(sparse.when, Mapping):
        for name, value in sparse.when.items():
            field = subject.fields.get(name)
            if field is not None:
                _check_value(subject, field, value, key_name)
        return
    for field in (subject.fields[name] for name in sparse.names if name in subject.fields):
        if not field.optional and _is_a(field.annotation, _ALWAYS_TRUE) and not _is_falsy(field.annotation):
            subject.report(
                "TW101",
                f'has a Sparse key for {key_name} with when="{field.name}", which always holds',
                f'name the value: when={{"{field.name}": ...}}, or make the field optional',
                field.name,
            )


def _check_value(subject: Subject, field: FieldLayout, value: Any, key_name: str) -> None:
    problem = _problem(field, value)
    if problem:
        subject.report(
            "TW101",
            f"has a Sparse key for {key_name} whose condition never holds: {field.name} {problem}",
            f'give a value of {field.name} in when={{"{field.name}": ...}}',
            field.name,
        )


def _problem(field: FieldLayout, value: Any) -> str:
    """Why a field never has that value; empty if it can have it."""
    if field.marker(Hashed):
        return "is stored as a hash, and cannot be compared after it was read"
    if value is None:
        return "" if field.optional else "is never None"
    try:
        found = checked_value(field.annotation, value)
    except ValueMismatch as error:
        return str(error)
    given = value.value if isinstance(value, Enum) else value
    if _is_a(field.annotation, (BaseModel,)) and not isinstance(value, BaseModel):
        return f"must be compared with a {field.annotation.__name__}"
    if found != given or (field.annotation is Decimal and isinstance(value, float)):
        return f"must be compared with a {field.annotation.__name__}, got {value!r}"
    return ""


def _is_a(annotation: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, kinds)


def _is_falsy(annotation: type) -> bool:
    """Whether an enum has a member that counts as false, such as the 0 of an IntEnum."""
    return issubclass(annotation, Enum) and not all(annotation)
