"""Routers: the endpoints of one area of an API, under a tag with a description.

    router = Router("Boards", "Boards and their owners.")

    class NewBoardName(Body):
        board_name: BoardName

    @router.patch("/boards/{board_id}", body=NewBoardName)
    def rename_board(
        db: Db, caller: CurrentCaller, board_id: str, board_name: str, version: ExpectedVersion = None
    ) -> Board: ...

An endpoint is the function of a service itself. Called from Python, it is as it is written. For a request it gets each
field that the client sent in the body as an argument, the names of parameters in the query are camelCase, and a page
that it returns is a `PageReply`.

Bodies are strict: an endpoint gets exactly the JSON types that its OpenAPI document shows. Pydantic converts by
default: "yes" becomes true, and "50" becomes 50. A client with such a mistake would succeed until another value is
converted to something else. FastAPI has no setting for strict bodies, so `StrictBody` annotates them.

A query parameter that an endpoint does not have is an error, so that a misspelled filter is not ignored.
"""

import inspect
from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from inspect import Parameter
from typing import Annotated, Any, TypeVar, get_args, get_origin

from fastapi import APIRouter, Depends, Query, Request, params
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema
from starlette.routing import BaseRoute

from tablewright import reads
from tablewright_systems.service.errors import Invalid
from tablewright_systems.service.schemas import Body, from_json
from tablewright_systems.web.entity_tags import reject_unsupported_if_match
from tablewright_systems.web.openapi import operation_id, usual_problems
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
    if any(isinstance(option, params.Depends) for option in options):
        default = Parameter.empty  # for calls from Python
    elif is_body(annotation):
        annotation = Annotated[annotation, StrictBody(annotation)]
    elif (
        "_" in name
        and f"{{{name}}}" not in path
        and not any(isinstance(option, params.Param) for option in options)
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
        others = (params.Depends, params.Param)
        return not any(isinstance(option, others) for option in arguments[1:]) and is_body(arguments[0])
    if origin is not None:
        return origin is dict or any(map(is_body, arguments))
    return isinstance(annotation, type) and issubclass(annotation, BaseModel | dict)


F = TypeVar("F", bound=Callable[..., Any])


def reject_unknown_parameters(request: Request) -> None:
    """Raise `Invalid` for a query parameter that the endpoint does not have; a dependency of every endpoint."""
    if not request.query_params:
        return
    route: APIRoute = request.scope["route"]
    known = set(_names(route.dependant))
    for name in request.query_params:
        if name not in known:
            hint = f"use {', '.join(sorted(known))}" if known else "this endpoint has none"
            raise Invalid(f"unknown query parameter {name!r}; {hint}", name)


def _names(dependant: Dependant) -> Iterator[str]:
    yield from (field.alias for field in dependant.query_params)
    for dependency in dependant.dependencies:
        yield from _names(dependency)


ENDPOINT_CHECKS = [Depends(reject_unknown_parameters), Depends(reject_unsupported_if_match)]
"""What every endpoint rejects."""


class Router(APIRouter):
    """The endpoints of one area; `tag` groups them in the documentation.

    >>> router = Router("Boards", "Boards and their owners.")
    >>> router.include_router(Router("Members", "Who belongs to a board."))
    >>> sorted(router.tag_descriptions)
    ['Boards', 'Members']
    """

    def __init__(self, tag: str | None = None, description: str = "", **more: Any) -> None:
        super().__init__(tags=[tag] if tag else None, **more)
        self.tag_descriptions = {tag: description} if tag and description else {}

    def describe(self, **tags: str) -> None:
        """Describe further tags, which single endpoints have: `router.describe(Jobs="Background work.")`."""
        self.tag_descriptions |= {name.replace("_", " "): text for name, text in tags.items()}

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        """Add an endpoint; see `endpoint_of`."""
        if more.get("responses") is None:
            more["responses"] = usual_problems(path, more.get("methods") or ["GET"])
        super().add_api_route(path, endpoint_of(endpoint, path, more.pop("body", None)), **more)

    def post(self, path: str, *, body: type[Body] | None = None, **more: Any) -> Callable[[F], F]:
        """Add a function as a POST endpoint; the fields of the body are its arguments."""
        return self._add(path, "POST", body, more)

    def put(self, path: str, *, body: type[Body] | None = None, **more: Any) -> Callable[[F], F]:
        """Add a function as a PUT endpoint; the fields of the body are its arguments."""
        return self._add(path, "PUT", body, more)

    def patch(self, path: str, *, body: type[Body] | None = None, **more: Any) -> Callable[[F], F]:
        """Add a function as a PATCH endpoint; the fields of the body are its arguments."""
        return self._add(path, "PATCH", body, more)

    def _add(self, path: str, method: str, body: type[Body] | None, more: dict[str, Any]) -> Callable[[F], F]:
        def add(function: F) -> F:
            self.add_api_route(path, function, methods=[method], body=body, **more)
            return function

        return add

    def include_router(self, router: APIRouter, **more: Any) -> None:
        """Add the endpoints and tags of another router."""
        super().include_router(router, **more)
        if isinstance(router, Router):
            self.tag_descriptions |= router.tag_descriptions

    @cached_property
    def shared_routes(self) -> list[BaseRoute]:
        """The routes of every application of this router, with the checks of all endpoints.

        FastAPI analyses the endpoints of an included router at its first request, which takes up to 0.2 s. Applications
        that share these routes share the result.
        """
        parent = APIRouter(dependencies=ENDPOINT_CHECKS, generate_unique_id_function=operation_id)
        parent.include_router(self)
        return parent.routes
