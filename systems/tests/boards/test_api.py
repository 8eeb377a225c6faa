"""HTTP API of Boards: authentication, errors and pages."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient
from httpx import Response
from tablewright_systems.boards import samples
from tablewright_systems.boards.api import build, router
from tablewright_systems.boards.design import design
from tablewright_systems.boards.proofs.fixtures import ADMIN
from tablewright_systems.boards.service import catalogue
from tablewright_systems.web.authentication import LocalIssuer

from tablewright import Clock, connect

Ask = Callable[..., Response]
ISSUER = LocalIssuer()


@pytest.fixture
def clock() -> Clock:
    return Clock(1_750_000_000)


@pytest.fixture
def client(clock: Clock) -> Iterator[TestClient]:
    with connect(design, clock=clock) as db:
        catalogue.seed(db, ADMIN)
        with TestClient(build(db, ISSUER)) as opened:
            yield opened


@pytest.fixture
def ask(client: TestClient) -> Ask:
    """`ask("ada", "GET", "/me")`: a request of a user."""

    def by(who: str, method: str, path: str, body: Any = None, **claims: Any) -> Response:
        token = ISSUER.issue(who, email=f"{who}@example.org", email_verified=True, **claims)
        headers = {"Authorization": f"Bearer {token}"}
        response: Response = client.request(method, path, headers=headers, json=body)
        return response

    return by


@pytest.fixture
def board(ask: Ask) -> str:
    """Ada's board, which requires approval to join; Bob is a member, Eve is not."""
    for who in ("ada", "bob", "eve"):
        assert ask(who, "POST", "/users", {"userName": who.title()}).status_code == 201
    made: str = ask("ada", "POST", "/boards", {"boardName": "Project Board"}).json()["boardId"]
    ask("bob", "POST", f"/boards/{made}/requests", {"answer": "I want to contribute"})
    ask("ada", "POST", f"/boards/{made}/requests/bob/approval")
    return made


def error_of(response: Response) -> tuple[int, str, str | None]:
    """Return status, code and field of an error reply."""
    error = response.json()
    assert error["detail"]
    return response.status_code, error["code"], error.get("field")


def service_of(ask: Ask, board: str) -> str:
    result: str = ask("ada", "GET", f"/boards/{board}/services").json()["items"][0]["serviceId"]
    return result


def test_requests_without_a_token_are_rejected(client: TestClient) -> None:
    for route in router.routes:
        path = getattr(route, "path", "").format(
            user_id="u", user_name="user", board_id="b", board_name="board", service_id="s", service_type="t"
        )
        for method in getattr(route, "methods", ()):
            response = client.request(method, path)
            assert error_of(response) == (401, "unauthenticated", None), f"{method} {path}"
            assert response.headers["www-authenticate"] == "Bearer"
    forged = client.get("/me", headers={"Authorization": f"Bearer {LocalIssuer().issue('ada')}"})
    assert forged.status_code == 401


def test_only_the_owner_sees_the_whole_profile(ask: Ask, board: str) -> None:
    assert ask("ada", "GET", "/me").json()["email"] == "ada@example.org"
    for path in ("/users/ada", "/user-names?userName=ada", "/user-names?userName=ADA"):
        assert ask("bob", "GET", path).json() == {
            "userId": "ada",
            "userName": "Ada",
            "createdAt": "2025-06-15T15:06:40.000Z",
        }
    assert error_of(ask("bob", "GET", "/users/unknown")) == (404, "not_found", None)


def test_taken_name_names_its_field(ask: Ask, board: str) -> None:
    assert error_of(ask("zoe", "POST", "/users", {"userName": "ADA"})) == (409, "conflict", "userName")
    assert error_of(ask("eve", "PATCH", "/me", {"userName": "bob"})) == (409, "conflict", "userName")
    assert error_of(ask("bob", "POST", "/boards", {"boardName": "project board"})) == (
        409,
        "conflict",
        "boardName",
    )
    assert ask("zoe", "POST", "/users", {"userName": "Zoe"}).status_code == 201
    assert ask("bob", "GET", "/user-names/availability?userName=ada").json() == {"free": False}
    assert ask("bob", "GET", "/board-names/availability?boardName=Other").json() == {"free": True}


def test_board_with_a_slash_in_its_name_is_found(ask: Ask, board: str) -> None:
    ask("ada", "PATCH", f"/boards/{board}", {"boardName": "Cats / dogs?"})
    name = quote("Cats / dogs?", safe="")
    assert ask("bob", "GET", f"/board-names?boardName={name}").json()["boardId"] == board
    assert ask("bob", "GET", f"/board-names/availability?boardName={name}").json() == {"free": False}


@pytest.mark.parametrize("character", ["\0", "\x1b", "\u202e", "\u2066"], ids=ascii)
def test_names_have_no_hidden_characters(ask: Ask, board: str, character: str) -> None:
    body = {"boardName": f"Project{character}Board"}
    assert error_of(ask("ada", "POST", "/boards", body)) == (422, "invalid", "boardName")
    assert error_of(ask("zoe", "POST", "/users", {"userName": f"zo{character}e"})) == (
        422,
        "invalid",
        "userName",
    )


def test_address_of_the_body_is_rejected(client: TestClient, ask: Ask) -> None:
    body = {"userName": "Zoe", "email": "ada@example.org"}
    assert error_of(ask("zoe", "POST", "/users", body)) == (422, "invalid", "email")
    headers = {"Authorization": f"Bearer {ISSUER.issue('zoe', email='zoe@example.org')}"}
    response = client.post("/users", headers=headers, json={"userName": "Zoe"})
    assert error_of(response) == (422, "invalid", "email")


def test_taken_address_names_its_field(client: TestClient, board: str) -> None:
    headers = {"Authorization": f"Bearer {ISSUER.issue('zoe', email='ADA@example.org', email_verified=True)}"}
    response = client.post("/users", headers=headers, json={"userName": "Zoe"})
    assert error_of(response) == (409, "conflict", "email")


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/users", {"userName": "a b"}, "userName"),
        ("/users", {"userName": "Zoe", "userId": "ada"}, "userId"),
        ("/users", {}, "userName"),
        ("/boards", {"boardName": "  "}, "boardName"),
        ("/boards", {"boardName": "B", "enabledServices": ["unheardOf"]}, "enabledServices"),
        ("/boards", {"boardName": "B", "enabledServices": ["approveJoin", "approveJoin"]}, "enabledServices"),
        ("/boards/{board}/requests", {}, "answer"),
        ("/boards/{board}/services", {"serviceType": "a#b"}, "serviceType"),
        ("/boards/{board}/services", {"serviceType": "approveJoin", "config": {}}, "config.ttlDays"),
    ],
)
def test_invalid_value_names_its_field(
    ask: Ask, board: str, path: str, body: dict[str, Any], field: str
) -> None:
    who = "eve" if "requests" in path else "ada"
    assert error_of(ask(who, "POST", path.format(board=board), body)) == (422, "invalid", field)


def test_non_members_cannot_read(ask: Ask, board: str) -> None:
    service = service_of(ask, board)
    for path in (
        f"/boards/{board}/members",
        f"/boards/{board}/members/ada",
        f"/boards/{board}/requests",
        f"/boards/{board}/requests/bob",
        f"/boards/{board}/services",
        f"/boards/{board}/services/{service}",
        f"/boards/{board}/default-services/approveJoin",
        f"/boards/{board}/services/{service}/permissions",
        f"/boards/{board}/services/{service}/permissions/bob",
        f"/services/{service}",
    ):
        assert error_of(ask("eve", "GET", path)) == (403, "forbidden", None), path


def test_members_cannot_manage(ask: Ask, board: str) -> None:
    service = service_of(ask, board)
    permissions = f"/boards/{board}/services/{service}/permissions"
    for method, path, body in (
        ("PATCH", f"/boards/{board}", {"boardName": "Mine"}),
        ("DELETE", f"/boards/{board}", None),
        ("PUT", f"/boards/{board}/owner", {"userId": "bob"}),
        ("PATCH", f"/boards/{board}/members/bob", {"role": "manager"}),
        ("DELETE", f"/boards/{board}/members/ada", None),
        ("POST", f"/boards/{board}/requests/eve/approval", None),
        ("DELETE", f"/boards/{board}/requests/eve", None),
        ("POST", f"/boards/{board}/services", {"serviceType": "approveJoin"}),
        ("DELETE", f"/boards/{board}/services/{service}", None),
        ("PUT", f"/boards/{board}/services/{service}/config", {"ttlDays": 1, "askQuestion": False}),
        ("PUT", f"/boards/{board}/services/{service}/default", None),
        ("POST", permissions, {"userId": "bob"}),
        ("DELETE", f"{permissions}/bob", None),
        ("POST", "/catalogue", None),
    ):
        assert error_of(ask("bob", method, path, body)) == (403, "forbidden", None), f"{method} {path}"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/boards/nothing"),
        ("GET", "/boards/nothing/terms"),
        ("GET", "/board-names?boardName=Nothing"),
        ("GET", "/services/nothing"),
        ("GET", "/catalogue/nothing"),
        ("GET", "/boards/{board}/members/eve"),
        ("GET", "/boards/{board}/services/nothing"),
        ("GET", "/boards/{board}/default-services/trades"),
        ("POST", "/boards/{board}/requests/eve/approval"),
        ("DELETE", "/boards/{board}/requests/ada"),
        ("DELETE", "/boards/{board}/services/nothing"),
    ],
)
def test_missing_resources_are_not_found(ask: Ask, board: str, method: str, path: str) -> None:
    assert error_of(ask("ada", method, path.format(board=board))) == (404, "not_found", None)


def test_a_member_who_joins_again_is_already_a_member(ask: Ask, board: str) -> None:
    for who, detail in (("bob", "you are already a member"), ("eve", "this board requires approval")):
        reply = ask(who, "POST", f"/boards/{board}/members")
        assert reply.status_code == 409
        assert reply.json()["detail"].startswith(detail)


def test_join_request_to_permission(ask: Ask, board: str) -> None:
    assert ask("eve", "GET", f"/boards/{board}/terms").json() == {
        "needsApproval": True,
        "question": "Why do you want to join?",
        "ttlDays": 3,
    }
    assert error_of(ask("eve", "POST", f"/boards/{board}/members")) == (409, "conflict", None)
    asked = ask("eve", "POST", f"/boards/{board}/requests", {"answer": "Me too"})
    assert asked.status_code == 201
    assert asked.json()["expiresAt"] == "2025-06-18T15:06:40.000Z"
    assert ask("eve", "GET", "/me/requests").json()["items"] == [asked.json()]
    assert ask("ada", "GET", f"/boards/{board}/requests/eve").json() == asked.json()
    service = service_of(ask, board)
    permissions = f"/boards/{board}/services/{service}/permissions"
    granted = ask("ada", "POST", permissions, {"userId": "bob"})
    assert granted.status_code == 201
    assert granted.json()["grantedBy"] == "ada"
    let_in = ask("bob", "POST", f"/boards/{board}/requests/eve/approval")
    assert let_in.status_code == 201
    assert ask("eve", "GET", f"/boards/{board}/members/eve").json() == let_in.json()
    assert ask("ada", "GET", permissions).json()["items"] == [granted.json()]
    assert ask("bob", "GET", f"{permissions}/bob").json() == granted.json()
    assert ask("ada", "DELETE", f"{permissions}/bob").status_code == 204
    assert ask("eve", "GET", f"/services/{service}").json()["boardId"] == board


def test_roles_and_ownership(ask: Ask, board: str) -> None:
    assert (
        ask("ada", "PATCH", f"/boards/{board}/members/bob", {"role": "manager"}).json()["role"] == "manager"
    )
    assert error_of(ask("ada", "PATCH", f"/boards/{board}/members/bob", {"role": "owner"})) == (
        422,
        "invalid",
        "role",
    )
    assert error_of(ask("ada", "DELETE", f"/boards/{board}/members/ada")) == (409, "conflict", None)
    assert ask("ada", "PUT", f"/boards/{board}/owner", {"userId": "bob"}).json()["ownerId"] == "bob"
    assert ask("ada", "DELETE", f"/boards/{board}/members/ada").status_code == 204
    assert ask("bob", "PATCH", f"/boards/{board}", {"boardName": "Bob's"}).json()["boardName"] == "Bob's"
    assert ask("bob", "GET", "/board-names?boardName=BOB'S").json()["boardId"] == board
    assert ask("bob", "DELETE", f"/boards/{board}").status_code == 204
    assert ask("bob", "GET", f"/boards/{board}").status_code == 404


def test_services_of_a_board(ask: Ask, board: str) -> None:
    trades = {"serviceType": "trades", "displayName": "Trades", "description": "Offer and look for things."}
    assert ask("root", "POST", "/catalogue", {"entries": [trades]}, roles=["admin"]).json() == {
        "items": [trades]
    }
    assert ask("root", "POST", "/catalogue", {"entries": [trades]}, roles=["admin"]).json() == {"items": []}
    assert [item["serviceType"] for item in ask("bob", "GET", "/catalogue").json()["items"]] == [
        "approveJoin",
        "trades",
    ]
    assert ask("bob", "GET", "/catalogue/trades").json() == trades
    services = f"/boards/{board}/services"
    first, second = (ask("ada", "POST", services, {"serviceType": "trades"}).json() for _ in range(2))
    assert (first["isDefault"], second["isDefault"]) == (True, False)
    listed = ask("bob", "GET", f"{services}?serviceType=trades").json()["items"]
    assert listed == [first, second]
    assert ask("ada", "PUT", f"{services}/{second['serviceId']}/default").json()["isDefault"]
    default = ask("bob", "GET", f"/boards/{board}/default-services/trades").json()
    assert default["serviceId"] == second["serviceId"]
    approval = ask("bob", "GET", f"/boards/{board}/default-services/approveJoin").json()["serviceId"]
    config = {"ttlDays": 5, "askQuestion": False, "questionText": None}
    changed = ask("ada", "PUT", f"{services}/{approval}/config", config)
    assert changed.json()["config"] == config
    assert ask("ada", "DELETE", f"{services}/{approval}").status_code == 204
    assert ask("eve", "POST", f"/boards/{board}/members").status_code == 201


def test_cursors_reach_every_item(ask: Ask, board: str) -> None:
    made = [ask("ada", "POST", "/boards", {"boardName": f"Board {n}"}).json()["boardId"] for n in range(5)]
    for path in ("/me/owned-boards", "/me/boards"):
        seen: list[str] = []
        cursor = ""
        while cursor is not None:
            page = ask("ada", "GET", f"{path}?limit=2{cursor and f'&cursor={cursor}'}").json()
            assert len(page["items"]) <= 2
            seen += [item["boardId"] for item in page["items"]]
            cursor = page["cursor"]
        assert sorted(seen) == sorted([board, *made])


def test_cursor_of_another_list_is_rejected(ask: Ask, board: str) -> None:
    ask("ada", "POST", "/boards", {"boardName": "Second"})
    cursor = ask("ada", "GET", "/me/boards?limit=1").json()["cursor"]
    for who, path in (("bob", "/me/boards"), ("ada", "/me/owned-boards")):
        assert error_of(ask(who, "GET", f"{path}?cursor={cursor}")) == (422, "bad_cursor", "cursor")
    assert error_of(ask("ada", "GET", "/me/boards?cursor=x")) == (422, "bad_cursor", "cursor")
    assert error_of(ask("ada", "GET", "/me/boards?limit=0")) == (422, "invalid", "limit")


def test_account_deletion_finishes_later(ask: Ask, board: str, clock: Clock) -> None:
    assert error_of(ask("ada", "DELETE", "/me")) == (409, "conflict", None)
    first = ask("bob", "DELETE", "/me")
    assert (first.status_code, first.json()) == (202, {"finished": False})
    assert ask("bob", "GET", "/me").status_code == 404
    clock.advance(60)
    assert ask("bob", "DELETE", "/me").json() == {"finished": True}
    assert ask("bob", "POST", "/users", {"userName": "Bob"}).status_code == 201


def test_every_endpoint_is_documented(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    operations = [operation for path in paths.values() for operation in path.values()]
    assert len(operations) == len(list(iter_route_contexts(router.routes)))
    assert all(operation["summary"] and operation["tags"] for operation in operations)


def test_samples_are_readable(clock: Clock) -> None:
    with connect(design, clock=clock) as db:
        samples.fill(db, size=20)
        client = TestClient(build(db, ISSUER))
        headers = {"Authorization": f"Bearer {ISSUER.issue(samples.DEMO_USER)}"}
        for path in ("/me/boards", "/me/owned-boards", "/me/requests"):
            assert client.get(path, headers=headers).json()["items"], path
        owned = client.get("/me/owned-boards", headers=headers).json()["items"]
        waiting = [
            client.get(f"/boards/{item['boardId']}/requests", headers=headers).json() for item in owned
        ]
        assert any(page["items"] for page in waiting)
