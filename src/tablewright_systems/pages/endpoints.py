"""Endpoints: what an OpenAPI document says of each, in the form that a page shows."""

import json
from typing import Any, NamedTuple

METHODS = ("get", "post", "put", "patch", "delete")
# Deeper than this, an example says no more.
DEEPEST = 4


class Endpoint(NamedTuple):
    """One thing that an API can do."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    parameters: list[dict[str, Any]]
    body: str | None
    """An example, ready to be edited."""


def endpoints_of(openapi: dict[str, Any]) -> dict[str, list[Endpoint]]:
    """The endpoints by their tag, in the order the API has them."""
    groups: dict[str, list[Endpoint]] = {}
    for path, operations in openapi["paths"].items():
        for method in METHODS:
            if operation := operations.get(method):
                tag = (operation.get("tags") or ["Endpoints"])[0]
                groups.setdefault(tag.capitalize(), []).append(_endpoint(openapi, path, method, operation))
    return groups


def _endpoint(openapi: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> Endpoint:
    return Endpoint(
        operation["operationId"],
        method,
        path,
        operation.get("summary", ""),
        operation.get("description", ""),
        [_parameter(openapi, each) for each in operation.get("parameters", ())],
        _body(openapi, operation),
    )


def _parameter(openapi: dict[str, Any], parameter: dict[str, Any]) -> dict[str, Any]:
    default = parameter.get("schema", {}).get("default")
    return {
        "name": parameter["name"],
        "in": parameter["in"],
        "required": parameter.get("required", False),
        "description": parameter.get("description", ""),
        "example": "" if default is None else default,
    }


def _body(openapi: dict[str, Any], operation: dict[str, Any]) -> str | None:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return None
    return json.dumps(example_of(openapi, content["schema"]), indent=2)


def example_of(openapi: dict[str, Any], schema: dict[str, Any], depth: int = 0) -> Any:
    """A value that a schema admits, or nearly.

    >>> example_of({}, {"type": "object", "properties": {"name": {"type": "string"}, "n": {"default": 3}}})
    {'name': '', 'n': 3}
    """
    if depth > DEEPEST:
        return None
    for known in ("default", "const"):
        if known in schema:
            return schema[known]
    if "enum" in schema:
        return schema["enum"][0]
    if "$ref" in schema:
        return example_of(openapi, _referred(openapi, schema["$ref"]), depth)
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return example_of(openapi, schema[choice][0], depth)
    return _plain_example(openapi, schema, depth)


def _plain_example(openapi: dict[str, Any], schema: dict[str, Any], depth: int) -> Any:
    match schema.get("type"):
        case "object":
            properties = schema.get("properties", {})
            return {name: example_of(openapi, each, depth + 1) for name, each in properties.items()}
        case "array":
            return [example_of(openapi, schema.get("items", {}), depth + 1)]
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case "null":
            return None
        case _:
            return _text_example(schema.get("format"))


def _text_example(form: str | None) -> str:
    match form:
        case "date-time":
            return "2026-01-31T12:00:00Z"
        case "date":
            return "2026-01-31"
        case "email":
            return "ada@example.org"
        case _:
            return ""


def _referred(openapi: dict[str, Any], reference: str) -> dict[str, Any]:
    found: Any = openapi
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found  # type: ignore[no-any-return]
