"""Routers: the endpoints of one area of an API, under a tag with a description.

    router = Router("Boards", "Boards and their owners.")

    @router.patch("/boards/{board_id}")
    def rename_board(
        db: Db, caller: CurrentCaller, board_id: str, board_name: BoardName, version: ExpectedVersion = None
    ) -> Board: ...

    @router.get("/users/{user_id}", reply=PublicProfile)
    def profile(db: Db, user_id: str) -> User: ...

    @router.get("/boards/{board_id}/members")
    def members(db: Db, caller: CurrentCaller, board_id: str) -> MembersOfBoard: ...

An endpoint is the function of a service itself. Called from Python, it is as it is written. For a request:

- The parameters of a POST, PUT or PATCH that are not in the path are the fields of the body, which is named after
  the function: `RenameBoardRequest` has `boardName`. The function gets those that the client sent. A single parameter
  that is a model is the whole body. `body=` is the model for a function that takes its fields as `**values`.
- The parameters of a GET or DELETE are in the query, in camelCase.
- A page is a `PageReply`, and so is the pattern of a list, which is run for the requested page. A list is a
  `ListReply`, and a number a `CountReply`.
- `reply=` is the view that the client gets of the result, or of each item. A view with one field has the result in it.

Bodies are strict: an endpoint gets exactly the JSON types that its OpenAPI document shows. Pydantic converts by
default: "yes" becomes true, and "50" becomes 50. A client with such a mistake would succeed until another value is
converted to something else. FastAPI has no setting for strict bodies, so `StrictBody` annotates them.

A query parameter that an endpoint does not have is an error, so that a misspelled filter is not ignored.
"""

import inspect
from collections.abc import Callable, Collection, Iterator
from functools import cached_property, wraps
from inspect import Parameter
from typing import Annotated, Any, TypeVar, get_args, get_origin

from fastapi import APIRouter, Depends, Query, Request, Response, params
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    create_model,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema
from starlette.routing import BaseRoute

from tablewright_systems.service.errors import Invalid
from tablewright_systems.service.schemas import Body, View, from_json
from tablewright_systems.web.entity_tags import reject_unsupported_if_match
from tablewright_systems.web.openapi import operation_id, usual_problems
from tablewright_systems.web.replies import MixedEntries, reply_form
from tablewright_systems.web.requests import PageRequest


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
    function: Callable[..., Any],
    path: str,
    methods: Collection[str] = ("GET",),
    body: type[Body] | None = None,
    reply: type[View] | MixedEntries | None = None,
    name: str | None = None,
) -> Callable[..., Any]:
    """Return the endpoint of a function at a path, with the signature that FastAPI reads."""
    signature = inspect.signature(function, eval_str=True)
    if body is None and not set(methods) & {"GET", "DELETE"}:
        body = _body_of(function, signature, path, name)
    fields = set(body.model_fields) if body else set()
    takes_all = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in signature.parameters.values())
    unknown = fields - set(signature.parameters)
    if unknown and not takes_all:
        raise TypeError(f"{function.__qualname__} has no parameter for {min(unknown)!r} of its body")
    form = reply_form(signature.return_annotation, reply)

    @wraps(function)
    def endpoint(**arguments: Any) -> Any:
        sent = arguments.pop("body").sent() if body else {}
        paging = arguments.pop("list_paging") if form.is_pattern else None
        result = function(**arguments, **sent)
        return form.build(paging.run(arguments["db"], result) if paging else result)

    parameters = [
        _parameter(parameter, path)
        for parameter in signature.parameters.values()
        if parameter.name not in fields and parameter.kind is not Parameter.VAR_KEYWORD
    ]
    if body:
        parameters.append(_parameter(Parameter("body", Parameter.KEYWORD_ONLY, annotation=body), path))
    if form.is_pattern:
        parameters.append(Parameter("list_paging", Parameter.KEYWORD_ONLY, annotation=PageRequest))
    endpoint.__signature__ = inspect.Signature(parameters, return_annotation=form.model)  # type: ignore[attr-defined]
    return endpoint


def _body_of(
    function: Callable[..., Any], signature: inspect.Signature, path: str, name: str | None
) -> type[Body] | None:
    """Return the body whose fields are parameters of a function, or None if no parameter is in the body."""
    fields = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not Parameter.VAR_KEYWORD
        and f"{{{parameter.name}}}" not in path
        and not _is_from_elsewhere(parameter.annotation)
    ]
    if not fields or (len(fields) == 1 and is_body(fields[0].annotation)):
        return None
    parts: dict[str, Any] = {
        parameter.name: (
            parameter.annotation,
            ... if parameter.default is Parameter.empty else parameter.default,
        )
        for parameter in fields
    }
    title = (name or function.__name__).title().replace("_", "")
    summary = (function.__doc__ or "").partition("\n")[0]
    return create_model(
        f"{title}Request", __base__=Body, __doc__=summary, __module__=function.__module__, **parts
    )


def _is_from_elsewhere(annotation: Any) -> bool:
    """Return whether a parameter comes from a dependency, the query, a header or the request itself."""
    if get_origin(annotation) is Annotated:
        options = get_args(annotation)[1:]
        return any(isinstance(option, params.Depends | params.Param) for option in options)
    return isinstance(annotation, type) and issubclass(annotation, Request | Response)


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
        methods = more.get("methods") or ["GET"]
        if more.get("responses") is None:
            more["responses"] = usual_problems(path, methods)
        body, reply = more.pop("body", None), more.pop("reply", None)
        super().add_api_route(
            path, endpoint_of(endpoint, path, methods, body, reply, more.get("name")), **more
        )

    def get(self, path: str, **more: Any) -> Callable[[F], F]:
        """Add a function as a GET endpoint; `reply` is the view of its result."""
        return self._add(path, "GET", more)

    def post(self, path: str, **more: Any) -> Callable[[F], F]:
        """Add a function as a POST endpoint; `body` is the model of its `**values`, `reply` the view of its result."""
        return self._add(path, "POST", more)

    def put(self, path: str, **more: Any) -> Callable[[F], F]:
        """Add a function as a PUT endpoint; see `post`."""
        return self._add(path, "PUT", more)

    def patch(self, path: str, **more: Any) -> Callable[[F], F]:
        """Add a function as a PATCH endpoint; see `post`."""
        return self._add(path, "PATCH", more)

    def delete(self, path: str, **more: Any) -> Callable[[F], F]:
        """Add a function as a DELETE endpoint; `reply` is the view of its result."""
        return self._add(path, "DELETE", more)

    def _add(self, path: str, method: str, more: dict[str, Any]) -> Callable[[F], F]:
        def add(function: F) -> F:
            self.add_api_route(path, function, methods=[method], **more)
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
