"""Versions of resources as entity tags."""

from collections.abc import Iterator
from typing import get_type_hints

import httpx
import pytest
from fastapi.routing import APIRoute, iter_route_contexts
from fastapi.testclient import TestClient
from tablewright_systems.boards import api
from tablewright_systems.boards.design import Board, design
from tablewright_systems.boards.service import boards, catalogue, users
from tablewright_systems.boards.service.users import Deletion
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.service import Caller
from tablewright_systems.web import ExpectedVersion, LocalIssuer
from tablewright_systems.web.entity_tags import is_versioned

from systems.tests.races import race
from tablewright import Repository, connect, keyrings

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
    assert sorted(type(result).__name__ for result in results) == ["PreconditionFailed", "str"]


def test_only_the_expected_version_is_deleted(client: TestClient, board: Board) -> None:
    path = f"/boards/{board.board_id}"
    tag = client.get(path).headers["etag"]
    current = rename(client, board, "Second name").headers["etag"]
    stale = client.delete(path, headers={"If-Match": tag})
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    assert client.get(path).json()["boardName"] == "Second name"
    assert client.delete(path, headers={"If-Match": current}).status_code == 204
    assert client.get(path).status_code == 404


def test_interrupted_deletion_of_a_version_can_be_repeated(
    client: TestClient, db: Repository, board: Board
) -> None:
    db.update(board, set={"deleting_at": db.now()})
    reply = client.delete(f"/boards/{board.board_id}", headers={"If-Match": f'"{board.version}"'})
    assert reply.status_code == 204


def test_only_the_expected_version_is_transferred(client: TestClient, board: Board) -> None:
    stale = client.put(
        f"/boards/{board.board_id}/owner", json={"userId": "ada"}, headers={"If-Match": '"99"'}
    )
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")


# The versions of ListBackup's other resources are those of its workers, who have leases.
@pytest.mark.parametrize("system", [item for item in SYSTEMS if item.name != "listbackup"], ids=str)
def test_every_change_of_a_resource_with_a_version_supports_the_header(system: System) -> None:
    """Changes reply with the new version; a creation has no version before."""
    with connect(system.design, environment=system.environment, secrets=keyrings.MemoryKeys()) as db:
        document = system.build(db, ISSUER).openapi()
    versioned = {
        f"#/components/schemas/{name}"
        for name, schema in document["components"]["schemas"].items()
        if "version" in schema.get("properties", {})
    }
    missing = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            reply = operation["responses"].get("200", {}).get("content", {}).get("application/json", {})
            is_change = method != "get" and reply.get("schema", {}).get("$ref") in versioned
            names = [parameter["name"].lower() for parameter in operation.get("parameters", ())]
            if is_change and "if-match" not in names:
                missing.append(f"{method} {path}")
    assert missing == []


def test_operation_without_versions_rejects_the_header(client: TestClient, board: Board) -> None:
    path = f"/boards/{board.board_id}"
    reply = client.post(f"{path}/services", json={"serviceType": "approveJoin"}, headers={"If-Match": '"1"'})
    assert (reply.status_code, reply.headers["content-type"]) == (400, "application/problem+json")
    assert reply.json()["code"] == "if_match_unsupported"
    assert reply.json()["field"] == "If-Match"
    assert reply.json()["detail"] == "this operation does not support If-Match; send the request without it"
    created = client.post("/boards", json={"boardName": "Another board"}, headers={"If-Match": "*"})
    assert created.json()["code"] == "if_match_unsupported"
    assert [item["boardId"] for item in client.get("/me/owned-boards").json()["items"]] == [board.board_id]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: str(system.name))
def test_each_operation_supports_the_header_or_rejects_it(system: System) -> None:
    with connect(system.design, environment=system.environment, secrets=keyrings.MemoryKeys()) as store:
        app = system.build(store, ISSUER)
        client = TestClient(app)  # without a token: no operation that supports the header changes anything
        for route in iter_route_contexts(app.routes):
            if not isinstance(route.original_route, APIRoute):
                continue
            hints = get_type_hints(route.original_route.endpoint, include_extras=True)
            for method in route.methods or ():
                reply = client.request(method, str(route.path), headers={"If-Match": '"1"'})
                is_rejected = reply.status_code == 400 and reply.json()["code"] == "if_match_unsupported"
                assert is_rejected != (ExpectedVersion in hints.values()), (method, route.path)


def test_endpoints_document_the_tag(client: TestClient) -> None:
    operation = client.get("/openapi.json").json()["paths"]["/boards/{boardId}"]["patch"]
    assert "If-Match" in [parameter["name"].title() for parameter in operation["parameters"]]
    assert "412" in operation["responses"]


def test_models_with_a_version() -> None:
    assert [is_versioned(model) for model in (Board, Deletion, list[Board], None)] == [
        True,
        False,
        False,
        False,
    ]
