"""A list inside an item grows without a bound.

An item holds 400 KB. A list that gains an element with every member, message or reader reaches that one day, and then
no write succeeds; long before, each change rewrites, and pays for, all of it. Say how long it may become, with
Pydantic's `Field(max_length=...)`, or make each element an item of its own (or a `Copy`).

The finding says when: 400 KB over the size of an element, guessed from its type. A map of any keys is a note.
"""

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.annotations import max_length, nested_fields
from tablewright.design.layouts.field_values import allowed_values
from tablewright.design.layouts.size_estimates import estimated_size
from tablewright.values.item_sizes import ELEMENT, MAX_ITEM_SIZE

CODE = "TW402"
TITLE = "List without a bound"


def check(design: Design) -> Iterator[Finding]:
    """Lists, sets and maps in entities and their nested models that have no `max_length`, or too great a one."""
    for entity in design.entities:
        for path, annotation, metadata in nested_fields(entity):
            element = _element(annotation)
            bound = max_length(metadata)
            if element is not None and (bound is None or bound * _each(element) > MAX_ITEM_SIZE):
                yield _finding(entity, path, element, bound, is_map=_kind(annotation) is dict)


def _kind(annotation: Any) -> Any:
    return get_origin(annotation) or annotation


def _element(annotation: Any) -> Any:
    """The type of the elements; None for what is no collection, or has only so many different elements."""
    if _kind(annotation) not in (list, set, frozenset, dict):
        return None
    arguments = get_args(annotation)
    if any(allowed_values(argument) is not None for argument in arguments[:1]):
        return None
    return arguments[-1] if arguments else Any


def _each(element: Any) -> int:
    return estimated_size(element) + ELEMENT


def _finding(entity: type[Entity], path: str, element: Any, bound: int | None, *, is_map: bool) -> Finding:
    most = MAX_ITEM_SIZE // _each(element)
    allowed = "has no bound" if bound is None else f"may have {bound:,} elements"
    return Finding(
        CODE,
        "info" if is_map and bound is None else "warning",
        f"{entity.__name__}.{path}",
        f"{entity.__name__}.{path} {allowed}: at about {_each(element)} bytes each, an item is full at {most:,}",
        "bound it with Field(max_length=...), or make each element an item",
        entity,
    )
