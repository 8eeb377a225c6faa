"""On a development machine, the examples of path parameters exist in the store."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.web import LocalIssuer
from tablewright_systems.web.stored_examples import offer_examples

from tablewright import connect, keyrings

ISSUER = LocalIssuer()


@pytest.fixture(params=SYSTEMS, ids=lambda system: str(system.name))
def system(request: pytest.FixtureRequest) -> System:
    result: System = request.param
    return result


def tokens_of(system: System) -> list[str]:
    return [ISSUER.issue(caller.user_id, **caller.claims) for caller in system.people.values()]


@pytest.fixture
def app(system: System) -> Iterator[FastAPI]:
    secrets = keyrings.MemoryKeys()
    with connect(system.design, environment=system.environment, secrets=secrets) as db:
        system.fill(db, 3)
        yield system.build_for_development(db, ISSUER)


def examples(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, str], dict[str, str]]]:
    """Return the method, path, path parameters and query parameters of the operations that have examples."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            listed = [parameter for parameter in operation.get("parameters", ()) if "example" in parameter]
            if listed:
                places = {
                    place: {item["name"]: item["example"] for item in listed if item["in"] == place}
                    for place in ("path", "query")
                }
                yield method, path, places["path"], places["query"]


LEAST = {"boards": 16, "listbackup": 15, "student_hub": 4, "goalsguild": 18, "collabhub": 20}


def test_every_example_of_a_read_succeeds_unchanged(system: System, app: FastAPI) -> None:
    tokens = tokens_of(system)
    offer_examples(app, lambda: tokens)
    client = TestClient(app)
    listed = [example for example in examples(client.get("/openapi.json").json()) if example[0] == "get"]
    failed = [
        path
        for method, path, ids, query in listed
        if not any(
            client.get(
                path.format(**ids), params=query, headers={"Authorization": f"Bearer {token}"}
            ).is_success
            for token in tokens
        )
    ]
    assert failed == []
    assert len(listed) >= LEAST[system.name]


def test_change_has_the_ids_of_the_read_with_which_its_path_begins(system: System, app: FastAPI) -> None:
    offer_examples(app, lambda: tokens_of(system))
    listed = list(examples(app.openapi()))
    reads = {path: ids for method, path, ids, _ in listed if method == "get"}
    changes = [(path, ids) for method, path, ids, _ in listed if method != "get"]
    for path, ids in changes:
        beginning = max((read for read in reads if path.startswith(read)), key=len)
        assert ids == {name: reads[beginning][name] for name in ids}
    assert len(changes) > LEAST[system.name] / 4


def test_documents_of_other_hosts_have_no_stored_values(system: System, app: FastAPI) -> None:
    assert list(examples(app.openapi())) == []


def test_empty_store_has_no_examples(system: System) -> None:
    secrets = keyrings.MemoryKeys()
    with connect(system.design, environment=system.environment, secrets=secrets) as db:
        app = system.build_for_development(db, ISSUER)
        offer_examples(app, lambda: tokens_of(system))
        assert list(examples(app.openapi())) == []
