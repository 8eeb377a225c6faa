"""HTTP API of GoalsGuild: authentication, errors and pages."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from tablewright_systems.goalsguild.api import build
from tablewright_systems.goalsguild.design.users import ResetRequests
from tablewright_systems.goalsguild.jobs import JOBS, RESETS
from tablewright_systems.goalsguild.service import logins
from tablewright_systems.service import JobRun
from tablewright_systems.web.authentication import LocalIssuer

from systems.tests.goalsguild.fixtures import assert_consistent, clock_of
from tablewright import Repository

DUE = "2025-07-01T10:00:00.000Z"


class Person:
    """A client with the token of a user."""

    def __init__(
        self, client: TestClient, issuer: LocalIssuer, name: str, *roles: str, email: str = ""
    ) -> None:
        self.name = name
        self._client = client
        token = issuer.issue(
            name, roles=list(roles), email=email or f"{name}@example.org", email_verified=True
        )
        self._headers = {"authorization": f"Bearer {token}"}

    def send(self, method: str, path: str, status: int = 200, /, **body: Any) -> Any:
        """The reply, which must have that status."""
        reply = self.tries(method, path, **body)
        assert reply.status_code == status, reply.text
        return reply.json() if reply.content else None

    def tries(self, method: str, path: str, /, **body: Any) -> Response:
        reply: Response = self._client.request(method, path, headers=self._headers, json=body or None)
        return reply

    def expect_error(self, method: str, path: str, status: int, /, **body: Any) -> dict[str, Any]:
        """The error, which must have that status."""
        error: dict[str, Any] = self.send(method, path, status, **body)
        return error

    def registers(self) -> "Person":
        names = {"nickname": self.name, "fullName": self.name.title()}
        self.send("POST", "/profile", 201, **names)
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
    assert sorted(open_to_all) == ["/logins", "/password-resets", "/passwords"]


def test_invalid_token_is_rejected(client: TestClient) -> None:
    reply = client.get("/goals", headers={"authorization": "Bearer nonsense"})
    assert (reply.status_code, reply.json()["code"]) == (401, "unauthenticated")
    assert reply.headers["www-authenticate"] == "Bearer"


def test_profiles(ann: Person, ben: Person, admin: Person) -> None:
    assert ann.send("GET", "/profile")["tier"] == "free"
    assert ann.expect_error("POST", "/profile", 409, nickname="xx", fullName="X").get("field") is None
    changed = ann.send("PATCH", "/profile", bio="I run", tags=["Sport"], birthDate="1990-01-01")
    assert (changed["bio"], changed["tags"]) == ("I run", ["sport"])
    assert ann.send("PATCH", "/profile", bio=None)["bio"] is None
    assert set(ben.send("GET", "/nicknames/ANN")) == {"id", "nickname", "bio", "tags", "createdAt"}
    assert ben.send("GET", "/users/ann")["nickname"] == "ann"
    assert ben.expect_error("GET", "/users?email=ann@example.org", 403)["code"] == "forbidden"
    assert admin.send("GET", "/users?email=ann@example.org")["id"] == "ann"
    assert admin.send("PUT", "/users/ann/tier", tier="pro")["tier"] == "pro"
    ben.expect_error("PUT", "/users/ann/suspension", 403)
    admin.send("PUT", "/users/ann/suspension")
    ann.expect_error("POST", "/goals", 403, title="run")
    admin.send("DELETE", "/users/ann/suspension")
    ann.send("POST", "/goals", 201, title="run")
    ann.expect_error("GET", "/users/unknown", 404)


def test_taken_names_name_their_field(
    ann: Person, ben: Person, client: TestClient, issuer: LocalIssuer
) -> None:
    thief = Person(client, issuer, "ben", email="ANN@example.org")
    assert thief.expect_error("PUT", "/profile/email", 409).get("field") == "email"
    assert ben.expect_error("PUT", "/profile/nickname", 409, nickname="Ann").get("field") == "nickname"
    assert ben.send("GET", "/nicknames/ann/availability") == {"isAvailable": False}
    assert ben.send("GET", "/emails/eve@example.org/availability") == {"isAvailable": True}
    assert ben.send("PUT", "/profile/nickname", nickname="Benny")["nickname"] == "Benny"
    benny = Person(client, issuer, "ben", email="benny@example.org")
    assert benny.send("PUT", "/profile/email")["email"] == "benny@example.org"


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
    error = ann.expect_error("POST", path, 422, **(body or {}))
    assert field is None or error.get("field") == field


def test_null_is_rejected_for_required_fields(ann: Person) -> None:
    goal = ann.send("POST", "/goals", 201, title="run")
    assert ann.expect_error("PATCH", f"/goals/{goal['id']}", 422, title=None).get("field") == "title"
    assert ann.expect_error("PATCH", f"/goals/{goal['id']}", 422, status="deleting").get("field") == "status"
    assert ann.tries("PATCH", f"/goals/{goal['id']}").status_code == 422


def test_goals_with_tasks_and_milestones(ann: Person, ben: Person, db: Repository) -> None:
    goal = ann.send("POST", "/goals", 201, title="run", description="42 km", tags=["Sport"])
    path = f"/goals/{goal['id']}"
    assert ann.send("GET", path) == goal
    task = ann.send("POST", f"{path}/tasks", 201, title="train", dueAt=DUE, nlpPlan={"steps": 3})
    assert "listedAt" not in task
    later = ann.send("POST", f"{path}/tasks", 201, title="some day")
    assert ann.send("GET", f"{path}/tasks")["items"] == [task, later]
    assert ann.send("GET", "/tasks")["items"] == [task, later]
    done = ann.send("PATCH", f"{path}/tasks/{task['id']}", done=True, dueAt=None)
    assert (done["done"], done["dueAt"]) == (True, None)
    half = ann.send("POST", f"{path}/milestones", 201, name="half", percentage=50)
    half = ann.send("PATCH", f"{path}/milestones/{half['id']}", name="Half")
    achieved = ann.send("PUT", f"{path}/milestones/{half['id']}/achievement")
    assert achieved["achievedAt"]
    assert ann.send("DELETE", f"{path}/milestones/{half['id']}/achievement")["achievedAt"] is None
    assert ann.send("GET", f"{path}/milestones")["items"] == ann.send("GET", "/milestones")["items"]
    assert ann.send("GET", f"{path}/milestones/{half['id']}")["name"] == "Half"
    for method, hidden in (
        ("GET", path),
        ("DELETE", path),
        ("GET", f"{path}/tasks"),
        ("GET", f"{path}/progress"),
    ):
        ben.expect_error(method, hidden, 404)
    ben.expect_error("GET", f"/users/ann{path}", 404)
    ben.expect_error("PATCH", path, 404, title="mine")
    ben.expect_error("PATCH", f"{path}/tasks/{task['id']}", 404, title="mine")
    ben.expect_error("POST", f"{path}/tasks", 404, title="mine")
    ann.send("DELETE", f"{path}/tasks/{later['id']}", 204)
    ann.send("DELETE", f"{path}/milestones/{half['id']}", 204)
    ann.send("DELETE", path, 204)
    ann.expect_error("GET", path, 404)
    assert_consistent(db)


def test_pages_continue_by_cursor(ann: Person, ben: Person) -> None:
    made = [ann.send("POST", "/goals", 201, title=f"goal {number}")["id"] for number in range(5)]
    for path, expected in (("/goals", made), ("/timeline", made[::-1])):
        collected: list[str] = []
        cursor = ""
        while True:
            page = ann.send("GET", f"{path}?limit=2{cursor}")
            collected += [item.get("entry", item)["id"] for item in page["items"]]
            if page["cursor"] is None:
                break
            cursor = f"&cursor={page['cursor']}"
        assert collected == expected
    stolen = ann.send("GET", "/goals?limit=2")["cursor"]
    assert ben.expect_error("GET", f"/goals?cursor={stolen}", 422)["code"] == "bad_cursor"
    for path in ("/goals", "/timeline"):
        assert ann.expect_error("GET", f"{path}?cursor=nonsense", 422)["code"] == "bad_cursor"
    assert ann.expect_error("GET", "/goals?limit=101", 422).get("field") == "limit"


def test_timeline_filters_by_kind(ann: Person) -> None:
    goal = ann.send("POST", "/goals", 201, title="run")
    ann.send("POST", f"/goals/{goal['id']}/tasks", 201, title="train")
    room = ann.send("POST", "/rooms", 201, name="runners")
    ann.send("POST", f"/rooms/{room['id']}/messages", 201, text="look", onTimeline=True)
    entries = ann.send("GET", "/timeline")["items"]
    assert {entry["kind"] for entry in entries} == {"Goal", "Task", "Message"}
    assert not [entry for entry in entries if "listedAt" in entry["entry"]]
    assert [item["kind"] for item in ann.send("GET", "/timeline?kind=Task")["items"]] == ["Task"]
    assert [item["text"] for item in ann.send("GET", "/timeline/messages")["items"]] == ["look"]
    assert ann.expect_error("GET", "/timeline?kind=User", 422).get("field") == "kind.0"


def test_operations_describe_delays_and_tokens(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert "background job" in paths["/goals/{goalId}/progress"]["get"]["description"]
    assert "`POST /sign-ins`" in paths["/logins"]["post"]["description"]


def test_reminders_and_progress(ann: Person, worker: Person, db: Repository) -> None:
    goal = ann.send("POST", "/goals", 201, title="run")
    task = ann.send("POST", f"/goals/{goal['id']}/tasks", 201, title="train", dueAt=DUE)
    page = worker.send("GET", "/due-tasks?day=2025-07-01&zone=Europe/Stockholm")
    assert [item["id"] for item in page["items"]] == [task["id"]]
    jobs = {job.name: job.run for job in JOBS}
    jobs["progress"](JobRun(db))
    clock_of(db).advance(timedelta(days=15, hours=12))
    jobs["reminders"](JobRun(db))
    assert [item["taskId"] for item in ann.send("GET", "/reminders")["items"]] == [task["id"]]
    assert ann.send("GET", f"/goals/{goal['id']}/progress") == {"goalId": goal["id"], "tasks": 1, "done": 0}
    ann.expect_error("GET", "/due-tasks?day=2025-07-01", 403)
    assert worker.expect_error("GET", "/due-tasks?day=2025-07-01&zone=Nowhere/Land", 422)["field"] == "zone"
    assert worker.expect_error("GET", "/due-tasks?day=9999-12-31", 422)["field"] == "day"


def test_numbers_are_json_numbers(ann: Person) -> None:
    goal = ann.send("POST", "/goals", 201, title="run")
    plan = {"hours": 2.5, "steps": [1, 0.25]}
    task = ann.send("POST", f"/goals/{goal['id']}/tasks", 201, title="train", nlpPlan=plan)
    assert task["nlpPlan"] == plan
    assert ann.send("GET", f"/goals/{goal['id']}/tasks/{task['id']}")["nlpPlan"] == plan
    made = ann.send("POST", f"/goals/{goal['id']}/milestones", 201, name="some", percentage=87.5)
    assert made["percentage"] == 87.5


def test_timeline_by_kind_has_the_profile_last(ann: Person, ben: Person) -> None:
    goal = ann.send("POST", "/goals", 201, title="run")
    ann.send("POST", f"/goals/{goal['id']}/tasks", 201, title="train")
    entries = ann.send("GET", "/timeline/by-kind")["items"]
    assert [entry["kind"] for entry in entries] == ["Goal", "Task", "User"]
    assert [item["kind"] for item in ben.send("GET", "/timeline/by-kind")["items"]] == ["User"]


def test_rooms(ann: Person, ben: Person) -> None:
    room = ann.send("POST", "/rooms", 201, name="runners")
    path = f"/rooms/{room['id']}"
    ben.expect_error("GET", path, 404)
    ben.expect_error("GET", f"{path}/messages", 403)
    ben.expect_error("POST", f"{path}/messages", 403, text="hello")
    ben.expect_error("POST", f"{path}/members", 404)
    ann.expect_error("PUT", f"{path}/members/unknown", 403)
    ann.send("PUT", f"{path}/members/ben", 201)
    ann.expect_error("PUT", f"{path}/members/ben", 409)
    first = ben.send("POST", f"{path}/messages", 201, text="hello", clientId="m1")
    assert ben.send("POST", f"{path}/messages", 201, text="hello", clientId="m1") == first
    brief = ann.send("POST", f"{path}/messages", 201, text="psst", lifetimeSeconds=60)
    assert ann.send("GET", f"{path}/messages")["items"] == [brief, first]
    assert ann.send("GET", f"{path}/messages?newestFirst=false")["items"] == [first, brief]
    ann.expect_error("PATCH", f"{path}/messages/{first['id']}", 403, text="x")
    assert ben.send("PATCH", f"{path}/messages/{first['id']}", text="hi")["editedAt"]
    ann.send("DELETE", f"{path}/messages/{first['id']}", 204)
    ben.expect_error("POST", f"{path}/messages", 410, text="hello", clientId="m1")
    assert {item["userId"] for item in ann.send("GET", f"{path}/members")["items"]} == {"ann", "ben"}
    assert [item["roomId"] for item in ben.send("GET", "/rooms")["items"]] == [room["id"]]
    assert ben.send("GET", path)["name"] == "runners"
    ben.expect_error("DELETE", f"{path}/members/ann", 403)
    ben.expect_error("PUT", f"{path}/owner", 403, userId="ann")
    ben.expect_error("DELETE", path, 403)
    ann.expect_error("DELETE", f"{path}/members/ann", 409)
    ann.expect_error("PUT", f"{path}/owner", 404, userId="unknown")
    assert ann.send("PUT", f"{path}/owner", userId="ben")["role"] == "owner"
    ann.expect_error("DELETE", path, 403)
    ann.send("DELETE", f"{path}/members/ann", 204)
    ben.send("DELETE", path, 204)
    ben.expect_error("GET", path, 404)
    ben.expect_error("POST", f"{path}/messages", 403, text="hello")
    public = ann.send("POST", "/rooms", 201, name="all", visibility="public")
    assert ben.send("POST", f"/rooms/{public['id']}/members", 201)["role"] == "member"


def test_threads(ann: Person, ben: Person, client: TestClient, issuer: LocalIssuer) -> None:
    assistant = Person(client, issuer, "assistant", "assistant")
    thread = ann.send("POST", "/threads", 201, title="help")
    path = f"/threads/{thread['id']}"
    asked = ann.send("POST", f"{path}/messages", 201, text="How?")
    reply = assistant.send("POST", f"{path}/answers", 201, text="So.")
    assert ann.send("GET", f"{path}/messages")["items"] == [asked, reply]
    ben.expect_error("GET", f"{path}/messages", 404)
    ben.expect_error("POST", f"{path}/answers", 403, text="x")
    assert ann.send("GET", "/threads")["items"] == [ann.send("GET", path)]
    assert ann.send("PUT", f"{path}/end")["closed"] is True
    ann.expect_error("POST", f"{path}/messages", 410, text="And?")


def test_offers_and_discovery(ann: Person, ben: Person, admin: Person) -> None:
    company = ann.send("POST", "/companies", 201, name="Shoes")
    path = f"/companies/{company['id']}"
    offer = ann.send("POST", f"{path}/offers", 201, title="shoes", tags=["sport"])
    ben.expect_error("GET", f"/offers/{offer['id']}", 404)
    ben.expect_error("POST", f"{path}/offers", 403, title="mine")
    ben.expect_error("GET", f"{path}/listings", 403)
    offer = ann.send("PATCH", f"/offers/{offer['id']}", status="open")
    assert ben.send("GET", f"/offers/{offer['id']}") == offer
    ben.expect_error("PATCH", f"/offers/{offer['id']}", 403, status="closed")
    assert ben.send("GET", f"{path}/offers")["items"] == [offer]
    goal = ann.send("POST", "/goals", 201, title="run", tags=["sport"], visibility="public")
    result = ben.send("GET", "/discovery/Sport")["items"]
    assert result == [{"kind": "Goal", "entry": goal}, {"kind": "Offer", "entry": offer}]
    assert ben.send("GET", f"/users/ann/goals/{goal['id']}") == goal
    listed = admin.send("GET", f"{path}/listings")["items"]
    assert [item["kind"] for item in listed] == ["Company", "Offer"]
    assert ben.send("GET", path) == company
    assert ann.send("GET", "/companies")["items"] == [company]
    ben.expect_error("PATCH", path, 403, name="Mine")
    ben.expect_error("DELETE", path, 403)
    assert ann.send("PATCH", path, name="Boots")["name"] == "Boots"
    ann.send("POST", f"{path}/offers", 201, title="laces")
    ann.send("DELETE", f"/offers/{offer['id']}", 204)
    ann.send("DELETE", path, 204)
    ann.expect_error("GET", path, 404)
    ann.expect_error("POST", f"{path}/offers", 403, title="late")
    assert ann.send("GET", f"{path}/offers")["items"] == []


def test_logging_in(client: TestClient, ann: Person, issuer: LocalIssuer) -> None:
    ann.send("PUT", "/profile/password", 204, password="correct horse")
    signer = Person(client, issuer, "issuer", "issuer")
    login = {"email": "Ann@example.org", "password": "correct horse"}
    token = client.post("/logins", json=login).json()["token"]
    ann.expect_error("POST", "/sign-ins", 403, token=token)
    assert signer.send("POST", "/sign-ins", token=token)["id"] == "ann"
    signer.expect_error("POST", "/sign-ins", 410, token=token)
    for _ in range(5):
        assert client.post("/logins", json={**login, "password": "wrong"}).status_code == 401
    reply = client.post("/logins", json=login)
    assert reply.status_code == 429
    assert 0 < int(reply.headers["retry-after"]) <= logins.WINDOW.total_seconds()
    assert client.post("/passwords", json={"token": "x", "password": "another horse"}).status_code == 410


def test_password_reset(
    client: TestClient, ann: Person, db: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    for email in ("ANN@example.org", "no@example.org"):
        reply = client.post("/password-resets", json={"email": email})
        assert (reply.status_code, reply.text) == (204, "")
    RESETS.run(JobRun(db))
    (mail,) = [record.getMessage() for record in caplog.records if "mail to" in record.getMessage()]
    assert "mail to ann@example.org:" in mail
    body = {"token": mail.rpartition(" ")[2], "password": "another horse"}
    assert client.post("/passwords", json=body).status_code == 204
    assert client.post("/passwords", json=body).status_code == 410
    login = {"email": "ann@example.org", "password": "another horse"}
    assert client.post("/logins", json=login).status_code == 200
    assert db.all(ResetRequests()) == []


def test_addresses_cannot_be_listed(client: TestClient, ann: Person) -> None:
    for number in range(20):
        ann.send("GET", f"/emails/user{number}@example.org/availability")
    assert ann.expect_error("GET", "/emails/ben@example.org/availability", 429)["code"] == "too_many"


def test_account_deletion(ann: Person, db: Repository) -> None:
    ann.send("POST", "/goals", 201, title="run")
    ann.send("DELETE", "/profile", 204)
    ann.expect_error("GET", "/profile", 404)
    ann.expect_error("DELETE", "/profile", 404)
    ann.expect_error("PUT", "/profile/password", 403, password="correct horse")
    assert assert_consistent(db) == []
    ann.registers()
