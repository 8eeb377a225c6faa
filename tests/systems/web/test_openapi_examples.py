"""The OpenAPI documents: every model has an example that it accepts."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import RouteContext, iter_route_contexts
from jsonschema_rs import Draft202012Validator

from tablewright import connect, keyrings
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.web.authentication import LocalIssuer
from tablewright_systems.web.openapi import camel_path
from tablewright_systems.web.openapi_examples import example_of


@pytest.fixture(params=SYSTEMS, ids=lambda system: str(system.name))
def app(request: pytest.FixtureRequest) -> Iterator[FastAPI]:
    system: System = request.param
    secrets = keyrings.MemoryKeys()
    with connect(system.design, environment=system.environment, secrets=secrets) as db:
        yield system.build(db, LocalIssuer())


def operations(app: FastAPI) -> list[tuple[RouteContext, dict[str, Any]]]:
    paths = app.openapi()["paths"]
    found = [
        (route, paths[camel_path(str(route.path))][method.lower()])
        for route in iter_route_contexts(app.routes)
        if camel_path(str(route.path)) in paths
        for method in route.methods or ()
    ]
    assert len(found) == sum(map(len, paths.values())) > 0
    return found


def test_request_examples_are_valid_requests(app: FastAPI) -> None:
    invalid = []
    for route, operation in operations(app):
        if route.body_field is not None:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            _, problems = route.body_field.validate(example_of(app.openapi(), schema), loc=("body",))
            invalid += [(route.path, problems)] if problems else []
    assert invalid == []


def test_response_examples_fit_their_models(app: FastAPI) -> None:
    invalid = []
    for route, operation in operations(app):
        for status, reply in operation["responses"].items():
            if status.startswith("2") and "content" in reply:
                schema = reply["content"]["application/json"]["schema"]
                example = example_of(app.openapi(), schema)
                whole = schema | {"components": app.openapi()["components"]}
                invalid += [
                    (route.path, each.message) for each in Draft202012Validator(whole).iter_errors(example)
                ]
    assert invalid == []


@pytest.mark.parametrize(
    ("schema", "example"),
    [
        ({"enum": ["open", "closed"]}, "open"),
        ({"const": 7}, 7),
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "integer", "maximum": -1}, -1),
        ({"type": "integer", "exclusiveMinimum": 5}, 6),
        ({"type": "number", "exclusiveMaximum": 100}, 1),
        ({"type": "string", "format": "date"}, "2026-01-31"),
        ({"type": "string", "pattern": "^[0-9]{6}$"}, "123456"),
        ({"type": "string", "minLength": 12, "maxLength": 12}, "An example t"),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, True),
        ({"type": "array", "items": {"type": "boolean"}}, [True]),
    ],
)
def test_example_fits_its_schema(schema: dict[str, Any], example: Any) -> None:
    assert example_of({}, schema, "text") == example
