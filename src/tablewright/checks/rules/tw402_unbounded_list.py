"""A list inside an item grows without a limit.

An item is at most 400 KB. A list that gains an element with every member, message or reader eventually reaches that
size, and then every write fails; long before, each change rewrites, and pays for, the whole list. Set a limit with
Pydantic's `Field(max_length=...)`, or make each element its own item (or a `Copy`).

The finding says at how many elements the item is full: of the largest size, where the elements have limits
(`list[Annotated[str, Field(max_length=500)]]`), otherwise of a size estimated from their type. A map with arbitrary
keys is a note. An entity whose lists and texts each have a limit, but together pass 400 KB, is a warning.
"""

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.annotations import max_length, nested_fields
from tablewright.design.layouts.field_values import allowed_values, largest_size
from tablewright.dynamodb.limits import MAX_ITEM_SIZE
from tablewright.dynamodb.values.item_sizes import ELEMENT

CODE = "TW402"
TITLE = "List without a limit"


def check(design: Design) -> Iterator[Finding]:
    """Lists, sets and maps in entities and their nested models without `max_length`, or with one that is too large."""
    for entity in design.entities:
        found = []
        for path, annotation, metadata in nested_fields(entity):
            element = _element(annotation)
            limit = max_length(metadata)
            if element is not None and (limit is None or limit * _each(element) > MAX_ITEM_SIZE):
                found.append(_finding(entity, path, element, limit, is_map=_kind(annotation) is dict))
        yield from found or _together(entity)


def _kind(annotation: Any) -> Any:
    return get_origin(annotation) or annotation


def _element(annotation: Any) -> Any:
    """The type of the elements; None if it is no collection, or if the number of different elements is limited."""
    if _kind(annotation) not in (list, set, frozenset, dict):
        return None
    arguments = get_args(annotation)
    if any(allowed_values(argument) is not None for argument in arguments[:1]):
        return None
    return arguments[-1] if arguments else Any


def _each(element: Any) -> int:
    return largest_size(element) + ELEMENT


def _together(entity: type[Entity]) -> Iterator[Finding]:
    """An entity whose fields have limits that allow more than an item can have."""
    sizes = {
        name: largest_size(info.annotation, tuple(info.metadata))
        for name, info in entity.model_fields.items()
    }
    total = sum(len(name) + size for name, size in sizes.items())
    if total > MAX_ITEM_SIZE:
        largest = sorted(sizes, key=lambda name: -sizes[name])[:3]
        shown = ", ".join(f"{name} {sizes[name] // 1024:,} KB" for name in largest)
        yield Finding(
            CODE,
            "warning",
            entity.__name__,
            f"{entity.__name__} may have {total // 1024:,} KB, and an item has at most 400 KB: {shown}",
            "lower the limits of its fields, or store a part of them as items of their own",
            entity,
        )


def _finding(entity: type[Entity], path: str, element: Any, limit: int | None, *, is_map: bool) -> Finding:
    most = MAX_ITEM_SIZE // _each(element)
    allowed = "has no limit" if limit is None else f"may have {limit:,} elements"
    return Finding(
        CODE,
        "info" if is_map and limit is None else "warning",
        f"{entity.__name__}.{path}",
        f"{entity.__name__}.{path} {allowed}: at about {_each(element)} bytes each, an item is full at {most:,}",
        "set a limit with Field(max_length=...), or make each element an item",
        entity,
    )
