"""Shadowed names: the fields that a class declares, read before pydantic builds it and warns in its own words."""

from collections.abc import Iterator
from inspect import get_annotations
from typing import Any, ClassVar, get_origin

from pydantic import BaseModel

PYDANTIC_NAMES = frozenset(name for name in dir(BaseModel) if not name.startswith("_"))
"""The methods and attributes of every pydantic model, such as `copy` and `json`."""


def annotated_fields(cls: type) -> Iterator[str]:
    """The names that a class itself declares as fields; pydantic need not have built it yet."""
    for name, annotation in get_annotations(cls).items():
        if not _is_class_variable(annotation):
            yield name


def _is_class_variable(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.removeprefix("typing.").startswith("ClassVar")
    return annotation is ClassVar or get_origin(annotation) is ClassVar
