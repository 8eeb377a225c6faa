"""The OpenAPI documents: every model has an example that it accepts."""

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from fastapi.routing import RouteContext, iter_route_contexts
from fastapi.testclient import TestClient
from jsonschema_rs import Draft202012Validator
from tablewright_systems.registry import SYSTEMS, System, find
from tablewright_systems.service import Caller
from tablewright_systems.web.authentication import LocalIssuer
from tablewright_systems.web.openapi import camel_path
from tablewright_systems.web.openapi_examples import example_of

from tablewright import Repository, connect, keyrings

ISSUER = LocalIssuer()
NEED_A_SECRET = {"/webhooks/stripe", "/webhooks/{sourceId}", "/users/me/mfa/confirmation"}
"""Paths whose requests need a signature of the sender, or a code of an authenticator."""


@pytest.fixture(scope="module", params=SYSTEMS, ids=lambda system: str(system.name))
def app(request: pytest.FixtureRequest) -> Iterator[FastAPI]:
    system: System = request.param
    secrets = keyrings.MemoryKeys()
    with connect(system.design, environment=system.environment, secrets=secrets) as db:
        yield system.build_for_development(db, ISSUER)


def operations(app: FastAPI) -> list[tuple[RouteContext, dict[str, Any]]]:
    paths = app.openapi()["paths"]
    listed = [
        (route, paths[camel_path(str(route.path))][method.lower()])
        for route in iter_route_contexts(app.routes)
        if camel_path(str(route.path)) in paths
        for method in route.methods or ()
    ]
    assert len(listed) == sum(map(len, paths.values())) > 0
    return listed


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
                    (route.path, error.message) for error in Draft202012Validator(whole).iter_errors(example)
                ]
    assert invalid == []


@pytest.fixture(params=SYSTEMS, ids=lambda system: str(system.name))
def filled(request: pytest.FixtureRequest) -> Iterator[FastAPI]:
    system: System = request.param
    secrets = keyrings.MemoryKeys()
    with connect(system.design, environment=system.environment, secrets=secrets) as db:
        system.fill(db, 2)
        yield system.build_for_development(db, ISSUER)


def example_request(document: dict[str, Any], path: str, operation: dict[str, Any]) -> dict[str, Any]:
    """Return the request that an API viewer sends for an operation when the user changes nothing."""
    query = {}
    for parameter in operation.get("parameters", ()):
        example = example_of(document, parameter["schema"], parameter["name"])
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(str(example), safe=""))
        elif parameter["in"] == "query" and parameter.get("required"):
            query[parameter["name"]] = example
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return {"url": path, "params": query, "json": example_of(document, body["schema"]) if body else None}


def test_examples_are_accepted_unchanged(filled: FastAPI) -> None:
    document = filled.openapi()
    token = ISSUER.issue("newcomer", email="newcomer@example.org", email_verified=True)
    client = TestClient(filled, headers={"Authorization": f"Bearer {token}"})
    rejected = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if path not in NEED_A_SECRET:
                reply = client.request(method, **example_request(document, path, operation))
                if reply.status_code in (400, 405, 413, 415, 422) or reply.status_code >= 500:
                    rejected[method, path] = reply.json()["detail"]
    assert rejected == {}


def stored_ids(db: Repository, path: str) -> list[dict[str, str]]:
    """Return the path parameters of the stored items that have all of them."""
    names = re.findall(r"{(\w+)}", path)
    collected: dict[tuple[str, ...], dict[str, str]] = {}
    for table in db.design.tables:
        for item in db.connection.call("Scan", {"TableName": db.context.table_name(table)})["Items"]:
            if all("S" in item.get(name, {}) for name in names):
                values = {name: item[name]["S"] for name in names}
                collected[tuple(values.values())] = values
    return list(collected.values())


CREATIONS = {
    "boards": ("post /boards/{boardId}/services", "put /boards/{boardId}/services/{serviceId}/config"),
    "collabhub": ("post /access-requests/{accessId}/approval",),
    "goalsguild": ("post /profile",),
    "listbackup": (
        "post /accounts/{accountId}/sources",
        "post /accounts/{accountId}/archives",
        "post /accounts/{accountId}/oauth",
        "post /accounts/{accountId}/children",
        "post /accounts/{accountId}/jobs",
        "patch /accounts/{accountId}/sources/{sourceId}",
    ),
}
"""Operations whose example bodies succeed for an item and a person of the sample data."""


def succeeds(client: TestClient, people: Iterable[Caller], method: str, request: dict[str, Any]) -> bool:
    """Return whether an operation succeeds for one of some people."""
    tokens = [ISSUER.issue(person.user_id, **person.claims) for person in people]
    return any(
        client.request(method, **request, headers={"Authorization": f"Bearer {token}"}).is_success
        for token in tokens
    )


@pytest.mark.parametrize("name", CREATIONS)
def test_examples_succeed_for_sample_data(name: str) -> None:
    system = find(name)
    assert system is not None
    with connect(system.design, environment=system.environment, secrets=keyrings.MemoryKeys()) as db:
        system.fill(db, 2)
        app = system.build_for_development(db, ISSUER)
        document, client = app.openapi(), TestClient(app)
        failed = []
        for method, path in map(str.split, CREATIONS[name]):
            request = example_request(document, path, document["paths"][path][method])
            urls = [path.format(**ids) for ids in stored_ids(db, path)]
            people = system.people.values()
            if not any(succeeds(client, people, method, request | {"url": url}) for url in urls):
                failed.append((method, path))
        assert failed == []


@pytest.mark.parametrize("character", ["\x00", "\u202e"], ids=["NUL", "right-to-left override"])
def test_names_with_control_characters_are_invalid(app: FastAPI, character: str) -> None:
    document = app.openapi()
    client = TestClient(app, headers={"Authorization": f"Bearer {ISSUER.issue('newcomer')}"})
    sent = 0
    accepted: dict[tuple[str, str, str], int] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            request = example_request(document, path, operation)
            body = request["json"] if isinstance(request["json"], dict) else {}
            for name, value in body.items():
                if isinstance(value, str) and re.search("(?i)(name|title)$", name):
                    request["json"] = body | {name: f"{value[:3]}{character}{value[3:]}"}
                    sent += 1
                    status = client.request(method, **request).status_code
                    accepted |= {(method, path, name): status} if status != 422 else {}
    assert accepted == {}
    assert sent or "Student Hub" in app.title


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


@pytest.mark.parametrize("kind", ["date", "date-time"])
def test_a_range_is_not_empty(kind: str) -> None:
    times = {name: {"type": "string", "format": kind} for name in ("start", "end", "validUntil")}
    example = example_of({}, {"type": "object", "properties": times})
    assert example["start"] < example["end"] == example["validUntil"]
