"""On a development machine, the examples of path parameters exist in the store."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tablewright import connect, keyrings
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.web import LocalIssuer
from tablewright_systems.web.stored_examples import offer_examples

ISSUER = LocalIssuer()


@pytest.fixture(params=SYSTEMS, ids=lambda system: str(system.name))
def system(request: pytest.FixtureRequest) -> System:
    found: System = request.param
    return found


def token_of(system: System) -> str:
    caller = next(iter(system.people.values()))
    return ISSUER.issue(caller.user_id, **caller.claims)


@pytest.fixture
def app(system: System) -> Iterator[FastAPI]:
    secrets = keyrings.MemoryKeys()
    with connect(system.design, environment=system.environment, secrets=secrets) as db:
        system.fill(db, 3)
        yield system.build(db, ISSUER)


def examples(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, str], dict[str, str]]]:
    """Return the method, path, path parameters and query parameters of the operations that have examples."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            found = [each for each in operation.get("parameters", ()) if "example" in each]
            if found:
                places = {
                    place: {each["name"]: each["example"] for each in found if each["in"] == place}
                    for place in ("path", "query")
                }
                yield method, path, places["path"], places["query"]


LEAST = {"boards": 10, "listbackup": 15, "student_hub": 2, "goalsguild": 5, "collabhub": 8}


def test_every_example_succeeds_unchanged(system: System, app: FastAPI) -> None:
    token = token_of(system)
    offer_examples(app, lambda: token)
    client = TestClient(app, headers={"Authorization": f"Bearer {token}"})
    found = list(examples(client.get("/openapi.json").json()))
    statuses = {
        (method, path): client.request(method, path.format(**ids), params=query).status_code
        for method, path, ids, query in found
    }
    assert {each: status for each, status in statuses.items() if status != 200} == {}
    assert {method for method, _ in statuses} == {"get"}
    assert len(statuses) >= LEAST[system.name]


def test_documents_of_other_hosts_have_no_stored_values(system: System, app: FastAPI) -> None:
    assert list(examples(app.openapi())) == []


def test_empty_store_has_no_examples(system: System) -> None:
    secrets = keyrings.MemoryKeys()
    with connect(system.design, environment=system.environment, secrets=secrets) as db:
        app = system.build(db, ISSUER)
        offer_examples(app, lambda: token_of(system))
        assert list(examples(app.openapi())) == []
