"""A reply or a proof with an error that is not declared fails the test that gets it."""

from typing import Any, cast

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.boards.service import boards
from tablewright_systems.service import Gone, NotFound
from tablewright_systems.verification import expect_error
from tablewright_systems.web import LocalIssuer, Router, application, problems

from systems.tests import declared_errors

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


def test_an_undeclared_error_of_a_proof_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declared_errors, "endpoint_statuses", lambda: {list_things.__code__: {410}})
    with pytest.raises(pytest.fail.Exception, match="list_things raises NotFound: add 404"):
        expect_error(NotFound, list_things)
    monkeypatch.setattr(declared_errors, "endpoint_statuses", lambda: {list_things.__code__: {404}})
    assert expect_error(NotFound, list_things).status == 404


def test_the_functions_of_the_services_are_endpoints() -> None:
    assert declared_errors.endpoint_statuses()[boards.owned_boards.__code__] == set()
    assert len(declared_errors.endpoint_statuses()) > 300
