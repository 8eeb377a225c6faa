"""Annotations: read the type annotations of fields, without `None`, `Annotated` and nesting."""

import types
from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo


def without_none(annotation: Any) -> tuple[Any, bool, tuple[Any, ...]]:
    """The type itself, whether it may be None, and the metadata inside `Annotated[...] | None`.

    >>> without_none(Annotated[int, "metadata"] | None)
    (<class 'int'>, True, ('metadata',))
    """
    optional = False
    if get_origin(annotation) in (Union, types.UnionType):
        kept = [part for part in get_args(annotation) if part is not type(None)]
        optional = len(kept) < len(get_args(annotation))
        annotation = kept[0] if len(kept) == 1 else annotation
    if get_origin(annotation) is Annotated:
        return annotation.__origin__, optional, annotation.__metadata__
    return annotation, optional, ()


def plain_type(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without `None` and without `Annotated`, however deeply nested, and the metadata found there.

    >>> plain_type(Annotated[int, "metadata"] | None)
    (<class 'int'>, ('metadata',))
    """
    if get_origin(annotation) is Annotated:
        plain, metadata = plain_type(annotation.__origin__)
        inner = (one.metadata if isinstance(one, FieldInfo) else [one] for one in annotation.__metadata__)
        return plain, (*metadata, *chain(*inner))
    if get_origin(annotation) in (Union, types.UnionType):
        kept = [part for part in get_args(annotation) if part is not type(None)]
        if len(kept) == 1:
            return plain_type(kept[0])
    return annotation, ()


def nested_fields(
    model: type[BaseModel], path: str = "", outer: tuple[type[BaseModel], ...] = ()
) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Every field of a model and of its nested models: its path, its type, its metadata.

    A model inside itself is not entered again; `outer` are the models around this one.
    """
    for name, info in model.model_fields.items():
        plain, within = plain_type(info.annotation)
        yield f"{path}{name}", plain, (*info.metadata, *within)
        if isinstance(plain, type) and issubclass(plain, BaseModel) and plain not in (*outer, model):
            yield from nested_fields(plain, f"{path}{name}.", (*outer, model))


def integer_bounds(metadata: tuple[Any, ...]) -> tuple[int | None, int | None]:
    """The least and the greatest integer that `Field(ge=..., lt=...)` allows; None where there is no bound."""

    def bounds(name: str, shift: int) -> list[int]:
        found = (getattr(one, name, None) for one in metadata)
        return [bound + shift for bound in found if isinstance(bound, int)]

    low, high = [*bounds("ge", 0), *bounds("gt", 1)], [*bounds("le", 0), *bounds("lt", -1)]
    return max(low, default=None), min(high, default=None)


def max_length(metadata: tuple[Any, ...]) -> int | None:
    """The limit that `Field(max_length=...)` sets, or None."""
    found = (getattr(one, "max_length", None) for one in metadata)
    return next((length for length in found if length is not None), None)
