"""The OAuth flow over HTTP as a browser does it: to the platform, back to the API, and on to the application."""

from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient
from starlette.applications import Starlette
from starlette.routing import Mount
from tablewright_systems.listbackup.design.users import UserById
from tablewright_systems.listbackup.development import build
from tablewright_systems.listbackup.proofs.fixtures import new_owner
from tablewright_systems.service import Caller
from tablewright_systems.web import LocalIssuer

from systems.tests.listbackup.api_client import ApiClient, NewOwner
from tablewright import Repository

CALLBACK = "http://testserver/oauth/callback"
RETURN_URL = "http://testserver/sources"


@pytest.mark.parametrize("platform", ["keap", "stripe", "gohighlevel"])
def test_the_browser_returns_to_the_application(
    client: TestClient, create_owner: NewOwner, platform: str
) -> None:
    ada, account = create_owner()
    source_id, back = connected(client, ada, account.account_id, platform)
    assert back == f"{RETURN_URL}?sourceId={source_id}"
    source = ada.call("GET", f"/accounts/{account.account_id}/sources/{source_id}")
    assert (source["platform"], source["status"]) == (platform, "active")
    connection = ada.call("GET", f"/connections/{source['connectionId']}")
    assert connection["metadata"]["accountId"] == (None if platform == "keap" else "acct-ada")


def test_the_flow_works_below_the_path_of_a_host(db: Repository, issuer: LocalIssuer) -> None:
    ada, account = new_owner(db)
    client = TestClient(Starlette(routes=[Mount("/listbackup", build(db, issuer))]))
    caller = ApiClient(client, issuer, ada)
    url = "http://testserver/listbackup"
    body = {"platform": "keap", "redirectUri": f"{url}/oauth/callback", "returnUrl": RETURN_URL}
    flow = caller.call("POST", f"/listbackup/accounts/{account.account_id}/oauth", 201, **body)
    assert flow["authorizationUrl"].startswith(f"{url}/platforms/keap/oauth/authorize?")
    back = client.get(flow["authorizationUrl"], follow_redirects=False).headers["location"]
    assert back.startswith(f"{url}/oauth/callback?")
    assert "sourceId=" in client.get(back, follow_redirects=False).headers["location"]


def test_the_callback_works_in_the_same_browser_only(client: TestClient, create_owner: NewOwner) -> None:
    ada, account = create_owner()
    flow = start(ada, account.account_id)
    back = client.get(flow["authorizationUrl"], follow_redirects=False).headers["location"]
    cookies = dict(client.cookies)
    client.cookies.clear()
    assert client.get(back, follow_redirects=False).status_code == 403
    client.cookies.update(cookies)
    assert client.get(back, follow_redirects=False).status_code == 303
    assert client.get(back, follow_redirects=False).status_code == 410


@pytest.mark.parametrize(
    ("methods", "outcome"), [(["mfa"], "sourceId="), ([], "error=second_factor_required")]
)
def test_the_browser_has_the_second_factor_of_the_token_that_started(
    db: Repository, client: TestClient, issuer: LocalIssuer, methods: list[str], outcome: str
) -> None:
    user, account = new_owner(db)
    caller = ApiClient(client, issuer, Caller(user.user_id, {**user.claims, "amr": methods}))
    flow = start(caller, account.account_id)
    db.update(UserById(user_id=user.user_id), set={"mfa_enabled": True})
    back = client.get(flow["authorizationUrl"], follow_redirects=False).headers["location"]
    assert outcome in client.get(back, follow_redirects=False).headers["location"]


def test_the_fakes_are_served_over_http_in_development(client: TestClient) -> None:
    assert client.get("/platforms/keap/contacts").status_code == 401
    form = {"grant_type": "refresh_token", "refresh_token": "unknown"}
    assert client.post("/platforms/keap/oauth/token", data=form).json() == {"error": "invalid_client"}


def test_the_cookie_is_hidden_from_scripts(client: TestClient, create_owner: NewOwner) -> None:
    ada, account = create_owner()
    reply = ada.send("POST", f"/accounts/{account.account_id}/oauth", platform="keap", redirectUri=CALLBACK)
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


def test_a_denied_authorization_is_reported_to_the_application(
    client: TestClient, create_owner: NewOwner
) -> None:
    ada, account = create_owner()
    flow = start(ada, account.account_id)
    query = {"state": flow["state"], "error": "access_denied", "error_description": "no"}
    back = client.get("/oauth/callback", params=query, follow_redirects=False).headers["location"]
    assert parse_qs(urlsplit(back).query)["error"] == ["invalid"]
    assert "access_denied" in back
    assert ada.call("GET", f"/accounts/{account.account_id}/sources")["items"] == []


def test_a_wrong_code_is_reported_to_the_application(client: TestClient, create_owner: NewOwner) -> None:
    ada, account = create_owner()
    flow = start(ada, account.account_id)
    query = {"state": flow["state"], "code": "guessed"}
    back = client.get("/oauth/callback", params=query, follow_redirects=False).headers["location"]
    assert back.startswith(f"{RETURN_URL}?error=invalid&message=keap+does+not+accept")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("returnUrl", "https://evil.example/"),
        ("returnUrl", "http://testserver@evil.example/"),
        ("returnUrl", "http://testserver\\@evil.example/"),
        ("returnUrl", "http://[::1"),
        ("returnUrl", "http://test\tserver/"),
        ("returnUrl", "http://testserver/\r\nSet-Cookie: a=b"),
        ("redirectUri", "https://evil.example/oauth/callback"),
    ],
)
def test_other_urls_are_rejected(create_owner: NewOwner, field: str, value: str) -> None:
    ada, account = create_owner()
    body = {"platform": "keap", "redirectUri": CALLBACK, "returnUrl": RETURN_URL, field: value}
    assert ada.rejected_field("POST", f"/accounts/{account.account_id}/oauth", 422, **body) == field


def test_an_unsupported_platform_is_rejected(create_owner: NewOwner) -> None:
    ada, account = create_owner()
    body = {"platform": "mailchimp", "redirectUri": CALLBACK}
    assert ada.rejected_field("POST", f"/accounts/{account.account_id}/oauth", 422, **body) == "platform"


def start(caller: ApiClient, account_id: str, platform: str = "keap") -> dict[str, str]:
    flow: dict[str, str] = caller.call(
        "POST",
        f"/accounts/{account_id}/oauth",
        201,
        platform=platform,
        redirectUri=CALLBACK,
        returnUrl=RETURN_URL,
    )
    return flow


def connected(
    client: TestClient, caller: ApiClient, account_id: str, platform: str = "keap"
) -> tuple[str, str]:
    """Connect a platform as a browser does; return the source's id, and where the browser ends."""
    flow = start(caller, account_id, platform)
    back = client.get(flow["authorizationUrl"], follow_redirects=False).headers["location"]
    return flow["sourceId"], client.get(back, follow_redirects=False).headers["location"]
