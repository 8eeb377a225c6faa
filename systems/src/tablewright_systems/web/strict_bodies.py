"""Strict request bodies: an endpoint gets exactly the JSON types that its OpenAPI document shows.

Pydantic converts by default: "yes" becomes true, and "50" becomes 50. A client with such a mistake would succeed until
another value is converted to something else. FastAPI has no setting for strict bodies, so `with_strict_bodies`
annotates the body parameters of each endpoint; `Router` applies it.
"""

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Annotated, Any, TypeVar, get_args, get_origin

from fastapi.params import Depends, Param
from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
)
from pydantic_core import CoreSchema, core_schema

from tablewright_systems.service.schemas import Body, from_json

F = TypeVar("F", bound=Callable[..., Any])


class StrictBody:
    """Annotation of a body parameter: its value is validated as JSON, without conversions."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self._kind)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._validate, handler(source))

    def _validate(self, sent: Any, validate: ValidatorFunctionWrapHandler) -> Any:
        if isinstance(self._kind, type) and issubclass(self._kind, Body):
            sent = self._kind.prepared(sent)
        try:
            return from_json(self._adapter, sent)
        except ValidationError as error:
            if (
                error.errors()[0]["type"] == "json_invalid"
            ):  # half of a surrogate pair: the model names its field
                validate(sent)
            raise


def with_strict_bodies(endpoint: F) -> F:
    """Return an endpoint after its body parameters were made strict.

    >>> def create(name: str, body: Body) -> None: ...
    >>> inspect.signature(with_strict_bodies(create)).parameters["name"].annotation
    <class 'str'>
    """
    function: Any = getattr(endpoint, "__func__", endpoint)
    signature = inspect.signature(function, eval_str=True)
    parameters = [
        each.replace(annotation=Annotated[each.annotation, StrictBody(each.annotation)])
        if is_body(each.annotation)
        else each
        for each in signature.parameters.values()
    ]
    function.__signature__ = signature.replace(parameters=parameters)
    return endpoint


def is_body(annotation: Any) -> bool:
    """Return whether FastAPI takes a parameter with this annotation from the body.

    >>> is_body(Body), is_body(list[Body] | None), is_body(dict[str, Any]), is_body(str)
    (True, True, True, False)
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        others = (Depends, Param, StrictBody)
        return not any(isinstance(each, others) for each in arguments[1:]) and is_body(arguments[0])
    if origin is not None:
        return origin is dict or any(map(is_body, arguments))
    return isinstance(annotation, type) and issubclass(annotation, BaseModel | dict)
