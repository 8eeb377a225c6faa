"""Endpoints: a function of a service becomes an operation of the API, called with what the request contains.

    class NewBoardName(Body):
        board_name: BoardName

    @router.patch("/boards/{board_id}", body=NewBoardName)
    def rename_board(
        db: Db, caller: CurrentCaller, board_id: str, board_name: str, version: ExpectedVersion = None
    ) -> Board:
        \"""Rename a board.\"""

The function is called from Python as it is written. For a request it gets each field that the client sent in the body
as an argument. Parameters of the path and the query have their names in camelCase, and a page that it returns is a
`PageReply`.

Bodies are strict: an endpoint gets exactly the JSON types that its OpenAPI document shows. Pydantic converts by
default: "yes" becomes true, and "50" becomes 50. A client with such a mistake would succeed until another value is
converted to something else. FastAPI has no setting for strict bodies, so `StrictBody` annotates them.
"""

import inspect
from collections.abc import Callable
from functools import cached_property, wraps
from inspect import Parameter
from typing import Annotated, Any, get_args, get_origin

from fastapi import Query
from fastapi.params import Depends, Param
from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema

from tablewright import reads
from tablewright_systems.service.schemas import Body, from_json
from tablewright_systems.web.replies import PageReply


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


def endpoint_of(
    function: Callable[..., Any], path: str, body: type[Body] | None = None
) -> Callable[..., Any]:
    """Return the endpoint of a function at a path, with the signature that FastAPI reads."""
    signature = inspect.signature(function, eval_str=True)
    fields = set(body.model_fields) if body else set()
    takes_all = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in signature.parameters.values())
    unknown = fields - set(signature.parameters)
    if unknown and not takes_all:
        raise TypeError(f"{function.__qualname__} has no parameter for {min(unknown)!r} of its body")

    @wraps(function)
    def endpoint(**arguments: Any) -> Any:
        sent = arguments.pop("body").given() if body else {}
        reply = function(**arguments, **sent)
        return PageReply.of(reply) if isinstance(reply, reads.Page) else reply

    parameters = [
        _parameter(parameter, path)
        for parameter in signature.parameters.values()
        if parameter.name not in fields and parameter.kind is not Parameter.VAR_KEYWORD
    ]
    if body:
        parameters.append(_parameter(Parameter("body", Parameter.KEYWORD_ONLY, annotation=body), path))
    returned = signature.return_annotation
    if get_origin(returned) is reads.Page:
        returned = PageReply[get_args(returned)]  # type: ignore[misc]  # known at run time only
    endpoint.__signature__ = inspect.Signature(parameters, return_annotation=returned)  # type: ignore[attr-defined]
    return endpoint


def _parameter(parameter: Parameter, path: str) -> Parameter:
    """Return a parameter as FastAPI reads it: by name, with a strict body, and in camelCase in the query."""
    name, annotation, default = parameter.name, parameter.annotation, parameter.default
    options = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    if any(isinstance(option, Depends) for option in options):
        default = Parameter.empty  # for calls from Python
    elif is_body(annotation):
        annotation = Annotated[annotation, StrictBody(annotation)]
    elif (
        "_" in name and f"{{{name}}}" not in path and not any(isinstance(option, Param) for option in options)
    ):
        annotation = Annotated[annotation, Query(alias=to_camel(name))]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def is_body(annotation: Any) -> bool:
    """Return whether FastAPI takes a parameter with this annotation from the body.

    >>> is_body(Body), is_body(list[Body] | None), is_body(dict[str, Any]), is_body(str)
    (True, True, True, False)
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        others = (Depends, Param)
        return not any(isinstance(option, others) for option in arguments[1:]) and is_body(arguments[0])
    if origin is not None:
        return origin is dict or any(map(is_body, arguments))
    return isinstance(annotation, type) and issubclass(annotation, BaseModel | dict)
