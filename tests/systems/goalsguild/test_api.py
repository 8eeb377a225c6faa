"""GoalsGuild over HTTP: who may, what is refused and how, pages and their cursors."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from tablewright import Repository
from tablewright_systems.authentication import LocalIssuer
from tablewright_systems.goalsguild.api import build
from tablewright_systems.goalsguild.service import logins
from tests.systems.goalsguild.fixtures import assert_consistent

DUE = "2025-07-01T10:00:00.000Z"


class Person:
    """Somebody with a token."""

    def __init__(
        self, client: TestClient, issuer: LocalIssuer, name: str, *roles: str, email: str = ""
    ) -> None:
        self.name = name
        self._client = client
        token = issuer.issue(name, roles=list(roles), email=email or f"{name}@example.org")
        self._headers = {"authorization": f"Bearer {token}"}

    def asks(self, method: str, path: str, status: int = 200, /, **body: Any) -> Any:
        """The reply, which must have that status."""
        reply = self.tries(method, path, **body)
        assert reply.status_code == status, reply.text
        return reply.json() if reply.content else None

    def tries(self, method: str, path: str, /, **body: Any) -> Response:
        reply: Response = self._client.request(method, path, headers=self._headers, json=body or None)
        return reply

    def refused(self, method: str, path: str, status: int, /, **body: Any) -> dict[str, Any]:
        """The error, which must have that status."""
        error: dict[str, Any] = self.asks(method, path, status, **body)["error"]
        return error

    def registers(self) -> "Person":
        names = {"nickname": self.name, "fullName": self.name.title()}
        self.asks("POST", "/profile", 201, **names)
        return self


@pytest.fixture
def issuer() -> LocalIssuer:
    return LocalIssuer()


@pytest.fixture
def client(db: Repository, issuer: LocalIssuer) -> Iterator[TestClient]:
    with TestClient(build(db, issuer)) as opened:
        yield opened


@pytest.fixture
def ann(client: TestClient, issuer: LocalIssuer) -> Person:
    return Person(client, issuer, "ann").registers()


@pytest.fixture
def ben(client: TestClient, issuer: LocalIssuer) -> Person:
    return Person(client, issuer, "ben").registers()


@pytest.fixture
def worker(client: TestClient, issuer: LocalIssuer) -> Person:
    return Person(client, issuer, "worker", "worker")


@pytest.fixture
def admin(client: TestClient, issuer: LocalIssuer) -> Person:
    return Person(client, issuer, "admin", "admin")


def test_only_login_needs_no_token(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    open_to_all = []
    for path, methods in paths.items():
        for method in methods:
            reply = client.request(method, path.replace("{", "").replace("}", ""), json={})
            if reply.status_code != 401:
                open_to_all.append(path)
    assert sorted(open_to_all) == ["/logins", "/passwords"]


def test_invalid_token_is_rejected(client: TestClient) -> None:
    reply = client.get("/goals", headers={"authorization": "Bearer nonsense"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (401, "unauthenticated")
    assert reply.headers["www-authenticate"] == "Bearer"


def test_profiles(ann: Person, ben: Person, admin: Person) -> None:
    assert ann.asks("GET", "/profile")["tier"] == "free"
    assert ann.refused("POST", "/profile", 409, nickname="xx", fullName="X")["field"] is None
    changed = ann.asks("PATCH", "/profile", bio="I run", tags=["Sport"], birthDate="1990-01-01")
    assert (changed["bio"], changed["tags"]) == ("I run", ["sport"])
    assert ann.asks("PATCH", "/profile", bio=None)["bio"] is None
    assert set(ben.asks("GET", "/nicknames/ANN")) == {"id", "nickname", "bio", "tags", "createdAt"}
    assert ben.asks("GET", "/users/ann")["nickname"] == "ann"
    assert ben.refused("GET", "/users?email=ann@example.org", 403)["code"] == "forbidden"
    assert admin.asks("GET", "/users?email=ann@example.org")["id"] == "ann"
    assert admin.asks("PUT", "/users/ann/tier", tier="pro")["tier"] == "pro"
    ben.refused("PUT", "/users/ann/suspension", 403)
    admin.asks("PUT", "/users/ann/suspension")
    ann.refused("POST", "/goals", 403, title="run")
    admin.asks("DELETE", "/users/ann/suspension")
    ann.asks("POST", "/goals", 201, title="run")
    ann.refused("GET", "/users/nobody", 404)


def test_taken_names_name_their_field(
    ann: Person, ben: Person, client: TestClient, issuer: LocalIssuer
) -> None:
    thief = Person(client, issuer, "ben", email="ANN@example.org")
    assert thief.refused("PUT", "/profile/email", 409)["field"] == "email"
    assert ben.refused("PUT", "/profile/nickname", 409, nickname="Ann")["field"] == "nickname"
    assert ben.asks("GET", "/nicknames/ann/availability") == {"isAvailable": False}
    assert ben.asks("GET", "/emails/eve@example.org/availability") == {"isAvailable": True}
    assert ben.asks("PUT", "/profile/nickname", nickname="Benny")["nickname"] == "Benny"
    benny = Person(client, issuer, "ben", email="benny@example.org")
    assert benny.asks("PUT", "/profile/email")["email"] == "benny@example.org"


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/profile", {"email": "eve@example.org", "nickname": "eve", "fullName": "Eve"}, "email"),
        ("/profile", {"nickname": "e#", "fullName": "Eve"}, "nickname"),
        ("/profile", {"nickname": "eve"}, "fullName"),
        ("/profile", {"nickname": "eve", "fullName": "E", "tier": "pro"}, "tier"),
        ("/goals", {"title": ""}, "title"),
        ("/goals", {"title": "run", "tags": ["a#b"]}, "tags.0"),
        ("/goals", {"title": "run", "userId": "ben"}, "userId"),
        ("/goals/g/tasks", {"title": "run", "dueAt": "2025-07-01T10:00:00"}, "dueAt"),
        ("/goals/g/milestones", {"name": "half", "percentage": 101}, "percentage"),
        ("/rooms/r/messages", {"text": "x", "lifetimeSeconds": 0}, "lifetimeSeconds"),
        ("/profile", None, None),
    ],
)
def test_invalid_values_name_their_field(
    ann: Person, path: str, body: dict[str, Any] | None, field: Any
) -> None:
    error = ann.refused("POST", path, 422, **(body or {}))
    assert field is None or error["field"] == field


def test_null_is_rejected_for_required_fields(ann: Person) -> None:
    goal = ann.asks("POST", "/goals", 201, title="run")
    assert ann.refused("PATCH", f"/goals/{goal['id']}", 422, title=None)["field"] == "title"
    assert ann.refused("PATCH", f"/goals/{goal['id']}", 422, status="deleting")["field"] == "status"
    assert ann.tries("PATCH", f"/goals/{goal['id']}").status_code == 422


def test_goals_with_tasks_and_milestones(ann: Person, ben: Person, db: Repository) -> None:
    goal = ann.asks("POST", "/goals", 201, title="run", description="42 km", tags=["Sport"])
    path = f"/goals/{goal['id']}"
    assert ann.asks("GET", path) == goal
    task = ann.asks("POST", f"{path}/tasks", 201, title="train", dueAt=DUE, nlpPlan={"steps": 3})
    assert "listedAt" not in task
    later = ann.asks("POST", f"{path}/tasks", 201, title="some day")
    assert ann.asks("GET", f"{path}/tasks")["items"] == [task, later]
    assert ann.asks("GET", "/tasks")["items"] == [task, later]
    done = ann.asks("PATCH", f"{path}/tasks/{task['id']}", done=True, dueAt=None)
    assert (done["done"], done["dueAt"]) == (True, None)
    half = ann.asks("POST", f"{path}/milestones", 201, name="half", percentage=50)
    half = ann.asks("PATCH", f"{path}/milestones/{half['id']}", name="Half")
    achieved = ann.asks("PUT", f"{path}/milestones/{half['id']}/achievement")
    assert achieved["achievedAt"]
    assert ann.asks("DELETE", f"{path}/milestones/{half['id']}/achievement")["achievedAt"] is None
    assert ann.asks("GET", f"{path}/milestones")["items"] == ann.asks("GET", "/milestones")["items"]
    assert ann.asks("GET", f"{path}/milestones/{half['id']}")["name"] == "Half"
    for method, hidden in (
        ("GET", path),
        ("DELETE", path),
        ("GET", f"{path}/tasks"),
        ("GET", f"{path}/progress"),
    ):
        ben.refused(method, hidden, 404)
    ben.refused("GET", f"/users/ann{path}", 404)
    ben.refused("PATCH", path, 404, title="mine")
    ben.refused("PATCH", f"{path}/tasks/{task['id']}", 404, title="mine")
    ben.refused("POST", f"{path}/tasks", 404, title="mine")
    ann.asks("DELETE", f"{path}/tasks/{later['id']}", 204)
    ann.asks("DELETE", f"{path}/milestones/{half['id']}", 204)
    ann.asks("DELETE", path, 204)
    ann.refused("GET", path, 404)
    assert_consistent(db)


def test_pages_continue_by_cursor(ann: Person, ben: Person) -> None:
    made = [ann.asks("POST", "/goals", 201, title=f"goal {number}")["id"] for number in range(5)]
    for path, expected in (("/goals", made), ("/timeline", made[::-1])):
        found: list[str] = []
        cursor = ""
        while True:
            page = ann.asks("GET", f"{path}?limit=2{cursor}")
            found += [each.get("entry", each)["id"] for each in page["items"]]
            if page["cursor"] is None:
                break
            cursor = f"&cursor={page['cursor']}"
        assert found == expected
    stolen = ann.asks("GET", "/goals?limit=2")["cursor"]
    assert ben.refused("GET", f"/goals?cursor={stolen}", 422)["code"] == "bad_cursor"
    for path in ("/goals", "/timeline"):
        assert ann.refused("GET", f"{path}?cursor=nonsense", 422)["code"] == "bad_cursor"
    assert ann.refused("GET", "/goals?limit=101", 422)["field"] == "limit"


def test_timeline_filters_by_kind(ann: Person) -> None:
    goal = ann.asks("POST", "/goals", 201, title="run")
    ann.asks("POST", f"/goals/{goal['id']}/tasks", 201, title="train")
    room = ann.asks("POST", "/rooms", 201, name="runners")
    ann.asks("POST", f"/rooms/{room['id']}/messages", 201, text="look", onTimeline=True)
    entries = ann.asks("GET", "/timeline")["items"]
    assert {each["kind"] for each in entries} == {"Goal", "Task", "Message"}
    assert not [each for each in entries if "listedAt" in each["entry"]]
    assert [each["kind"] for each in ann.asks("GET", "/timeline?kind=Task")["items"]] == ["Task"]
    assert [each["text"] for each in ann.asks("GET", "/timeline/messages")["items"]] == ["look"]
    assert ann.refused("GET", "/timeline?kind=User", 422)["field"] == "kind.0"


def test_reminders_and_progress(ann: Person, worker: Person) -> None:
    goal = ann.asks("POST", "/goals", 201, title="run")
    task = ann.asks("POST", f"/goals/{goal['id']}/tasks", 201, title="train", dueAt=DUE)
    assert [each["id"] for each in worker.asks("GET", "/due-tasks?day=2025-07-01")] == [task["id"]]
    assert worker.asks("POST", "/jobs/reminders", day="2025-07-01", zone="Europe/Stockholm") == {"count": 1}
    assert worker.asks("POST", "/jobs/reminders", day="2025-07-01") == {"count": 0}
    assert [each["taskId"] for each in ann.asks("GET", "/reminders")["items"]] == [task["id"]]
    assert worker.asks("POST", "/jobs/progress")["count"] >= 1
    assert ann.asks("GET", f"/goals/{goal['id']}/progress") == {"goalId": goal["id"], "tasks": 1, "done": 0}
    for job in ("/jobs/reminders", "/jobs/progress"):
        ann.refused("POST", job, 403, **({"day": "2025-07-01"} if "rem" in job else {}))
    ann.refused("GET", "/due-tasks?day=2025-07-01", 403)
    assert worker.refused("GET", "/due-tasks?day=2025-07-01&zone=Nowhere/Land", 422)["field"] == "zone"
    assert worker.refused("GET", "/due-tasks?day=9999-12-31", 422)["field"] == "day"


def test_rooms(ann: Person, ben: Person) -> None:
    room = ann.asks("POST", "/rooms", 201, name="runners")
    path = f"/rooms/{room['id']}"
    ben.refused("GET", path, 404)
    ben.refused("GET", f"{path}/messages", 403)
    ben.refused("POST", f"{path}/messages", 403, text="hello")
    ben.refused("POST", f"{path}/members", 404)
    ann.refused("PUT", f"{path}/members/nobody", 403)
    ann.asks("PUT", f"{path}/members/ben", 201)
    ann.refused("PUT", f"{path}/members/ben", 409)
    first = ben.asks("POST", f"{path}/messages", 201, text="hello", clientId="m1")
    assert ben.asks("POST", f"{path}/messages", 201, text="hello", clientId="m1") == first
    brief = ann.asks("POST", f"{path}/messages", 201, text="psst", lifetimeSeconds=60)
    assert ann.asks("GET", f"{path}/messages")["items"] == [brief, first]
    assert ann.asks("GET", f"{path}/messages?newest_first=false")["items"] == [first, brief]
    ann.refused("PATCH", f"{path}/messages/{first['id']}", 403, text="x")
    assert ben.asks("PATCH", f"{path}/messages/{first['id']}", text="hi")["editedAt"]
    ann.asks("DELETE", f"{path}/messages/{first['id']}", 204)
    ben.refused("POST", f"{path}/messages", 410, text="hello", clientId="m1")
    assert {each["userId"] for each in ann.asks("GET", f"{path}/members")["items"]} == {"ann", "ben"}
    assert [each["roomId"] for each in ben.asks("GET", "/rooms")["items"]] == [room["id"]]
    assert ben.asks("GET", path)["name"] == "runners"
    ben.asks("DELETE", f"{path}/members/ben", 204)
    public = ann.asks("POST", "/rooms", 201, name="all", visibility="public")
    assert ben.asks("POST", f"/rooms/{public['id']}/members", 201)["role"] == "member"


def test_threads(ann: Person, ben: Person, client: TestClient, issuer: LocalIssuer) -> None:
    assistant = Person(client, issuer, "assistant", "assistant")
    thread = ann.asks("POST", "/threads", 201, title="help")
    path = f"/threads/{thread['id']}"
    asked = ann.asks("POST", f"{path}/messages", 201, text="How?")
    told = assistant.asks("POST", f"{path}/answers", 201, text="So.")
    assert ann.asks("GET", f"{path}/messages")["items"] == [asked, told]
    ben.refused("GET", f"{path}/messages", 404)
    ben.refused("POST", f"{path}/answers", 403, text="x")
    assert ann.asks("GET", "/threads")["items"] == [ann.asks("GET", path)]
    assert ann.asks("PUT", f"{path}/end")["closed"] is True
    ann.refused("POST", f"{path}/messages", 410, text="And?")


def test_offers_and_discovery(ann: Person, ben: Person, admin: Person) -> None:
    company = ann.asks("POST", "/companies", 201, name="Shoes")
    path = f"/companies/{company['id']}"
    offer = ann.asks("POST", f"{path}/offers", 201, title="shoes", tags=["sport"])
    ben.refused("GET", f"/offers/{offer['id']}", 404)
    ben.refused("POST", f"{path}/offers", 403, title="mine")
    ben.refused("GET", f"{path}/listings", 403)
    offer = ann.asks("PATCH", f"/offers/{offer['id']}", status="open")
    assert ben.asks("GET", f"/offers/{offer['id']}") == offer
    ben.refused("PATCH", f"/offers/{offer['id']}", 403, status="closed")
    assert ben.asks("GET", f"{path}/offers")["items"] == [offer]
    goal = ann.asks("POST", "/goals", 201, title="run", tags=["sport"], visibility="public")
    found = ben.asks("GET", "/discovery/Sport")["items"]
    assert found == [{"kind": "Goal", "entry": goal}, {"kind": "Offer", "entry": offer}]
    assert ben.asks("GET", f"/users/ann/goals/{goal['id']}") == goal
    listed = admin.asks("GET", f"{path}/listings")["items"]
    assert [each["kind"] for each in listed] == ["Company", "Offer"]
    ann.asks("DELETE", f"/offers/{offer['id']}", 204)


def test_logging_in(client: TestClient, ann: Person, worker: Person, issuer: LocalIssuer) -> None:
    ann.asks("PUT", "/profile/password", 204, password="correct horse")
    signer = Person(client, issuer, "issuer", "issuer")
    login = {"email": "Ann@example.org", "password": "correct horse"}
    token = client.post("/logins", json=login).json()["token"]
    ann.refused("POST", "/sign-ins", 403, token=token)
    assert signer.asks("POST", "/sign-ins", token=token)["id"] == "ann"
    signer.refused("POST", "/sign-ins", 410, token=token)
    for _ in range(5):
        assert client.post("/logins", json={**login, "password": "wrong"}).status_code == 401
    reply = client.post("/logins", json=login)
    assert reply.status_code == 429
    assert 0 < int(reply.headers["retry-after"]) <= logins.WINDOW.total_seconds()
    assert client.post("/passwords", json={"token": "x", "password": "another horse"}).status_code == 410


def test_password_reset(client: TestClient, ann: Person, worker: Person) -> None:
    asked = {"email": "ann@example.org", "address": "10.0.0.1"}
    ann.refused("POST", "/password-resets", 403, **asked)
    token = worker.asks("POST", "/password-resets", **asked)["token"]
    assert worker.asks("POST", "/password-resets", email="no@example.org", address="x") == {"token": None}
    body = {"token": token, "password": "another horse"}
    assert client.post("/passwords", json=body).status_code == 204
    login = {"email": "ann@example.org", "password": "another horse"}
    assert client.post("/logins", json=login).status_code == 200


def test_account_deletion(ann: Person, db: Repository) -> None:
    ann.asks("POST", "/goals", 201, title="run")
    ann.asks("DELETE", "/profile", 204)
    ann.refused("GET", "/profile", 404)
    ann.refused("DELETE", "/profile", 404)
    assert assert_consistent(db) == []
    ann.registers()
