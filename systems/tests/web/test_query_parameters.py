"""An unknown query parameter is an error."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.boards import api
from tablewright_systems.boards.design import design
from tablewright_systems.web import LocalIssuer

from tablewright import connect

ISSUER = LocalIssuer()


@pytest.fixture
def client() -> Any:
    with connect(design) as db:
        yield TestClient(api.build(db, ISSUER), headers={"Authorization": f"Bearer {ISSUER.issue('ada')}"})


@pytest.mark.parametrize(
    ("path", "name", "known"),
    [
        ("/me/boards?limt=5", "limt", "use cursor, limit"),
        ("/me/boards?limit=5&Cursor=x", "Cursor", "use cursor, limit"),
        ("/me?fields=name", "fields", "this endpoint has none"),
    ],
)
def test_unknown_parameter_is_invalid(client: TestClient, path: str, name: str, known: str) -> None:
    reply = client.get(path)
    assert (reply.status_code, reply.json()["field"]) == (422, name)
    assert known in reply.json()["detail"]


def test_known_parameters_are_accepted(client: TestClient) -> None:
    assert client.get("/me/boards?limit=5").status_code == 200
