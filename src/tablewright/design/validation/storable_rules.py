"""Rules for the types of fields: a type without a form in DynamoDB is rejected when the class is defined."""

import sys
import types
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, PlainValidator, WrapValidator

from tablewright.design.layouts.field_values import type_name
from tablewright.errors import DesignError

_INSTEAD = {
    "datetime.timedelta": "a number of seconds as an int",
    "datetime.time": "a str",
    "builtins.complex": "a list of two numbers",
    "pathlib.PurePath": "a str",
    "pydantic.networks.AnyUrl": "a str with a validator",
    "pydantic.types.SecretStr": "a str with the marker fields.Encrypted()",
    "pydantic.types.SecretBytes": "bytes with the marker fields.Encrypted()",
    "ipaddress.IPv4Address": "a str",
    "ipaddress.IPv6Address": "a str",
    "ipaddress.IPv4Network": "a str",
    "ipaddress.IPv6Network": "a str",
}
"""The types that cannot be stored, and what to use in their place. Naming them does not import their modules."""

_CONVERTERS = (AfterValidator, PlainValidator, WrapValidator)
"""Validators that may return a value of another type."""


def check_storable(entity: type[BaseModel]) -> None:
    """Reject fields, also of nested models, whose values cannot be stored."""
    for name, info in entity.model_fields.items():
        if any(isinstance(each, _CONVERTERS) for each in info.metadata):
            continue
        for problem, fix in _problems(info.annotation, (entity,)):
            raise DesignError(f"{entity.__name__}.{name} {problem}; {fix}")


def _problems(annotation: Any, within: tuple[type, ...]) -> Iterator[tuple[str, str]]:
    """Why values of a type cannot be stored, and the fix. `within` are the models around it."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        if not any(isinstance(each, _CONVERTERS) for each in annotation.__metadata__):
            yield from _problems(arguments[0], within)
    elif origin in (Union, types.UnionType, list, tuple, set, frozenset):
        if origin in (set, frozenset) and arguments and arguments[0] is bool:
            yield "is a set of bool, which DynamoDB cannot store", "use a list"
        for argument in arguments:
            yield from _problems(argument, within)
    elif isinstance(origin, type) and issubclass(origin, Mapping) and len(arguments) == 2:
        yield from _key_problems(arguments[0])
        yield from _problems(arguments[1], within)
    elif isinstance(annotation, type) and origin is None:
        yield from _class_problems(annotation, within)


def _class_problems(annotation: type, within: tuple[type, ...]) -> Iterator[tuple[str, str]]:
    instead = next((instead for name, instead in _INSTEAD.items() if _is_subclass(annotation, name)), None)
    if instead:
        yield f"has the type {type_name(annotation)}, which DynamoDB cannot store", f"store {instead}"
    elif issubclass(annotation, BaseModel) and annotation not in within:
        for info in annotation.model_fields.values():
            if not any(isinstance(each, _CONVERTERS) for each in info.metadata):
                yield from _problems(info.annotation, (*within, annotation))


def _is_subclass(annotation: type, name: str) -> bool:
    """Whether a class derives from a class with this name; it does not if the module of that one is not loaded."""
    module, _, class_name = name.rpartition(".")
    kind = getattr(sys.modules.get(module), class_name, None)
    return kind is not None and issubclass(annotation, kind)


def _key_problems(annotation: Any) -> Iterator[tuple[str, str]]:
    """Why a type cannot be that of the keys of a map."""
    plain = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    if isinstance(plain, type) and plain is not Any and not issubclass(plain, str):
        fix = "use a StrEnum" if issubclass(plain, Enum) else "use str"
        yield f"is a map whose keys have the type {type_name(plain)}, and DynamoDB needs text", fix
