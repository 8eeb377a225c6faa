"""Sessions: a token opens one browser, and no other web page can use the session."""

from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from tablewright.console.browser_sessions import (
    MAX_TOKENS,
    SESSION_SECONDS,
    TOKEN_SECONDS,
    BrowserAccess,
    BrowserSessions,
)
from tablewright.errors import UsageError

HOST = "http://127.0.0.1:8090"


def client(sessions: BrowserSessions) -> TestClient:
    routes = [
        Route("/", lambda request: PlainTextResponse("page")),
        Route("/api", lambda request: PlainTextResponse("data"), methods=["GET", "POST"]),
    ]
    return TestClient(BrowserAccess(Starlette(routes=routes), sessions), base_url=HOST)


def signed_in() -> TestClient:
    sessions = BrowserSessions()
    found = client(sessions)
    assert found.get("/", params={"token": sessions.issue()}).status_code == 200
    return found


def test_a_token_works_once() -> None:
    sessions = BrowserSessions()
    token = sessions.issue()
    first, second = client(sessions), client(sessions)
    assert first.get("/", params={"token": token}).status_code == 200
    assert second.get("/", params={"token": token}).status_code == 401
    assert first.get("/", params={"token": token}).status_code == 200  # the same browser
    assert first.get("/api").text == "data"
    assert second.get("/api").status_code == 401


def test_tokens_and_sessions_expire() -> None:
    now = [0.0]
    sessions = BrowserSessions(now=lambda: now[0])
    token, late = sessions.issue(), sessions.issue()
    session = sessions.open(token)
    assert session is not None
    now[0] = TOKEN_SECONDS + 1
    assert sessions.open(late) is None
    assert sessions.is_open(session)
    now[0] = SESSION_SECONDS + 1
    assert not sessions.is_open(session)


def test_a_changed_session_is_rejected() -> None:
    sessions = BrowserSessions()
    session = sessions.open(sessions.issue())
    assert session is not None
    expires, nonce, signature = session.split(".")
    for forged in ("", ".", "x", f"{int(expires) + 1}.{nonce}.{signature}", f"{expires}.{nonce}.", "é.x"):
        assert not sessions.is_open(forged)
    assert not BrowserSessions().is_open(session)


def test_old_tokens_are_dropped() -> None:
    sessions = BrowserSessions()
    first = sessions.issue()
    for _ in range(MAX_TOKENS):
        sessions.issue()
    assert sessions.open(first) is None


def test_sessions_last_over_a_restart_with_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "console.key"
    before = BrowserSessions.from_file(file)
    session = before.open(before.issue())
    assert session is not None
    assert BrowserSessions.from_file(file).is_open(session)
    assert file.stat().st_mode & 0o077 == 0
    file.write_bytes(b"")
    with pytest.raises(UsageError, match="delete it"):
        BrowserSessions.from_file(file)


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Host": "evil.example:8090"}, "WrongHost"),
        ({"Host": "127.0.0.1.evil.example"}, "WrongHost"),
        ({"Origin": "http://evil.example"}, "WrongOrigin"),
        ({"Host": "localhost:99999"}, "WrongHost"),
        ({"Origin": "null"}, "WrongOrigin"),
        ({"Origin": "http://["}, "WrongOrigin"),
        ({"Origin": "http://127.0.0.1:3000"}, "WrongOrigin"),
        ({"Sec-Fetch-Site": "cross-site"}, "WrongOrigin"),
        ({"Sec-Fetch-Site": "same-site"}, "WrongOrigin"),
    ],
)
def test_requests_of_other_pages_are_rejected(headers: dict[str, str], code: str) -> None:
    reply = signed_in().get("/api", headers=headers)
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, code)


@pytest.mark.parametrize(
    "headers",
    [
        [("Host", "127.0.0.1:8090"), ("Host", "evil.example")],
        [("Origin", HOST), ("Origin", "http://evil.example")],
        [("Sec-Fetch-Site", "Cross-Site")],
    ],
)
def test_of_a_header_that_is_sent_twice_each_value_counts(headers: list[tuple[str, str]]) -> None:
    assert signed_in().get("/api", headers=headers).status_code == 403


def test_a_session_of_another_console_on_this_machine_opens_nothing() -> None:
    other = BrowserSessions()
    session = other.open(other.issue())
    cookies = f"tablewright_console_8091={session}; tablewright_console_8090={session}"
    assert client(BrowserSessions()).get("/api", headers={"Cookie": cookies}).status_code == 401


def test_a_change_needs_the_header_of_the_page() -> None:
    signed = signed_in()
    assert signed.post("/api").json()["error"]["code"] == "WrongOrigin"
    assert signed.post("/api", headers={"X-Tablewright-Console": "1", "Origin": HOST}).status_code == 200


def test_the_cookie_is_strict_and_hidden_from_scripts() -> None:
    sessions = BrowserSessions()
    cookie = client(sessions).get("/", params={"token": sessions.issue()}).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert cookie.startswith("tablewright_console_8090=")


@pytest.mark.parametrize("path", ["/", "/api", "/absent"])
def test_every_reply_has_the_security_headers(path: str) -> None:
    for each in (signed_in(), client(BrowserSessions())):
        headers: Any = each.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
