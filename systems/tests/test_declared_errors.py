"""A reply with an error that is not declared fails the test that gets it."""

from typing import Any, cast

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.service import Gone, NotFound
from tablewright_systems.web import LocalIssuer, Router, application, problems

router = Router("Things", "Things.", responses=problems(410))


@router.get("/things/{name}")
def get_thing(name: str) -> None:
    raise NotFound(f"thing {name}") if name == "lost" else Gone(f"thing {name} has expired")


@router.get("/list")
def list_things() -> None:
    raise NotFound("list")


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(application("Things", router, cast(Any, None), LocalIssuer()))


def test_errors_of_an_operation_and_of_its_router_are_declared(client: TestClient) -> None:
    assert client.get("/things/lost").status_code == 404
    assert client.get("/things/old").status_code == 410


def test_an_undeclared_error_fails(client: TestClient) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"GET /list sends 404, and declares \[410\]"):
        client.get("/list")
