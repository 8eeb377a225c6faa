"""Sessions and the second factor over HTTP: what is asked when, what works once, what the tokens allow."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.listbackup.api import build
from tablewright_systems.listbackup.design.accounts import Account
from tablewright_systems.listbackup.proofs.fixtures import new_owner
from tablewright_systems.listbackup.service import mfa, sessions
from tablewright_systems.listbackup.service.access import SecondFactorRequired
from tablewright_systems.listbackup.service.sessions import ACCESS_LIFETIME, SessionAuthenticator
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Invalid
from tablewright_systems.web.authentication import LocalIssuer

from systems.tests.listbackup.api_client import ApiClient, NewOwner
from systems.tests.races import error_counts, race, winners
from tablewright import Clock, Repository

STEP = timedelta(seconds=mfa.STEP_SECONDS)


def code_of(db: Repository, secret: str) -> str:
    return mfa.totp(secret, db.now().timestamp())


def enable_mfa(db: Repository, clock: Clock, caller: Caller) -> str:
    """Activate a second factor; afterwards the next code is valid."""
    secret = mfa.start_mfa(db, caller)
    mfa.confirm_mfa(db, caller, code_of(db, secret))
    clock.advance(STEP)
    return secret


def bearer(reply: dict[str, Any]) -> dict[str, str]:
    return {"authorization": f"{reply['tokenType']} {reply['accessToken']}"}


def error_code(client: TestClient, path: str, body: dict[str, Any], **headers: str) -> tuple[int, str]:
    reply = client.post(path, json=body, headers=headers)
    outcome = reply.json()
    return reply.status_code, outcome["error"]["code"] if "error" in outcome else outcome["code"]


def test_a_second_factor_is_activated_and_deactivated_with_codes(
    db: Repository, clock: Clock, create_owner: NewOwner
) -> None:
    ada, _ = create_owner()
    secret = ada.call("POST", "/users/me/mfa", 201)["secret"]
    wrong = "000000" if code_of(db, secret) != "000000" else "111111"
    assert ada.rejected_field("POST", "/users/me/mfa/confirmation", 422, code=wrong) == "code"
    code = code_of(db, secret)
    assert ada.call("POST", "/users/me/mfa/confirmation", code=code)["mfaEnabled"]
    assert ada.rejected_field("POST", "/users/me/mfa/removal", 422, code=code) == "code", "a code works once"
    clock.advance(STEP)
    assert not ada.call("POST", "/users/me/mfa/removal", code=code_of(db, secret))["mfaEnabled"]
    assert ada.rejected_field("POST", "/users/me/mfa/removal", 409, code=code) == "mfaEnabled"


def test_sign_in_needs_a_code_and_the_access_token_proves_it(
    db: Repository, clock: Clock, client: TestClient, create_owner: NewOwner
) -> None:
    ada, account = create_owner()
    secret = enable_mfa(db, clock, ada.caller)
    wish = {"accountId": account.account_id}
    for path in ("/memberships", f"/accounts/{account.account_id}", "/sessions"):
        ada.rejected_field("GET", path, 401)
    assert ada.rejected_field("POST", "/sessions", 401, **wish) == "code"
    assert ada.rejected_field("POST", "/sessions", 422, **wish, code="000000") == "code"
    code = code_of(db, secret)
    issued = ada.call("POST", "/sessions", 201, **wish, code=code)
    assert ada.rejected_field("POST", "/sessions", 422, **wish, code=code) == "code", "a code works once"
    assert client.get("/memberships", headers=bearer(issued)).status_code == 200
    assert client.post("/users/me/mfa", headers=bearer(issued)).status_code == 409


def test_a_refresh_returns_an_access_token_and_rotates(client: TestClient, create_owner: NewOwner) -> None:
    ada, account = create_owner()
    first = ada.call("POST", "/sessions", 201, accountId=account.account_id)
    reply = client.post("/sessions/refresh", json={"refreshToken": first["refreshToken"]}).json()
    assert reply["expiresIn"] == ACCESS_LIFETIME.total_seconds()
    assert reply["refreshToken"] != first["refreshToken"]
    me = client.get("/users/me", headers=bearer(reply)).json()
    assert me["userId"] == ada.caller.user_id
    used = {"refreshToken": first["refreshToken"]}
    assert error_code(client, "/sessions/refresh", used) == (409, "conflict")
    history = ada.call("GET", f"/sessions/{reply['session']['tokenFamily']}")["items"]
    assert [item["revokedReason"] for item in history] == ["rotated", None]


def test_a_reused_token_ends_the_session_and_notifies_the_user(
    clock: Clock, client: TestClient, create_owner: NewOwner
) -> None:
    ada, account = create_owner()
    first = ada.call("POST", "/sessions", 201, accountId=account.account_id)["refreshToken"]
    second = client.post("/sessions/refresh", json={"refreshToken": first}).json()["refreshToken"]
    clock.advance(sessions.GRACE_PERIOD + timedelta(seconds=1))
    for token in (first, second):
        assert error_code(client, "/sessions/refresh", {"refreshToken": token})[0] == 401
    notices = ada.call("GET", "/users/me/notifications")["items"]
    assert {(notice["category"], notice["type"]) for notice in notices} == {
        ("security", "in-app"),
        ("security", "email"),
    }


def test_an_access_token_of_a_session_starts_no_other_session(
    client: TestClient, create_owner: NewOwner
) -> None:
    """Otherwise a stolen access token, valid for minutes, would give a session that outlives the one that was ended."""
    ada, account = create_owner()
    wish = {"accountId": account.account_id}
    issued = ada.call("POST", "/sessions", 201, **wish)
    assert error_code(client, "/sessions", wish, **bearer(issued)) == (401, "unauthenticated")
    ada.call("DELETE", f"/sessions/{issued['session']['tokenFamily']}", 204)
    assert error_code(client, "/sessions", wish, **bearer(issued)) == (401, "unauthenticated")
    assert ada.call("GET", "/sessions")["items"] == []
    ada.call("POST", "/sessions", 201, **wish)


@pytest.mark.parametrize("session", ["session-of-the-provider", "", "x" * 3000, "a#b", 7])
def test_the_session_of_a_provider_is_not_taken_for_an_own_one(
    db: Repository, ada: tuple[Caller, Account], session: object
) -> None:
    caller, account = ada
    foreign = Caller(caller.user_id, {**caller.claims, "sid": session})
    assert sessions.sign_in(db, foreign, account.account_id).token


def test_another_user_cannot_read_the_history_of_a_session(create_owner: NewOwner) -> None:
    ada, account = create_owner()
    eve, _ = create_owner()
    family = ada.call("POST", "/sessions", 201, accountId=account.account_id)["session"]["tokenFamily"]
    eve.rejected_field("GET", f"/sessions/{family}", 404)
    eve.rejected_field("DELETE", f"/sessions/{family}", 404)


def test_a_session_from_before_the_second_factor_asks_for_a_code_at_refresh(
    db: Repository, clock: Clock, client: TestClient, create_owner: NewOwner
) -> None:
    ada, account = create_owner()
    token = ada.call("POST", "/sessions", 201, accountId=account.account_id)["refreshToken"]
    secret = enable_mfa(db, clock, ada.caller)
    body = {"refreshToken": token}
    assert error_code(client, "/sessions/refresh", body) == (401, "second_factor_required")
    assert error_code(client, "/sessions/refresh", body | {"code": "000000"}) == (422, "invalid")
    reply = client.post("/sessions/refresh", json=body | {"code": code_of(db, secret)}).json()
    assert client.get("/memberships", headers=bearer(reply)).status_code == 200


def test_a_long_session_asks_for_another_code(db: Repository, clock: Clock) -> None:
    ada, account = new_owner(db)
    secret = enable_mfa(db, clock, ada)
    issued = sessions.sign_in(db, ada, account.account_id, code_of(db, secret))
    clock.advance(sessions.SECOND_FACTOR_LIFETIME - timedelta(seconds=1))
    issued = sessions.rotate(db, issued.token)
    assert issued.claims["amr"] == ["mfa"]
    clock.advance(timedelta(seconds=1))
    with pytest.raises(SecondFactorRequired):
        sessions.rotate(db, issued.token)
    sessions.rotate(db, issued.token, code_of(db, secret))


def test_concurrent_sign_ins_with_one_code_have_one_winner(db: Repository, clock: Clock) -> None:
    ada, account = new_owner(db)
    secret = enable_mfa(db, clock, ada)
    attempt = partial(sessions.sign_in, db, ada, account.account_id, code_of(db, secret))
    results = race(*(attempt for _ in range(4)))
    assert len(winners(results)) == 1
    assert set(error_counts(results)) <= {Conflict, Invalid}
    assert error_counts(results).total() == 3


def test_a_code_is_used_up_in_the_transaction_of_the_sign_in(
    db: Repository, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both sign-ins have compared the code before either writes: the second write is rejected."""
    ada, account = new_owner(db)
    secret = enable_mfa(db, clock, ada)
    code = code_of(db, secret)
    new_token = sessions._new_token

    def meanwhile(*values: Any) -> Any:
        monkeypatch.setattr(sessions, "_new_token", new_token)
        sessions.sign_in(db, ada, account.account_id, code)
        return new_token(*values)

    monkeypatch.setattr(sessions, "_new_token", meanwhile)
    with pytest.raises(Conflict):
        sessions.sign_in(db, ada, account.account_id, code)


def test_staff_roles_are_never_in_access_tokens(db: Repository, issuer: LocalIssuer) -> None:
    ada, account = new_owner(db)
    staff = Caller(ada.user_id, {**ada.claims, "roles": ["admin"]})
    issued = sessions.sign_in(db, staff, account.account_id)
    token = issuer.issue(ada.user_id, ACCESS_LIFETIME, **issued.claims)
    assert issuer.authenticate(token).roles == frozenset()


def test_an_admin_resets_the_second_factor_of_a_user(
    db: Repository, clock: Clock, create_owner: NewOwner, staff: ApiClient
) -> None:
    ada, _ = create_owner()
    eve, _ = create_owner()
    enable_mfa(db, clock, ada.caller)
    eve.rejected_field("DELETE", f"/users/{ada.caller.user_id}/mfa", 403)
    ada.rejected_field("DELETE", f"/users/{ada.caller.user_id}/mfa", 403)
    assert not staff.call("DELETE", f"/users/{ada.caller.user_id}/mfa")["mfaEnabled"]
    ada.call("GET", "/memberships")


def test_own_tokens_are_accepted_beside_those_of_a_provider(
    db: Repository, ada: tuple[Caller, Account]
) -> None:
    caller, account = ada
    provider, own = LocalIssuer(), LocalIssuer()
    both = SessionAuthenticator(_Foreign(provider), own)
    with TestClient(build(db, both)) as client:
        sign_in = partial(client.post, "/sessions", json={"accountId": account.account_id})
        issued = sign_in(headers={"authorization": f"Bearer foreign.{caller.user_id}"})
        assert issued.status_code == 201
        assert client.get("/memberships", headers=bearer(issued.json())).status_code == 200
        forged = provider.issue(caller.user_id)
        assert client.get("/memberships", headers={"authorization": f"Bearer {forged}"}).status_code == 401


class _Foreign:
    """A provider whose tokens are `foreign.<user id>`."""

    def __init__(self, issuer: LocalIssuer) -> None:
        self._issuer = issuer

    def authenticate(self, token: str) -> Caller:
        return Caller(token.removeprefix("foreign."))


def test_without_an_issuer_sessions_are_unavailable(db: Repository, ada: tuple[Caller, Account]) -> None:
    with TestClient(build(db, _Foreign(LocalIssuer()))) as client:
        reply = client.post(
            "/sessions",
            json={"accountId": ada[1].account_id},
            headers={"authorization": f"Bearer foreign.{ada[0].user_id}"},
        )
        assert reply.status_code == 503


def test_an_admin_by_role_must_prove_the_second_factor(
    db: Repository, clock: Clock, create_owner: NewOwner, staff: ApiClient
) -> None:
    ada, _ = create_owner()
    staff.call("PUT", f"/users/{ada.caller.user_id}/role", role="admin")
    ada.call("GET", "/accounts/roots")
    enable_mfa(db, clock, ada.caller)
    ada.rejected_field("GET", "/accounts/roots", 401)
