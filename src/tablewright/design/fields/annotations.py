"""Annotations: read the type annotations of fields, without `None`, `Annotated` and nesting.

The type and the stored name of a nested field, a map entry or a list element are found by its path: a tuple of the name
of a field of the entity, then names of nested fields, keys of maps and indexes of lists.
"""

import types
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from itertools import chain
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from tablewright.design.argument_errors import suggestion
from tablewright.design.value_problems import describe_problems, problems_of


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
        values = (getattr(one, name, None) for one in metadata)
        return [bound + shift for bound in values if isinstance(bound, int)]

    low, high = [*bounds("ge", 0), *bounds("gt", 1)], [*bounds("le", 0), *bounds("lt", -1)]
    return max(low, default=None), min(high, default=None)


def max_length(metadata: tuple[Any, ...]) -> int | None:
    """The limit that `Field(max_length=...)` sets, or None."""
    lengths = (getattr(one, "max_length", None) for one in metadata)
    return next((length for length in lengths if length is not None), None)


Part = str | int
"""A nested field or the key of a map (str), or the index of a list element (int)."""


class NotNested(ValueError):
    """A part of a path that the declared type does not have: why, and the fix."""


def member(annotation: Any, part: Part) -> tuple[Part, Any]:
    """The stored name and the type of a nested field, a map entry or a list element; `NotNested` if there is none.

    >>> member(dict[str, int], "home")
    ('home', <class 'int'>)
    >>> member(list[str] | None, 0)
    (0, <class 'str'>)
    """
    plain, _ = plain_type(annotation)
    if get_origin(plain) in (Union, types.UnionType):
        return _member_of_union(get_args(plain), part)
    origin = get_origin(plain) or plain
    if origin in (Any, object) or not isinstance(origin, type):
        return part, Any
    if issubclass(origin, BaseModel):
        return _model_field(origin, part)
    if _is_typed_dict(origin):
        return _typed_key(origin, part)
    if issubclass(origin, Mapping):
        return _map_entry(plain, part)
    if issubclass(origin, Sequence) and not issubclass(origin, str | bytes | bytearray):
        return _list_element(plain, part)
    if issubclass(origin, AbstractSet):
        raise NotNested("is a set, whose elements have no names or positions; use contains()")
    raise NotNested(f"is a {origin.__name__}, which has no nested fields")


def is_model(annotation: Any) -> bool:
    """Whether a type has declared fields, which are written with a dot: a model, or an unknown type."""
    plain, _ = plain_type(annotation)
    if get_origin(plain) in (Union, types.UnionType):
        return any(is_model(argument) for argument in get_args(plain))
    origin = get_origin(plain) or plain
    if not isinstance(origin, type):
        return True
    return issubclass(origin, BaseModel) or _is_typed_dict(origin) or not issubclass(origin, Mapping)


def _is_typed_dict(kind: type) -> bool:
    """Whether a class is a `TypedDict`, of `typing` or of `typing_extensions`."""
    return issubclass(kind, dict) and hasattr(kind, "__required_keys__")


def _member_of_union(types_: tuple[Any, ...], part: Part) -> tuple[Part, Any]:
    """A member of `A | B`: of the types that have it."""
    members: list[tuple[Part, Any]] = []
    problem: NotNested | None = None
    for kind in types_:
        if kind is type(None):
            continue
        try:
            members.append(member(kind, part))
        except NotNested as error:
            problem = problem or error
    if not members:
        raise problem or NotNested("has no nested fields")
    names = {stored for stored, _ in members}
    if len(names) > 1:
        listed = ", ".join(sorted(map(str, names)))
        raise NotNested(f"has {part} under several stored names ({listed}); give it one alias")
    annotations = [annotation for _, annotation in members]
    same = all(annotation == annotations[0] for annotation in annotations)
    return members[0][0], annotations[0] if same else Any


def _model_field(model: type[BaseModel], part: Part) -> tuple[Part, Any]:
    known = model.model_fields
    info = known.get(part) if isinstance(part, str) else None
    if info is not None:
        return info.alias or part, info.annotation
    if model.model_config.get("extra") == "allow" and isinstance(part, str):
        return part, Any
    raise NotNested(f"is a {model.__name__}, which has no field {part}; {suggestion(str(part), known)}")


def _typed_key(typed: type, part: Part) -> tuple[Part, Any]:
    known = get_type_hints(typed)
    if part in known:
        return part, known[str(part)]
    raise NotNested(f"is a {typed.__name__}, which has no key {part}; {suggestion(str(part), known)}")


def _map_entry(plain: Any, part: Part) -> tuple[Part, Any]:
    if not isinstance(part, str):
        raise NotNested(f'is a map, whose keys are text, not {part}; write ["{part}"]')
    arguments = get_args(plain)
    if len(arguments) != 2:
        return part, Any
    if arguments[0] not in (str, Any):
        _check_key(arguments[0], part)
    return part, arguments[1]


def _check_key(annotation: Any, key: str) -> None:
    """Reject a key that the declared type of the keys does not have: an item with that key could not be read."""
    try:
        checked = TypeAdapter(annotation).validate_python(key)
    except ValidationError as error:
        raise NotNested(f"is a map, whose keys {describe_problems(problems_of(error))}") from None
    text = checked.value if isinstance(checked, Enum) else checked
    if text != key:
        raise NotNested(f"is a map that stores the key {key!r} as {text!r}; write [{text!r}]")


def _list_element(plain: Any, part: Part) -> tuple[Part, Any]:
    if not isinstance(part, int):
        raise NotNested(f"is a list, whose elements have no names; write [0], not {part!r}")
    if part < 0:
        raise NotNested(f"is a list, whose elements are counted from the start: [0], not [{part}]")
    arguments = get_args(plain)
    if get_origin(plain) is tuple and ... not in arguments:
        if part >= len(arguments):
            raise NotNested(f"has {len(arguments)} elements, none at [{part}]")
        return part, arguments[part]
    return part, arguments[0] if arguments else Any
