"""The OpenAPI document of an API: FastAPI's, completed for API viewers and client generators."""

import re
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic.alias_generators import to_camel

from tablewright_systems.web.idempotency import HEADER, MAX_LENGTH, PATTERN
from tablewright_systems.web.openapi_errors import add_error_components, add_errors
from tablewright_systems.web.openapi_examples import add_examples
from tablewright_systems.web.requests import requires_caller

Document = dict[str, Any]

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
            document["paths"] = {camel_path(path): each for path, each in document["paths"].items()}
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
        for each in schema.get("properties", {}).values():
            each.pop("title", None)


def camel_path(path: str) -> str:
    """Return a path with camelCase parameters.

    >>> camel_path("/boards/{board_id}/members/{user_id}")
    '/boards/{boardId}/members/{userId}'
    """
    return re.sub(r"\{(\w+)\}", lambda found: f"{{{to_camel(found[1])}}}", path)


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
