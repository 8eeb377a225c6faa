"""HTTP API of Student Hub: authentication, errors and pages."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.student_hub.api import build
from tablewright_systems.student_hub.service.feedback import LIMIT
from tablewright_systems.web.authentication import LocalIssuer

from systems.tests.student_hub.fixtures import TODAY, TOMORROW, items_of
from tablewright import Clock, Repository

VISA = {"title": "Visa", "dueDate": str(TOMORROW), "sendReminder": True}


class Browser:
    """A client with the token of a user."""

    def __init__(self, client: TestClient, token: str | None = None) -> None:
        self._client = client
        self._headers = {"content-type": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"

    def ask(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        """The reply, which is of the status that is expected."""
        content = None if body is None else json.dumps(body)
        reply = self._client.request(method, path, content=content, headers=self._headers)
        assert reply.status_code == status, reply.text
        return reply.json() if reply.content else None

    def expect_error(self, method: str, path: str, status: int, body: Any = None) -> tuple[str, str | None]:
        """Return code and field of an error reply."""
        error = self.ask(method, path, body, status)
        return error["code"], error.get("field")


@pytest.fixture
def issuer() -> LocalIssuer:
    return LocalIssuer()


@pytest.fixture
def client(db: Repository, issuer: LocalIssuer) -> Iterator[TestClient]:
    with TestClient(build(db, issuer)) as opened:
        yield opened


@pytest.fixture
def guest(client: TestClient) -> Browser:
    return Browser(client)


@pytest.fixture
def ada(client: TestClient, issuer: LocalIssuer) -> Browser:
    return Browser(client, issuer.issue("ada"))


@pytest.fixture
def bob(client: TestClient, issuer: LocalIssuer) -> Browser:
    return Browser(client, issuer.issue("bob"))


@pytest.fixture
def admin(client: TestClient, issuer: LocalIssuer) -> Browser:
    return Browser(client, issuer.issue("root", roles=["admin"]))


@pytest.fixture
def worker(client: TestClient, issuer: LocalIssuer) -> Browser:
    return Browser(client, issuer.issue("clockwork", roles=["worker"]))


def routes(client: TestClient) -> list[tuple[str, str]]:
    paths: dict[str, Any] = client.get("/openapi.json").json()["paths"]
    listed = [(method.upper(), path) for path, methods in paths.items() for method in methods]
    assert ("POST", "/feedback") in listed
    return listed


def test_only_feedback_needs_no_token(client: TestClient, guest: Browser) -> None:
    for method, path in routes(client):
        if (method, path) != ("POST", "/feedback"):
            assert guest.expect_error(method, path, 401) == ("unauthenticated", None), (method, path)


def test_invalid_token_is_rejected_even_if_optional(client: TestClient) -> None:
    assert Browser(client, "x").expect_error("POST", "/feedback", 401, {"message": "Hello"}) == (
        "unauthenticated",
        None,
    )


def test_staff_endpoints_require_a_role(ada: Browser, admin: Browser, worker: Browser) -> None:
    span = "start=2024-02-01T00:00:00Z&end=2024-03-01T00:00:00Z"
    claim = {"userId": "ada", "deadlineId": "d", "claim": "c"}
    for_admins = [
        *(("GET", "/admin/users", None), ("GET", "/admin/users/count", None)),
        *(("DELETE", "/admin/users/bob", None), ("GET", "/admin/users/bob/feedback", None)),
        *(("GET", f"/admin/feedback?{span}", None), ("GET", "/admin/feedback/f/1", None)),
    ]
    for_workers = [
        *(("POST", "/reminders/claim", None), ("GET", f"/reminders/deadlines?day={TODAY}", None)),
        *(("POST", "/reminders/confirm", claim), ("POST", "/reminders/release", claim)),
    ]
    for method, path, body in for_admins:
        assert (
            ada.expect_error(method, path, 403, body)[0]
            == worker.expect_error(method, path, 403, body)[0]
            == "forbidden"
        )
    for method, path, body in for_workers:
        assert (
            ada.expect_error(method, path, 403, body)[0]
            == admin.expect_error(method, path, 403, body)[0]
            == "forbidden"
        )


def test_profile_belongs_to_its_owner(ada: Browser, bob: Browser) -> None:
    assert ada.expect_error("GET", "/profile", 404) == ("not_found", None)
    ada.ask("PATCH", "/profile", {"firstName": "Ada", "userId": "bob", "rentCost": 600})
    assert ada.ask("GET", "/profile?justWritten=true") == {
        "userId": "ada",
        "firstName": "Ada",
        "rentCost": 600.0,
        "updatedAt": "2024-02-18T10:00:00.000Z",
    }
    assert bob.expect_error("GET", "/profile", 404) == ("not_found", None)


def test_profile_can_be_sent_back(ada: Browser, clock: Clock) -> None:
    profile = ada.ask(
        "PATCH", "/profile", {"firstName": "Ada", "startDate": "2031-09-01", "monthlyBudget": "900"}
    )
    clock.advance(60)
    assert ada.ask("PATCH", "/profile", profile) == profile | {"updatedAt": "2024-02-18T10:01:00.000Z"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"university": "Bocconi"}, "university"),
        ({"studyLevel": "kindergarten"}, "studyLevel"),
        ({"startDate": "soon"}, "startDate"),
        ({"rentCost": "much"}, "rentCost"),
        ({"rentCost": -1}, "rentCost"),
        ({"packingNotes": "x" * 1_001}, "packingNotes"),
        ({"firstName": "\ud800"}, "firstName"),
        ({"budgetCurrency": "euros"}, "budgetCurrency"),
    ],
)
def test_invalid_fields_are_named(ada: Browser, body: dict[str, Any], field: str) -> None:
    assert ada.expect_error("PATCH", "/profile", 422, body) == ("invalid", field)


def test_steps_are_started_and_completed(ada: Browser, bob: Browser) -> None:
    assert ada.expect_error("GET", "/progress/visa", 404)[0] == "not_found"
    assert ada.expect_error("POST", "/progress/visa/reopen", 404)[0] == "not_found"
    assert ada.ask("POST", "/progress/visa/start")["completed"] is False
    assert ada.ask("POST", "/progress/visa/complete")["completedAt"] == "2024-02-18T10:00:00.000Z"
    assert "completedAt" not in ada.ask("POST", "/progress/visa/reopen")
    ada.ask("POST", "/progress/housing/start")
    assert [step["stepKey"] for step in ada.ask("GET", "/progress")["items"]] == ["housing", "visa"]
    assert [step["stepKey"] for step in ada.ask("GET", "/progress?step=visa&step=banking")["items"]] == [
        "visa"
    ]
    assert bob.ask("GET", "/progress")["items"] == []
    assert ada.expect_error("POST", "/progress/Visa%23/start", 422) == ("invalid", "stepKey")


def test_deadlines_are_created_and_deleted(ada: Browser, bob: Browser) -> None:
    made = ada.ask("POST", "/deadlines", VISA, 201)
    path = f"/deadlines/{made['deadlineId']}"
    assert ada.ask("GET", path) == made
    for method, body in (("GET", None), ("PATCH", {"title": "Mine"}), ("DELETE", None)):
        assert bob.expect_error(method, path, 404, body)[0] == "not_found"
    assert ada.expect_error("PATCH", path, 422, {"title": ""}) == ("invalid", "title")
    assert ada.ask("PATCH", path, {"dueDate": str(TODAY)})["dueDate"] == str(TODAY)
    ada.ask("DELETE", path, status=204)
    assert ada.ask("GET", "/deadlines") == {"items": [], "cursor": None}


def test_repeated_deadline_is_accepted_and_a_different_one_rejected(ada: Browser) -> None:
    draft = VISA | {"deadlineId": "d47e9a12-3f56-4b8c-9d2e-1a2b3c4d5e6f"}
    assert ada.ask("POST", "/deadlines", draft, 201) == ada.ask("POST", "/deadlines", draft, 201)
    assert ada.expect_error("POST", "/deadlines", 409, draft | {"title": "Other"})[0] == "conflict"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"title": " "}, "title"),
        ({"dueDate": "2024-02-30"}, "dueDate"),
        ({"sendReminder": None}, "sendReminder"),
        ({"userId": "bob"}, "userId"),
    ],
)
def test_invalid_deadline_is_rejected(ada: Browser, change: dict[str, Any], field: str) -> None:
    assert ada.expect_error("POST", "/deadlines", 422, VISA | change) == ("invalid", field)


def test_dashboard_has_all_three_parts(ada: Browser) -> None:
    assert ada.ask("GET", "/dashboard") == {"progress": [], "deadlines": []}
    profile = ada.ask("PATCH", "/profile", {"firstName": "Ada"})
    step = ada.ask("POST", "/progress/visa/complete")
    deadline = ada.ask("POST", "/deadlines", VISA, 201)
    assert ada.ask("GET", "/dashboard") == {"profile": profile, "progress": [step], "deadlines": [deadline]}


def test_worker_sends_reminders(ada: Browser, worker: Browser) -> None:
    made = ada.ask("POST", "/deadlines", VISA, 201)
    (due,) = worker.ask("GET", f"/reminders/deadlines?day={TOMORROW}")["items"]
    assert made.items() <= due.items()
    (claim,) = worker.ask("POST", "/reminders/claim")["items"]
    assert worker.ask("POST", "/reminders/claim") == {"items": []}
    mine = {name: claim[name] for name in ("userId", "deadlineId", "claim")}
    assert claim["key"] == f"{made['deadlineId']}:{TOMORROW}"
    assert worker.ask("POST", "/reminders/release", mine) == {"isNoted": True}
    (again,) = worker.ask("POST", "/reminders/claim?limit=1")["items"]
    assert worker.ask("POST", "/reminders/confirm", mine) == {"isNoted": False}
    assert worker.ask("POST", "/reminders/confirm", mine | {"claim": again["claim"]}) == {"isNoted": True}
    assert worker.ask("POST", "/reminders/claim") == {"items": []}


def test_feedback_author_comes_from_the_token(ada: Browser, guest: Browser) -> None:
    assert guest.ask("POST", "/feedback", {"message": "Great app!"}, 201)["userId"].startswith(
        "guest-1708250400000"
    )
    submitted = ada.ask("POST", "/feedback", {"message": "Great app!"}, 201)
    assert submitted["userId"] == "ada"
    assert guest.expect_error("POST", "/feedback", 422, {"message": "Hi", "userId": "ada"}) == (
        "invalid",
        "userId",
    )
    assert guest.expect_error("POST", "/feedback", 422, {"message": " "}) == ("invalid", "message")
    assert guest.expect_error("POST", "/feedback", 422, {"message": "x" * 4_001}) == ("invalid", "message")
    assert ada.ask("GET", "/feedback") == {"items": [submitted], "cursor": None}


def test_guests_are_rate_limited(client: TestClient, guest: Browser) -> None:
    for _ in range(LIMIT.most):
        guest.ask("POST", "/feedback", {"message": "again"}, 201)
    reply = client.post("/feedback", json={"message": "again"})
    assert (reply.status_code, reply.headers["retry-after"]) == (429, "3600")


def test_pages_continue_by_cursor(ada: Browser, admin: Browser, clock: Clock) -> None:
    for number in range(5):
        ada.ask("POST", "/feedback", {"message": str(number)}, 201)
        clock.advance(15 * 86_400)
    span = "start=2024-02-18T10:00:00Z&end=2024-06-01T00:00:00Z"
    for path in ("/feedback?", "/admin/users/ada/feedback?", f"/admin/feedback?{span}&"):
        browser = ada if path == "/feedback?" else admin
        assert _messages(browser, path) == ["4", "3", "2", "1", "0"]
        assert browser.expect_error("GET", f"{path}cursor=nonsense", 422) == ("bad_cursor", "cursor")
        assert browser.expect_error("GET", f"{path}limit=0", 422) == ("invalid", "limit")
    assert admin.expect_error(
        "GET", "/admin/feedback?start=2024-02-18T10:00:00&end=2024-03-01T00:00:00Z", 422
    ) == (
        "invalid",
        "start",
    )


def _messages(browser: Browser, path: str) -> list[str]:
    collected: list[str] = []
    more = ""
    while True:
        page = browser.ask("GET", f"{path}limit=2{more}")
        assert len(page["items"]) <= 2
        collected += [item["message"] for item in page["items"]]
        if page["cursor"] is None:
            return collected
        more = f"&cursor={page['cursor']}"


def test_administrators_read_users_and_feedback(ada: Browser, bob: Browser, admin: Browser) -> None:
    for browser in (ada, bob):
        browser.ask("PATCH", "/profile", {"firstName": "Ada", "passportExpiry": "2031-01-01"})
    page = admin.ask("GET", "/admin/users?limit=1")
    rest = admin.ask("GET", f"/admin/users?limit=1&cursor={page['cursor']}")
    users = [*page["items"], *rest["items"]]
    assert sorted(user["userId"] for user in users) == ["ada", "bob"]
    assert not any("passportExpiry" in user for user in users)
    assert admin.ask("GET", "/admin/users/count") == {"count": 2}
    submitted = ada.ask("POST", "/feedback", {"message": "Great app!"}, 201)
    assert (
        admin.ask("GET", f"/admin/feedback/{submitted['feedbackId']}/{submitted['timestamp']}") == submitted
    )
    assert admin.expect_error("GET", f"/admin/feedback/{submitted['feedbackId']}/1", 404)[0] == "not_found"


def test_deleted_user_leaves_no_data(db: Repository, ada: Browser, bob: Browser, admin: Browser) -> None:
    for browser in (ada, bob):
        browser.ask("PATCH", "/profile", {"firstName": "Changed"})
        browser.ask("POST", "/deadlines", VISA, 201)
        browser.ask("POST", "/feedback", {"message": "Bye"}, 201)
    assert ada.ask("DELETE", "/me") == {"profiles": 1, "steps": 0, "deadlines": 1, "feedback": 1}
    assert admin.ask("DELETE", "/admin/users/bob")["profiles"] == 1
    for table in ("user-profiles", "user-progress", "deadlines", "feedback"):
        assert items_of(db, f"leavs-main-{table}") == []
