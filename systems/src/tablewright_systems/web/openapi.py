"""The OpenAPI document of an API: FastAPI's, completed for API viewers and client generators.

An operation declares the errors that only it knows, with `problems`. Those that follow from its form are added to all
operations: a body can be too large, a token can be invalid. The tests check that no reply has a status that is not
declared.
"""

import re
from collections.abc import Collection
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic.alias_generators import to_camel

from tablewright_systems.web.error_replies import PROBLEM, Problem, title_of
from tablewright_systems.web.idempotency import HEADER, MAX_LENGTH, PATTERN
from tablewright_systems.web.openapi_examples import add_examples
from tablewright_systems.web.requests import requires_caller

Document = dict[str, Any]

_EVERYWHERE = {400, 422, 500, 503}
_WITH_BODY = {413, 415}
_RETRY_AFTER = {429, 503}
_SCHEMAS = "#/components/schemas/{model}"

# Code and text of the example for each status.
_EXAMPLES = {
    400: ("bad_request", "the body is not valid JSON"),
    401: ("unauthenticated", "send a token: Authorization: Bearer <token>"),
    403: ("forbidden", "the caller may not change this resource"),
    404: ("not_found", "the resource was not found"),
    409: ("conflict", "this name is already taken"),
    410: ("gone", "the link has expired"),
    412: ("precondition_failed", "the resource was changed since it was read; read it again"),
    413: ("too_large", "the body is larger than 1048576 bytes"),
    415: ("unsupported_content_type", "send JSON with the header Content-Type: application/json"),
    422: ("invalid", "name: must have at least 3 characters"),
    429: ("too_many", "rate limit exceeded; try again in 30 s"),
    500: ("internal", "the request failed unexpectedly; the server's log has details under 1f0c2d1e8a7b4c3d"),
    503: ("busy", "the store is busy; try again"),
}


def problems(*statuses: int) -> dict[int | str, Document]:
    """Declare the errors of an operation: `@router.get("/me", responses=problems(404))`.

    They replace the usual ones, which are those of `usual_problems`. A router declares what each of its operations can
    send besides: `Router("Startups", responses=problems(403))`.

    >>> problems(404)
    {404: {'description': 'Not found'}}
    """
    return {status: {"description": title_of(status)} for status in statuses}


def usual_problems(path: str, methods: Collection[str]) -> dict[int | str, Document]:
    """Return the errors of most operations: a read does not find what its path names, a change is refused too.

    >>> list(usual_problems("/boards/{board_id}", {"GET"})), list(usual_problems("/boards", {"POST"}))
    ([404], [403, 404, 409])
    """
    if set(methods) - {"GET"}:
        return problems(403, 404, 409)
    return problems(404) if "{" in path else {}


def add_errors(operation: Document, is_post: bool) -> None:
    """Add the errors that follow from the form of an operation to those that it declares."""
    is_conditional = any(parameter["name"] == "if-match" for parameter in operation.get("parameters", ()))
    responses = operation["responses"]
    statuses = {
        *(int(status) for status in responses if int(status) >= HTTPStatus.BAD_REQUEST),
        *_EVERYWHERE,
        *(_WITH_BODY if "requestBody" in operation else ()),
        *({401} if "security" in operation else ()),
        *({412} if is_conditional else ()),
        *({409} if is_post else ()),  # an idempotency key can be in use
    }
    operation["responses"] = {
        **{status: reply for status, reply in responses.items() if int(status) not in statuses},
        **{str(status): {"$ref": f"#/components/responses/{_name(status)}"} for status in sorted(statuses)},
    }


def add_error_components(document: Document) -> None:
    """Add the body of errors, and the reply of each status, which the operations refer to."""
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):  # FastAPI's own
        schemas.pop(unused, None)
    problem = Problem.model_json_schema(ref_template=_SCHEMAS, mode="serialization")
    schemas.update(problem.pop("$defs"))
    schemas["Problem"] = problem
    components["responses"] = {_name(status): _reply(status) for status in _EXAMPLES}


def _reply(status: int) -> Document:
    code, detail = _EXAMPLES[status]
    example = {
        "type": f"urn:tablewright:problem:{code}",
        "title": title_of(status),
        "status": status,
        "detail": detail,
        "code": code,
    }
    content = {"schema": {"$ref": _SCHEMAS.format(model="Problem")}, "example": example}
    reply: Document = {"description": title_of(status), "content": {PROBLEM: content}}
    if status in _RETRY_AFTER:
        seconds = {"description": "Seconds to wait before the next attempt.", "schema": {"type": "integer"}}
        reply["headers"] = {"Retry-After": seconds}
    return reply


def _name(status: int) -> str:
    """Name of a reply.

    >>> _name(404)
    'NotFound'
    """
    return HTTPStatus(status).phrase.title().replace(" ", "").replace("-", "")


_IDEMPOTENCY_KEY: Document = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "A random value, new for each change: when you send the same request again, you get the same reply.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH, "pattern": PATTERN},
}
_DESCRIPTIONS = {
    "start": "Only entries of this time or later.",
    "end": "Only entries of this time or earlier.",
    "before": "Only entries before this time.",
    "day": "A day, such as 2026-01-31.",
    "zone": "A time zone, such as Europe/Stockholm.",
    "email": "An e-mail address.",
    "step": "Only this step; may be repeated.",
    "kind": "Only entries of this kind; may be repeated.",
    "key": "Key of the tag.",
    "value": "Value of the tag.",
}


def operation_id(route: APIRoute) -> str:
    """Name an operation by its tag and function: generated clients use the name as a method name."""
    return "_".join([*map(str, route.tags[-1:]), route.name]).lower().replace(" ", "_")


def complete_openapi(app: FastAPI) -> None:
    """Give an application a document with errors, descriptions, camelCase names and examples."""
    generate = app.openapi

    def openapi() -> Document:
        if app.openapi_schema is None:
            document = generate()
            dependants = _dependants(app)
            for path, operations in document["paths"].items():
                for method, operation in operations.items():
                    dependant = dependants[path, method]
                    if method == "post":
                        operation.setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
                    add_errors(operation, is_post=method == "post")
                    if "security" in operation and not requires_caller(dependant):
                        operation["security"].insert(0, {})  # a token is optional
                    _describe(operation)
            document["paths"] = {
                camel_path(path): operations for path, operations in document["paths"].items()
            }
            add_error_components(document)
            _drop_titles(document)
            add_examples(document)
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _dependants(app: FastAPI) -> dict[tuple[str, str], Dependant]:
    return {
        (str(route.path_format), method.lower()): route.dependant
        for route in iter_route_contexts(app.routes)
        if isinstance(route.original_route, APIRoute)
        for method in route.methods or ()
    }


def _describe(operation: Document) -> None:
    """Use the first line of the endpoint's docstring as the summary, and the whole as the description."""
    text = operation.get("description") or operation["summary"]
    operation["summary"] = text.partition("\n")[0].rstrip(".")
    operation["description"] = text
    operation["tags"] = operation.get("tags", [])[-1:]  # the endpoint's own tag, or else that of its router
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            parameter["name"] = to_camel(parameter["name"])
        parameter.setdefault("description", describe(parameter))
        parameter["schema"].pop("title", None)
    for status, reply in operation["responses"].items():
        if reply.get("description") == "Successful Response":
            reply["description"] = HTTPStatus(int(status)).phrase


def _drop_titles(document: Document) -> None:
    """Drop the titles of properties: they repeat the name of the property without its upper case, as in "Boardname"."""
    for schema in document["components"]["schemas"].values():
        for field in schema.get("properties", {}).values():
            field.pop("title", None)


def camel_path(path: str) -> str:
    """Return a path with camelCase parameters.

    >>> camel_path("/boards/{board_id}/members/{user_id}")
    '/boards/{boardId}/members/{userId}'
    """
    return re.sub(r"\{(\w+)\}", lambda match: f"{{{to_camel(match[1])}}}", path)


def describe(parameter: Document) -> str:
    """Describe a parameter by its name.

    >>> describe({"in": "path", "name": "boardId"}), describe({"in": "query", "name": "status"})
    ('ID of the board.', 'Only entries with this status.')
    """
    if parameter["name"] in _DESCRIPTIONS:
        return _DESCRIPTIONS[parameter["name"]]
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", parameter["name"]).lower().split()
    if words[-1] == "id" and len(words) > 1:
        return f"ID of the {' '.join(words[:-1])}."
    text = " ".join(words)
    is_filter = parameter["in"] == "query" and not parameter.get("required")
    return f"Only entries with this {text}." if is_filter else f"{text.capitalize()}."
