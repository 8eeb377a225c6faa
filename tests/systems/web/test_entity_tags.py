"""Versions of resources as entity tags."""

from collections.abc import Iterator

import httpx
import pytest
from fastapi.testclient import TestClient

from tablewright import Repository, connect
from tablewright_systems.boards import api
from tablewright_systems.boards.design import Board, design
from tablewright_systems.boards.service import boards, catalogue, users
from tablewright_systems.service import Caller
from tablewright_systems.web import LocalIssuer
from tablewright_systems.web.entity_tags import is_versioned
from tests.systems.races import race

ISSUER = LocalIssuer()
ADA = Caller("ada", {"email": "ada@example.org", "email_verified": True})


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(design) as opened:
        catalogue.seed(opened, Caller("operator", {"roles": ["admin"]}))
        users.register(opened, ADA, "Ada")
        yield opened


@pytest.fixture
def board(db: Repository) -> Board:
    return boards.create_board(db, ADA, "First name", [])


@pytest.fixture
def client(db: Repository) -> TestClient:
    return TestClient(api.build(db, ISSUER), headers={"Authorization": f"Bearer {ISSUER.issue('ada')}"})


def rename(client: TestClient, board: Board, name: str, tag: str | None = None) -> httpx.Response:
    headers = {} if tag is None else {"If-Match": tag}
    reply: httpx.Response = client.patch(
        f"/boards/{board.board_id}", json={"boardName": name}, headers=headers
    )
    return reply


def test_replies_with_a_version_have_a_tag(client: TestClient, board: Board) -> None:
    reply = client.get(f"/boards/{board.board_id}")
    assert reply.headers["etag"] == f'"{reply.json()["version"]}"'
    assert "etag" not in client.get("/me").headers
    assert "etag" not in client.get("/me/owned-boards").headers


def test_only_the_expected_version_is_changed(client: TestClient, board: Board) -> None:
    tag = client.get(f"/boards/{board.board_id}").headers["etag"]
    renamed = rename(client, board, "Second name", tag)
    assert renamed.headers["etag"] != tag
    stale = rename(client, board, "Third name", tag)
    assert (stale.status_code, stale.json()["code"], stale.json()["field"]) == (
        412,
        "precondition_failed",
        "If-Match",
    )
    assert client.get(f"/boards/{board.board_id}").json()["boardName"] == "Second name"


@pytest.mark.parametrize(
    ("tag", "status"), [(None, 200), ("*", 200), ('W/"1"', 412), ("1", 412), ('"x"', 412)]
)
def test_tags_that_are_not_ours_do_not_match(
    client: TestClient, board: Board, tag: str | None, status: int
) -> None:
    assert rename(client, board, "Second name", tag).status_code == status


def test_concurrent_changes_of_one_version_have_one_winner(db: Repository, board: Board) -> None:
    def renamed(name: str) -> str:
        return boards.rename_board(db, ADA, board.board_id, name, board.version).board_name

    results = race(lambda: renamed("Second name"), lambda: renamed("Third name"))
    assert sorted(type(each).__name__ for each in results) == ["PreconditionFailed", "str"]


def test_endpoints_document_the_tag(client: TestClient) -> None:
    operation = client.get("/openapi.json").json()["paths"]["/boards/{boardId}"]["patch"]
    assert "If-Match" in [parameter["name"].title() for parameter in operation["parameters"]]
    assert "412" in operation["responses"]


def test_models_with_a_version() -> None:
    assert [is_versioned(model) for model in (Board, api.Deletion, list[Board], None)] == [
        True,
        False,
        False,
        False,
    ]
