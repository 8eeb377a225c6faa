"""CollabHub over HTTP: authorization, replies and errors."""

from base64 import urlsafe_b64encode
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from tablewright_systems.collabhub.api import build
from tablewright_systems.collabhub.design import Role
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import access
from tablewright_systems.service import Caller, JobRun
from tablewright_systems.web.authentication import LocalIssuer
from tablewright_systems.web.openapi_examples import example_of

from systems.tests.collabhub.stripe_deliveries import deliver, stripe_event
from systems.tests.collabhub.table_contents import assert_consistent
from tablewright import Clock, Repository

STARTUP = {
    "name": "Engines",
    "tagline": "Sums by steam",
    "description": "We compute.",
    "industry": "Machines",
    "stage": "MVP",
    "location": "London",
    "pitchDeckUrl": "https://example.org/deck.pdf",
    "fundingGoal": 1000.50,
}
ROLE = {"title": "Engineer", "description": "Cards.", "type": "FULL_TIME", "skills": ["weaving"]}

STRIPE_SECRET = "whsec_test"

Client = Callable[[Caller], TestClient]


@pytest.fixture
def issuer() -> LocalIssuer:
    return LocalIssuer()


@pytest.fixture
def app(db: Repository, issuer: LocalIssuer) -> FastAPI:
    return build(db, issuer, [STRIPE_SECRET])


@pytest.fixture
def client_of(app: FastAPI, issuer: LocalIssuer) -> Client:
    def made(caller: Caller) -> TestClient:
        token = issuer.issue(caller.user_id, **caller.claims)
        return TestClient(app, headers={"Authorization": f"Bearer {token}", "User-Agent": "Test/1"})

    return made


@pytest.fixture
def staff(client_of: Client) -> TestClient:
    return client_of(fixtures.STAFF)


class Person:
    """An active user with an HTTP client."""

    def __init__(self, db: Repository, client_of: Client, role: Role) -> None:
        caller = fixtures.new_user(db, role)
        self.id = caller.user_id
        self.client = client_of(caller)

    def get(self, path: str, code: int = 200, /, **query: Any) -> Any:
        return _body(self.client.get(path, params=query), code)

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        return _body(self.client.post(path, json=body), status)

    def put(self, path: str, body: Any, status: int = 200) -> Any:
        return _body(self.client.put(path, json=body), status)


def _body(reply: Any, status: int) -> Any:
    assert reply.status_code == status, reply.text
    return reply.json() if reply.content else None


@pytest.fixture
def join(db: Repository, client_of: Client) -> Callable[[Role], Person]:
    return lambda role: Person(db, client_of, role)


Join = Callable[[Role], Person]


def publish(ada: Person, staff: TestClient, **more: Any) -> str:
    startup: str = ada.post("/startups", STARTUP | more, 201)["startupId"]
    ada.post(f"/startups/{startup}/submission")
    assert staff.post(f"/startups/{startup}/approval").json()["status"] == "ACTIVE"
    return startup


def test_every_endpoint_needs_a_token(app: FastAPI, issuer: LocalIssuer) -> None:
    """Every path and method there is, so that none is forgotten."""
    anonymous = TestClient(app)
    pattern = 0
    for path, methods in app.openapi()["paths"].items():
        for method in methods if path != "/webhooks/stripe" else ():
            reply = anonymous.request(method, path.replace("{", "").replace("}", ""), json={})
            assert reply.status_code == 401, (method, path)
            assert reply.json()["code"] == "unauthenticated"
            pattern += 1
    assert pattern > 60
    forged = TestClient(app, headers={"Authorization": f"Bearer {LocalIssuer().issue('eve')}"})
    assert forged.get("/users/me").status_code == 401


def test_only_administrators_use_the_paths_of_administrators(app: FastAPI, join: Join) -> None:
    ada = join(Role.FOUNDER)
    document, count = app.openapi(), 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items() if path.startswith("/admin/") else ():
            required = [
                parameter for parameter in operation.get("parameters", ()) if parameter.get("required")
            ]
            values = {item["name"]: example_of(document, item["schema"], item["name"]) for item in required}
            query = {item["name"]: values[item["name"]] for item in required if item["in"] == "query"}
            reply = ada.client.request(method, path.format(**values), params=query)
            assert (reply.status_code, reply.json()["code"]) == (403, "forbidden"), (method, path)
            count += 1
    assert count > 7


def test_sign_up(client_of: Client, staff: TestClient) -> None:
    ada = client_of(fixtures.new_caller(email="Ada@Example.org"))
    body = {"role": "FOUNDER", "firstName": "Ada", "lastName": "Byron"}
    reply = ada.post("/users", json=body)
    assert reply.status_code == 201
    user = reply.json()
    assert (user["email"], user["status"]) == ("ada@example.org", "PENDING_VERIFICATION")
    assert ada.post("/startups", json=STARTUP).status_code == 403
    assert ada.post(f"/users/{user['userId']}/activation").json()["status"] == "ACTIVE"

    thief = client_of(fixtures.new_caller(email="ADA@example.org")).post("/users", json=body)
    assert thief.status_code == 409
    assert thief.json().get("field") == "email"
    assert ada.post("/users/me/logins").status_code == 204
    assert ada.patch("/users/me", json={"bio": "Countess"}).json()["bio"] == "Countess"
    assert ada.patch("/users/me", json={"firstName": None}).status_code == 422
    assert ada.patch("/users/me", json={"email": "x@example.org"}).status_code == 422
    assert (
        staff.get("/admin/users/by-email", params={"email": "ada@EXAMPLE.org"}).json()["firstName"] == "Ada"
    )
    assert staff.get("/admin/users/by-email", params={"email": "ada"}).status_code == 422
    assert ada.get("/users/me/home").json()["user"]["userId"] == user["userId"]


def test_a_user_who_is_not_activated_reads_what_to_do(client_of: Client) -> None:
    newcomer = client_of(fixtures.new_caller(email="new@example.org", email_verified=True))
    assert newcomer.get("/startups").json()["detail"].endswith("has no account; sign up first")
    body = {"firstName": "New", "lastName": "User", "role": "FOUNDER"}
    user_id = newcomer.post("/users", json=body).json()["userId"]
    for reply in (newcomer.get("/startups"), newcomer.post("/startups", json=STARTUP)):
        assert reply.status_code == 403
        assert "activate the account first" in reply.json()["detail"]
    assert newcomer.post(f"/users/{user_id}/activation").status_code == 200
    again = newcomer.post(f"/users/{user_id}/activation")
    assert (again.status_code, again.json()["detail"]) == (
        409,
        f"user {user_id} is not waiting for activation",
    )


def test_a_second_approval_says_that_the_startup_is_active(join: Join, staff: TestClient) -> None:
    startup = publish(join(Role.FOUNDER), staff)
    again = staff.post(f"/startups/{startup}/approval")
    assert (again.status_code, again.json()["detail"]) == (409, f"startup {startup} is already ACTIVE")
    returned = staff.post(f"/startups/{startup}/return")
    expected = f"startup {startup} is ACTIVE; it must be PENDING_REVIEW to become DRAFT"
    assert (returned.status_code, returned.json()["detail"]) == (409, expected)


def test_only_the_reviewed_version_is_approved(join: Join, staff: TestClient) -> None:
    ada = join(Role.FOUNDER)
    path = f"/startups/{ada.post('/startups', STARTUP, 201)['startupId']}"
    tag = ada.client.post(f"{path}/submission", headers={"If-Match": '"99"'})
    assert tag.status_code == 412
    reviewed = ada.client.post(f"{path}/submission").headers["etag"]
    ada.client.patch(path, json={"tagline": "Buy my coin"})
    stale = staff.post(f"{path}/approval", headers={"If-Match": reviewed})
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    for change in ("return", "suspension"):
        assert staff.post(f"{path}/{change}", headers={"If-Match": reviewed}).status_code == 412
    visibility = ada.client.put(
        f"{path}/visibility", json={"visibility": "PRIVATE"}, headers={"If-Match": reviewed}
    )
    assert visibility.status_code == 412
    current = staff.get(path).headers["etag"]
    assert staff.post(f"{path}/approval", headers={"If-Match": current}).json()["status"] == "ACTIVE"


def test_public_profile_of_a_user(join: Join) -> None:
    ada, bob = join(Role.FOUNDER), join(Role.TALENT)
    profile = ada.get(f"/users/{bob.id}")
    assert "email" not in profile
    assert "stripeCustomerId" not in profile
    ada.get("/users/unknown", 404)
    page = ada.get("/users", role="TALENT")
    assert [item["userId"] for item in page["items"]] == [bob.id]
    ada.get("/admin/users", 403, status="ACTIVE")


def test_a_startup_and_its_visibility(join: Join, staff: TestClient) -> None:
    ada, eve = join(Role.FOUNDER), join(Role.FOUNDER)
    startup = publish(ada, staff)
    assert eve.get(f"/startups/{startup}")["pitchDeckUrl"] is None
    assert ada.get(f"/startups/{startup}")["pitchDeckUrl"] == STARTUP["pitchDeckUrl"]
    assert ada.get(f"/startups/{startup}")["fundingGoal"] == 1000.5
    assert eve.client.patch(f"/startups/{startup}", json={"name": "Mine"}).status_code == 403
    assert ada.client.patch(f"/startups/{startup}", json={"name": "Looms"}).json()["name"] == "Looms"
    assert ada.client.patch(f"/startups/{startup}", json={"name": None}).status_code == 422
    eve.post(f"/startups/{startup}/approval", status=403)
    eve.put(f"/startups/{startup}/visibility", {"visibility": "PRIVATE"}, 403)
    ada.put(f"/startups/{startup}/visibility", {"visibility": "HIDDEN"}, 422)
    ada.put(f"/startups/{startup}/visibility", {"visibility": "PRIVATE"})
    eve.get(f"/startups/{startup}", 403)
    eve.get(f"/founders/{ada.id}/startups", 403)
    ada.get("/startups/nowhere", 404)
    rejected = ada.post(f"/startups/{startup}/submission", status=409)
    assert rejected.get("field") == "status"


def test_roles_and_cursors(join: Join, staff: TestClient, clock: Clock) -> None:
    ada, bob = join(Role.FOUNDER), join(Role.TALENT)
    startup = publish(ada, staff)
    made = []
    for _ in range(5):
        clock.advance(60)
        made.append(ada.post(f"/startups/{startup}/roles", ROLE, 201))
    first = bob.get("/roles", limit=2)
    second = bob.get("/roles", limit=2, cursor=first["cursor"])
    last = bob.get("/roles", limit=2, cursor=second["cursor"])
    listed = [item["roleId"] for page in (first, second, last) for item in page["items"]]
    assert listed == [item["roleId"] for item in reversed(made)]
    assert last["cursor"] is None
    times = {"start": made[1]["createdAt"], "end": made[3]["createdAt"]}
    assert len(bob.get("/roles", **times)["items"]) == 3
    bob.get("/roles", 422, cursor="nonsense")
    bob.get(f"/startups/{startup}/roles", 422, cursor=first["cursor"])
    bob.get("/roles", 422, limit=101)
    bob.get("/roles", 422, start="2025-01-01T00:00:00")
    bob.get("/roles", 422, start="2025-01-01T00:00:00Z")
    bob.post(f"/startups/{startup}/roles", ROLE, 403)
    one = f"/startups/{startup}/roles/{made[0]['roleId']}"
    assert ada.post(f"{one}/closing")["isOpen"] is False
    ada.post(f"{one}/closing", status=409)
    assert ada.post(f"{one}/reopening")["isListed"] is True
    assert bob.get(one)["title"] == "Engineer"
    sheet = bob.get(f"/startups/{startup}/sheet")
    assert len(sheet["roles"]) == 5


def test_applications(join: Join, staff: TestClient) -> None:
    ada, bob, eve = join(Role.FOUNDER), join(Role.TALENT), join(Role.FOUNDER)
    startup = publish(ada, staff)
    role = ada.post(f"/startups/{startup}/roles", ROLE, 201)["roleId"]
    path = f"/startups/{startup}/roles/{role}/applications"
    application = bob.post(path, {"coverLetter": "I can count."}, 201)["applicationId"]
    again = bob.post(path, {"coverLetter": "I can count."}, 409)
    assert again.get("field") == "roleId"
    bob.post(path, {}, 422)
    assert bob.get(f"/roles/{role}/own-application")["applicationId"] == application
    eve.get(f"/applications/{application}", 403)
    eve.get(path, 403)
    bob.put(f"/applications/{application}/status", {"status": "REVIEWING"}, 403)
    ada.put(f"/applications/{application}/status", {"status": "REVIEWING", "notes": "good"})
    assert ada.get(path)["items"][0]["founderNotes"] == "good"
    assert bob.get("/applications")["items"][0]["founderNotes"] is None
    ada.put(f"/applications/{application}/notes", {"notes": "very good"})
    rejected = ada.put(f"/applications/{application}/status", {"status": "REVIEWING"}, 409)
    assert rejected.get("field") == "status"
    ada.put(f"/applications/{application}/status", {"status": "ACCEPTED"})
    assert [item["userId"] for item in bob.get(f"/startups/{startup}/team")["items"]] == [bob.id]
    assert len(ada.get(f"/startups/{startup}/applications")["items"]) == 1
    bob.post(f"/applications/{application}/withdrawal", status=409)


def test_access(join: Join, staff: TestClient, clock: Clock, db: Repository) -> None:
    ada, ivy, eve = join(Role.FOUNDER), join(Role.INVESTOR), join(Role.INVESTOR)
    startup = publish(ada, staff, visibility="INVESTORS_ONLY")
    assert [item["startupId"] for item in ivy.get("/startups/for-investors")["items"]] == [startup]
    ada.get("/startups/for-investors", 403)
    request = ivy.post(f"/startups/{startup}/access-requests", {"accessLevel": "VIEW_DECK"}, 201)["accessId"]
    ivy.post(f"/startups/{startup}/access-requests", {}, 409)
    eve.get(f"/access-requests/{request}", 403)
    eve.post(f"/access-requests/{request}/approval", {}, 403)
    assert len(ada.get("/access-requests/pending")["items"]) == 1
    naive = {"expiresAt": "2025-09-01T00:00:00"}
    ada.post(f"/access-requests/{request}/approval", naive, 422)
    ends = (db.now() + timedelta(hours=1)).isoformat()
    ada.post(f"/access-requests/{request}/approval", {"expiresAt": ends})
    assert ivy.get(f"/startups/{startup}/access")["accessLevel"] == "VIEW_DECK"
    assert ivy.get(f"/startups/{startup}")["pitchDeckUrl"] is not None
    clock.advance(timedelta(hours=1))
    ivy.get(f"/startups/{startup}", 403)
    assert access.end_expired(JobRun(db)) == 1
    assert ivy.get("/access-requests")["items"][0]["status"] == "REVOKED"
    assert len(ada.get(f"/startups/{startup}/access-requests", status="REVOKED")["items"]) == 1
    ada.post(f"/access-requests/{request}/revocation", status=409)


def test_conversations(join: Join, clock: Clock, db: Repository) -> None:
    ada, bob, eve = join(Role.FOUNDER), join(Role.TALENT), join(Role.TALENT)
    conversation = ada.post("/conversations/direct", {"userId": bob.id})["conversationId"]
    assert bob.post("/conversations/direct", {"userId": ada.id})["conversationId"] == conversation
    path = f"/conversations/{conversation}"
    message: dict[str, Any] = {}
    for number in range(3):
        clock.advance(1)
        message = ada.post(f"{path}/messages", {"content": f"{number}", "mark": f"m{number}"}, 201)
    repeated = ada.post(f"{path}/messages", {"content": "2", "mark": "m2"}, 201)
    assert repeated["messageId"] == message["messageId"]
    for other in ({"content": "other"}, {"content": "2", "fileUrl": "https://example.org/x"}):
        refused = ada.post(f"{path}/messages", other | {"mark": "m2"}, 409)
        assert (refused["field"], refused["detail"]) == ("mark", "this mark was used for another message")
    for forbidden in (path, f"{path}/messages", f"{path}/unread"):
        eve.get(forbidden, 403)
    eve.post(f"{path}/messages", {"content": "let me in"}, 403)
    ada.post(f"{path}/messages", {"content": ""}, 422)
    ada.get("/conversations/nowhere", 404)
    (entry,) = bob.get("/conversations")["items"]
    assert (entry["lastMessagePreview"], entry["hasUnread"]) == ("2", True)
    assert len(bob.get(f"{path}/unread")["items"]) == 3
    assert bob.put(f"{path}/read", {"messageId": message["messageId"]})["hasUnread"] is False
    first = bob.get(f"{path}/messages", limit=2)
    rest = bob.get(f"{path}/messages", limit=2, cursor=first["cursor"])
    assert [item["content"] for item in first["items"] + rest["items"]] == ["2", "1", "0"]

    group = ada.post("/conversations/groups", {"userIds": [bob.id]}, 201)["conversationId"]
    ada.post(f"/conversations/{group}/participants", {"userId": eve.id})
    ada.post(f"/conversations/{group}/participants", {"userId": eve.id}, 409)
    assert eve.client.delete(f"/conversations/{group}/participants/{eve.id}").status_code == 204
    ada.post("/conversations/groups", {"userIds": ["unknown"]}, 404)
    assert bob.get("/notifications/unread/count") == {"count": 3}
    assert_consistent(db)


def test_subscriptions(join: Join, client_of: Client, staff: TestClient, app: FastAPI) -> None:
    ada = join(Role.FOUNDER)
    checkout = client_of(fixtures.WEBHOOK)
    customer = {"userId": ada.id, "customerId": "cus_1"}
    ada.post("/subscriptions/checkout", customer, 403)
    assert checkout.post("/subscriptions/checkout", json=customer).status_code == 200
    other = {**customer, "userId": join(Role.FOUNDER).id}
    taken = checkout.post("/subscriptions/checkout", json=other)
    assert (taken.status_code, taken.json().get("field")) == (409, "stripeCustomerId")
    ada.get("/subscriptions/mine", 404)

    def send_event(number: int, status: str) -> str:
        event = stripe_event(ada.id, number, status)
        outcome: str = deliver(TestClient(app), event, STRIPE_SECRET).json()["outcome"]
        return outcome

    assert [send_event(2, "active"), send_event(1, "trialing"), send_event(2, "active")] == [
        "APPLIED",
        "STALE",
        "DUPLICATE",
    ]
    assert ada.get("/subscriptions/mine")["status"] == "ACTIVE"
    assert ada.get("/users/me")["subscriptionTier"] == "PRO"
    page = staff.get("/admin/subscriptions", params={"status": "ACTIVE"}).json()
    assert [item["userId"] for item in page["items"]] == [ada.id]
    by_customer = staff.get("/admin/customers/cus_1/subscription")
    assert by_customer.json()["userId"] == ada.id
    ada.get("/admin/customers/cus_1/subscription", 403)
    ada.get("/admin/subscriptions", 403, status="ACTIVE")


def test_the_audit_log(join: Join, staff: TestClient, db: Repository) -> None:
    ada = join(Role.FOUNDER)
    ada.post("/startups", STARTUP, 201)
    entry = ada.get(f"/users/{ada.id}/audit")["items"][0]
    assert (entry["action"], entry["ipAddress"], entry["userAgent"]) == (
        "STARTUP_CREATED",
        "testclient",
        "Test/1",
    )
    today = db.now()
    page = staff.get(f"/admin/audit/{today:%Y-%m-%d}", params={"limit": 2}).json()
    rest = staff.get(f"/admin/audit/{today:%Y-%m-%d}", params={"limit": 2, "cursor": page["cursor"]}).json()
    assert (len(page["items"]), len(rest["items"])) == (2, 1)
    span = {"start": (today - timedelta(days=1)).isoformat(), "end": today.isoformat()}
    assert len(staff.get("/admin/audit", params=span).json()["items"]) == 3
    ada.get(f"/admin/audit/{today:%Y-%m-%d}", 403)
    created = staff.get("/admin/created", params={"kind": "STARTUP", **span}).json()
    assert [(item["kind"], item["entry"]["name"]) for item in created["items"]] == [("STARTUP", "Engines")]


def test_notifications(join: Join) -> None:
    ada, bob = join(Role.FOUNDER), join(Role.TALENT)
    conversation = ada.post("/conversations/direct", {"userId": bob.id})["conversationId"]
    for _ in range(3):
        ada.post(f"/conversations/{conversation}/messages", {"content": "Hello"}, 201)
    unread = bob.get("/notifications/unread")["items"]
    assert len(unread) == 3
    one = unread[0]["notificationId"]
    ada.post(f"/notifications/{one}/read", status=404)
    assert bob.post(f"/notifications/{one}/read")["isRead"] is True
    assert bob.post("/notifications/read") == {"count": 2}
    assert len(bob.get("/notifications")["items"]) == 3


def test_a_ban(join: Join, staff: TestClient) -> None:
    eve = join(Role.FOUNDER)
    startup = publish(eve, staff)
    assert staff.post(f"/users/{eve.id}/ban").json()["status"] == "BANNED"
    eve.post("/startups", STARTUP, 403)
    assert staff.get(f"/startups/{startup}").json()["status"] == "SUSPENDED"
    queue = staff.get("/admin/startups", params={"status": "SUSPENDED"}).json()
    assert [item["startupId"] for item in queue["items"]] == [startup]
    assert staff.delete(f"/users/{eve.id}/ban").json()["status"] == "ACTIVE"
    assert staff.put(f"/users/{eve.id}/role", json={"role": "TALENT"}).json()["role"] == "TALENT"
    eve.post(f"/users/{eve.id}/ban", status=403)


def _cursor(parts: str) -> str:
    return urlsafe_b64encode(parts.encode()).decode()


@pytest.mark.parametrize("parts", ["[[1], null]", "[{}, null]", '["PENDING", 5]', "[" * 3_000, '["x"]', "5"])
def test_an_invalid_cursor_is_rejected(join: Join, staff: TestClient, parts: str) -> None:
    ada = join(Role.FOUNDER)
    startup = publish(ada, staff)
    role = ada.post(f"/startups/{startup}/roles", ROLE, 201)["roleId"]
    rejected = ada.get(f"/startups/{startup}/roles/{role}/applications", 422, cursor=_cursor(parts))
    assert (rejected["code"], rejected.get("field")) == ("bad_cursor", "cursor")


def test_an_invalid_cursor_of_the_audit_log_is_rejected(staff: TestClient) -> None:
    span = {"start": "2025-01-01T00:00:00.000Z", "end": "2025-01-02T00:00:00.000Z"}
    for key in ("soon", "0001-01-01T00:00:00+14:00", ""):
        cursor = _cursor(f'["audit {span["start"]} {span["end"]}", "{key}#1"]')
        assert staff.get("/admin/audit", params=span | {"cursor": cursor}).status_code == 422


def test_a_banned_founder_reads_no_applications(join: Join, staff: TestClient) -> None:
    ada, bob = join(Role.FOUNDER), join(Role.TALENT)
    startup = publish(ada, staff)
    role = ada.post(f"/startups/{startup}/roles", ROLE, 201)["roleId"]
    place = f"/startups/{startup}/roles/{role}/applications"
    application = bob.post(place, {"coverLetter": "I weave."}, 201)["applicationId"]
    paths = [place, f"/startups/{startup}/applications", f"/applications/{application}"]
    paths += [f"/startups/{startup}/access-requests", "/access-requests/pending"]
    for path in paths:
        ada.get(path)
    staff.post(f"/users/{ada.id}/ban")
    for path in paths:
        ada.get(path, 403)
    assert bob.get(f"/applications/{application}")["coverLetter"] == "I weave."
