"""ListBackup over HTTP: authorization, replies, errors, cursors."""

import re
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.listbackup.design.accounts import AccountById, Plan
from tablewright_systems.listbackup.design.activities import ActivitiesOfUser
from tablewright_systems.listbackup.jobs import finish_accounts
from tablewright_systems.listbackup.proofs.fixtures import REDIRECT_URI, fake_platforms, new_caller
from tablewright_systems.listbackup.service import closing, sessions
from tablewright_systems.service import Conflict, JobRun
from tablewright_systems.web.authentication import LocalIssuer

from systems.tests.listbackup.api_client import ApiClient, NewOwner
from tablewright import Clock, Repository

WITHOUT_TOKEN = {
    ("post", "/sessions/refresh"),
    ("get", "/oauth/callback"),
    ("post", "/webhooks/{sourceId}"),
}
"""A refresh token, the cookie of a browser, and a platform's signature authenticate these requests."""


def test_every_endpoint_needs_a_token(client: TestClient) -> None:
    operations = [
        (method, path)
        for path, methods in client.get("/openapi.json").json()["paths"].items()
        for method in methods
        if (method, path) not in WITHOUT_TOKEN
    ]
    assert len(operations) > 40
    for method, path in operations:
        assert client.request(method, path).status_code == 401, (method, path)
    reply = client.get("/users/me", headers={"authorization": "Bearer forged"})
    assert reply.status_code == 401
    assert reply.headers["www-authenticate"] == "Bearer"


def test_sign_up_rejects_taken_names(client: TestClient, issuer: LocalIssuer) -> None:
    ada, eve = (ApiClient(client, issuer, new_caller()) for _ in range(2))
    wish = {"username": "Countess", "name": "Ada", "accountName": "Engines"}
    user = ada.call("POST", "/users", 201, **wish)
    assert (user["username"], user["displayUsername"]) == ("countess", "Countess")
    assert "mfaSecret" not in user
    assert eve.rejected_field("POST", "/users", 409, **wish) == "username"
    assert ada.rejected_field("POST", "/users", 409, **wish | {"username": "other"}) == "userId"
    assert eve.rejected_field("POST", "/users", 422, **wish | {"username": "a#b"}) == "username"
    assert eve.rejected_field("POST", "/users", 422, **wish | {"username": "a\uff03b"}) == "username"
    assert eve.rejected_field("POST", "/users", 422, **wish | {"email": "mine@example.org"}) == "email"
    eve.rejected_field("GET", "/users/me", 404)


def test_the_user_id_comes_from_the_token(create_owner: NewOwner) -> None:
    ada, _ = create_owner()
    assert ada.rejected_field("PATCH", "/users/me", 422, userId="eve") == "userId"
    changed = ada.call("PATCH", "/users/me", name="Ada Lovelace", preferences={"timezone": "Europe/London"})
    assert (changed["name"], changed["preferences"]["timezone"]) == ("Ada Lovelace", "Europe/London")


def test_activities_record_the_origin_of_requests(db: Repository, create_owner: NewOwner) -> None:
    ada, account = create_owner()
    ada.call("PATCH", f"/accounts/{account.account_id}", accountName="Engines")
    pattern = ActivitiesOfUser(user_id=ada.caller.user_id, start=db.now(), end=db.now())
    recorded = [activity for activity in db.all(pattern) if activity.user_agent == "Test/1"]
    assert [(item.event_type, item.ip_address) for item in recorded] == [("account.updated", "testclient")]
    assert recorded[0].details.after is not None
    assert recorded[0].details.after["accountName"] == "Engines"


def test_other_accounts_are_neither_visible_nor_changeable(create_owner: NewOwner) -> None:
    ada, account = create_owner()
    eve, _ = create_owner()
    team = ada.call("POST", f"/accounts/{account.account_id}/teams", 201, teamName="one")
    place = f"/accounts/{account.account_id}"
    for path in ("", "/children", "/subtree", "/users", "/invitations", "/teams", "/oauth-tokens"):
        eve.rejected_field("GET", f"{place}{path}", 403)
    eve.rejected_field("PATCH", place, 403, accountName="Eve's")
    eve.rejected_field("DELETE", place, 403)
    eve.rejected_field("PUT", f"{place}/plan", 403, plan="free")
    eve.rejected_field("POST", f"{place}/invitations", 403, email="eve@example.org")
    eve.rejected_field("DELETE", f"{place}/users/{ada.caller.user_id}", 403)
    eve.rejected_field("POST", f"{place}/oauth", 403, platform="keap", redirectUri=REDIRECT_URI)
    eve.rejected_field("POST", "/sessions", 403, accountId=account.account_id)
    eve.rejected_field("GET", f"/teams/{team['teamId']}", 404)
    eve.rejected_field("POST", f"{place}/teams/{team['teamId']}/members", 403, userId=eve.caller.user_id)


def test_all_root_accounts_are_listed_page_by_page(create_owner: NewOwner, staff: ApiClient) -> None:
    accounts = {create_owner()[1].account_id for _ in range(7)}
    listed, cursor = [], ""
    while True:
        page = staff.call("GET", f"/accounts/roots?limit=3{cursor}")
        listed += [item["accountId"] for item in page["items"]]
        if page["cursor"] is None:
            break
        cursor = f"&cursor={page['cursor']}"
    assert len(listed) == 7
    assert set(listed) == accounts


def test_staff_endpoints_reject_other_callers(create_owner: NewOwner, staff: ApiClient) -> None:
    ada, account = create_owner()
    place = f"/accounts/{account.account_id}"
    for method, path, body in (
        ("GET", "/accounts/roots", {}),
        ("PUT", f"{place}/status", {"status": "suspended"}),
        ("PUT", f"/users/{ada.caller.user_id}/status", {"status": "suspended"}),
    ):
        ada.rejected_field(method, path, 403, **body)
    assert [item["accountId"] for item in staff.call("GET", "/accounts/roots")["items"]] == [
        account.account_id
    ]
    staff.call("PUT", f"{place}/status", status="suspended")
    ada.rejected_field("GET", place, 403)
    staff.rejected_field("PUT", "/users/unknown/status", 404, status="suspended")


def test_a_hierarchy_is_listed_page_by_page(create_owner: NewOwner) -> None:
    ada, top = create_owner()
    eve, _ = create_owner()
    place = f"/accounts/{top.account_id}"
    made = [
        ada.call("POST", f"{place}/children", 201, accountName=f"c{number}", accountType="division")
        for number in range(5)
    ]
    assert ada.rejected_field(
        "POST", f"{place}/children", 409, accountName="x", accountType="conglomerate"
    ) == ("accountType")
    assert (
        ada.rejected_field("POST", f"{place}/children", 422, accountName="x", accountType="moon")
        == "accountType"
    )
    names = [item["accountName"] for item in ada.call("GET", f"{place}/children")["items"]]
    assert names == ["c0", "c1", "c2", "c3", "c4"]
    seen, cursor = [], ""
    while True:
        page = ada.call("GET", f"{place}/subtree?limit=2{cursor}")
        seen += [item["accountId"] for item in page["items"]]
        if page["cursor"] is None:
            break
        cursor = f"&cursor={page['cursor']}"
    assert sorted(seen) == sorted([top.account_id, *(item["accountId"] for item in made)])
    first = ada.call("GET", f"{place}/subtree?limit=2")["cursor"]
    ada.rejected_field("GET", f"{place}/users?cursor={first}", 422)
    ada.rejected_field("GET", f"{place}/subtree?cursor={first[:-2]}xx", 422)
    eve.rejected_field("GET", f"{place}/subtree?cursor={first}", 403)
    assert ada.rejected_field("GET", f"{place}/subtree?limit=0", 422) == "limit"
    child = made[0]["accountId"]
    assert ada.rejected_field("PUT", f"{place}/parent", 409, parentAccountId=child) == "parentAccountId"


def test_a_membership_from_invitation_to_leaving(
    client: TestClient, issuer: LocalIssuer, create_owner: NewOwner
) -> None:
    ada, account = create_owner(Plan.FREE)
    place = f"/accounts/{account.account_id}"
    bob = ApiClient(client, issuer, new_caller())
    email = str(bob.caller.claim("email"))
    invited = ada.call("POST", f"{place}/invitations", 201, email=email, role="admin")
    assert (invited["kind"], invited["entry"]["email"]) == ("invitation", email)
    assert ada.rejected_field("POST", f"{place}/invitations", 409, email=email) == "email"
    assert ada.rejected_field("POST", f"{place}/invitations", 422, email="no address") == "email"
    assert [item["email"] for item in ada.call("GET", f"{place}/invitations")["items"]] == [email]
    bob.call("POST", "/users", 201, username="bob", name="Bob", accountName="Bob's")
    assert [item["entry"]["email"] for item in bob.call("GET", "/invitations")["items"]] == [email]
    assert bob.call("POST", f"/invitations/{account.account_id}/acceptance", 201)["status"] == "active"
    bob.rejected_field("POST", f"/invitations/{account.account_id}/acceptance", 404)
    assert len(bob.call("GET", "/memberships")["items"]) == 2
    ada.call("POST", f"{place}/invitations", 201, email="carol@example.org")
    assert ada.rejected_field("POST", f"{place}/invitations", 409, email="dave@example.org") == "users"
    ada.call("DELETE", f"{place}/invitations/carol@example.org", 204)
    bob.rejected_field("PUT", f"{place}/users/{ada.caller.user_id}/role", 403, role="member")
    ada.call("POST", f"{place}/users/{bob.caller.user_id}/suspension")
    bob.rejected_field("GET", place, 403)
    ada.call("DELETE", f"{place}/users/{bob.caller.user_id}/suspension")
    bob.call("PUT", "/users/me/primary-account", accountId=account.account_id)
    bob.call("DELETE", f"{place}/users/me", 204)
    assert bob.call("GET", "/users/me")["accountId"] != account.account_id
    assert ada.rejected_field("DELETE", f"{place}/users/me", 409) == "role"


def test_teams_are_returned_with_their_members(create_owner: NewOwner) -> None:
    ada, account = create_owner()
    place = f"/accounts/{account.account_id}/teams"
    team = ada.call("POST", place, 201, teamName="one", permissions={"sources": ["read"]})
    name = ada.call("PATCH", f"{place}/{team['teamId']}", teamName="two")["teamName"]
    shown = ada.call("GET", f"/teams/{team['teamId']}")
    assert (shown["team"]["teamName"], name) == ("two", "two")
    assert [member["role"] for member in shown["members"]] == ["lead"]
    assert ada.rejected_field("POST", f"{place}/{team['teamId']}/members", 409, userId="unknown") == "userId"
    assert len(ada.call("GET", "/teams")["items"]) == len(ada.call("GET", place)["items"]) == 1
    ada.call("DELETE", f"{place}/{team['teamId']}", 204)
    ada.rejected_field("GET", f"/teams/{team['teamId']}", 404)


def test_oauth_never_returns_tokens(db: Repository, create_owner: NewOwner) -> None:
    ada, account = create_owner(Plan.FREE)
    eve, _ = create_owner()
    place = f"/accounts/{account.account_id}"
    question = {"platform": "keap", "redirectUri": REDIRECT_URI}
    pattern = ada.call("POST", f"{place}/oauth", 201, **question)
    code = fake_platforms(db).keap.authorize(pattern["codeChallenge"], REDIRECT_URI)
    answer = {"state": pattern["state"], "code": code, "redirectUri": REDIRECT_URI}
    eve.rejected_field("POST", "/oauth/callback", 403, **answer)
    assert ada.rejected_field(
        "POST", "/oauth/callback", 422, **answer | {"redirectUri": "https://x.example"}
    ) == ("redirectUri")
    source = ada.call("POST", "/oauth/callback", 201, **answer)
    assert source["sourceId"] == pattern["sourceId"]
    ada.rejected_field("POST", "/oauth/callback", 410, **answer)
    (held,) = ada.call("GET", f"{place}/oauth-tokens?platform=keap")["items"]
    assert not {"tokens", "candidate"} & held.keys()
    assert "access." not in str(held)
    ada.call("DELETE", f"{place}/sources/{source['sourceId']}/credentials", 204)
    assert ada.call("GET", f"{place}/oauth-tokens")["items"] == []


def test_sessions_rotate_and_end(client: TestClient, create_owner: NewOwner, clock: Clock) -> None:
    ada, account = create_owner()
    eve, _ = create_owner()
    issued = ada.call("POST", "/sessions", 201, accountId=account.account_id)
    old = {"refreshToken": issued["refreshToken"]}
    renewed = client.post("/sessions/refresh", json=old).json()
    assert renewed["refreshToken"] != issued["refreshToken"]
    reply = client.post("/sessions/refresh", json=old)
    assert (reply.status_code, reply.json().get("field")) == (409, "refreshToken")
    (session,) = ada.call("GET", "/sessions")["items"]
    assert session["userAgent"] is not None
    assert "refreshToken" not in session
    eve.rejected_field("DELETE", f"/sessions/{session['tokenFamily']}", 404)
    clock.advance(sessions.GRACE_PERIOD * 2)
    assert client.post("/sessions/refresh", json=old).status_code == 401
    assert client.post("/sessions/refresh", json={"refreshToken": renewed["refreshToken"]}).status_code == 401
    assert ada.call("GET", "/sessions")["items"] == []
    ada.call("POST", "/sessions", 201, accountId=account.account_id)
    ada.call("DELETE", "/sessions", 204)
    assert ada.call("GET", "/sessions")["items"] == []


def test_an_account_is_closed_by_the_background_job(db: Repository, create_owner: NewOwner) -> None:
    ada, account = create_owner()
    place = f"/accounts/{account.account_id}"
    ada.call("POST", f"{place}/keys", 204)
    with pytest.raises(Conflict):
        closing.finish_closing(db, account.account_id)
    assert ada.call("DELETE", place)["status"] == "inactive"
    ada.rejected_field("GET", place, 403)
    rounds = 0
    while db.run(AccountById(account_id=account.account_id)) is not None:
        finish_accounts(JobRun(db))
        rounds += 1
    assert rounds == 2


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/queue"),
        ("POST", "/queue/claim"),
        *(
            ("POST", f"/queue/a/j/l/{call}")
            for call in ("heartbeat", "completion", "failure", "release", "stop")
        ),
        ("POST", "/accounts/a/moves"),
        ("POST", "/accounts/a/closing"),
        ("GET", "/sources/due"),
        ("POST", "/sources/due/jobs"),
        ("GET", "/connections/expiring"),
        ("POST", "/connections/expiring/renewals"),
        ("POST", "/connections/c/uses"),
        ("POST", "/connections/c/errors"),
        ("GET", "/oauth-tokens/expiring"),
        ("POST", "/oauth-tokens/s/refresh"),
        ("POST", "/encryption-keys/reencryption"),
        ("POST", "/notifications/claim"),
        ("POST", "/notifications/u/2026-01-01T00:00:00Z/n/attempts/1/sent"),
    ],
)
def test_the_work_of_workers_is_not_offered_over_http(staff: ApiClient, method: str, path: str) -> None:
    """A worker over HTTP would get no credentials, and could mark a backup as completed without them."""
    staff.call(method, path, 404)


def test_unfinished_accounts_are_not_listed_over_http(client: TestClient) -> None:
    assert "/accounts/unfinished" not in client.get("/openapi.json").json()["paths"]


def test_times_in_replies_have_milliseconds(create_owner: NewOwner, clock: Clock) -> None:
    clock.advance(timedelta(milliseconds=637))
    ada, account = create_owner()
    place = f"/accounts/{account.account_id}"
    family = ada.call("POST", "/sessions", 201, accountId=account.account_id)["session"]["tokenFamily"]
    for path in ("/users/me", "/sessions", f"/sessions/{family}", f"{place}/users", f"{place}/activities"):
        times = re.findall(r'"(\d{4}-\d\d-\d\dT[^"]*)"', ada.send("GET", path).text)
        assert times, path
        assert all(re.fullmatch(r"[-\d]{10}T[:\d]{8}\.\d{3}Z", time) for time in times), (path, times)
