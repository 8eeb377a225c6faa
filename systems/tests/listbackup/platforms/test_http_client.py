"""The HTTP client: errors, retries of reads only, limits, and no secret in any message."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.platforms import http_client
from tablewright_systems.listbackup.platforms.http_client import (
    PlatformClient,
    PlatformRequest,
    RecordNotFound,
    read_request,
)
from tablewright_systems.listbackup.platforms.protocol import (
    CredentialsExpired,
    CredentialsRejected,
    PlatformCredentials,
    PlatformError,
    PlatformUnavailable,
    RateLimited,
    RequestRejected,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = PlatformCredentials(ConnectionType.APIKEY, "sk_secret")
TOKEN = PlatformCredentials(ConnectionType.OAUTH, "sk_secret")


class Server:
    """Returns these replies, and counts the requests and the delays between them."""

    def __init__(self, *replies: httpx.Response | httpx.HTTPError) -> None:
        self.requests: list[httpx.Request] = []
        self.delays: list[float] = []
        self._replies = list(replies)

    def send(self, request: PlatformRequest, credentials: PlatformCredentials = KEY) -> Any:
        transport = httpx.MockTransport(self._reply)
        client = PlatformClient(
            "keap", "https://keap.test", transport=transport, sleep=self.delays.append, now=lambda: NOW
        )
        return client.send(request, credentials, {"authorization": "Bearer sk_secret"})

    def _reply(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self._replies.pop(0)
        if isinstance(reply, httpx.HTTPError):
            raise reply
        return reply


def reply(status: int, body: Any = None, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=body if body is not None else {}, headers=headers)


READ = read_request("/contacts", limit=1, since=None)
WRITE = PlatformRequest("POST", "/contacts", json={})


def test_a_parameter_without_a_value_is_left_out() -> None:
    server = Server(reply(200, {"ok": True}))
    assert server.send(READ) == {"ok": True}
    assert str(server.requests[0].url) == "https://keap.test/contacts?limit=1"


@pytest.mark.parametrize(
    ("status", "credentials", "error"),
    [
        (401, TOKEN, CredentialsExpired),
        (401, KEY, CredentialsRejected),
        (403, TOKEN, CredentialsRejected),
        (404, KEY, RecordNotFound),
        (422, KEY, RequestRejected),
        (302, KEY, RequestRejected),
        (429, KEY, RateLimited),
        (500, KEY, PlatformUnavailable),
    ],
)
def test_each_failure_has_its_error_without_the_secret(
    status: int, credentials: PlatformCredentials, error: type[PlatformError]
) -> None:
    replies = [reply(status, {"message": "the key sk_secret is wrong"}) for _ in range(3)]
    with pytest.raises(error) as raised:
        Server(*replies).send(READ, credentials)
    assert "sk_secret" not in str(raised.value)
    assert f"keap: GET /contacts returned {status}" in str(raised.value)


def test_a_failed_read_is_repeated() -> None:
    server = Server(reply(503), httpx.ReadTimeout("slow"), reply(200, {"ok": True}))
    assert server.send(READ) == {"ok": True}
    assert server.delays == [0.5, 1.0]


def test_a_read_that_fails_three_times_is_given_up() -> None:
    server = Server(*[httpx.ConnectError("sk_secret") for _ in range(3)])
    with pytest.raises(PlatformUnavailable, match=r"keap: GET /contacts failed: ConnectError$"):
        server.send(READ)


def test_a_write_is_never_repeated() -> None:
    server = Server(reply(503), reply(200))
    with pytest.raises(PlatformUnavailable):
        server.send(WRITE)
    assert len(server.requests) == 1


def test_a_redirect_is_not_followed() -> None:
    server = Server(reply(302, location="https://elsewhere.test/"), reply(200))
    with pytest.raises(RequestRejected, match="redirects are not followed"):
        server.send(READ)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "30"}, 30),
        ({"retry-after": "Thu, 01 Jan 2026 00:01:00 GMT"}, 60),
        ({"retry-after": "soon"}, 10),
        ({"x-ratelimit-interval-milliseconds": "10000"}, 10),
        ({"retry-after": "999999"}, 3600),
        ({"retry-after": "0"}, 1),
        ({}, 10),
    ],
)
def test_waits_as_long_as_the_platform_says(headers: dict[str, str], seconds: float) -> None:
    with pytest.raises(RateLimited) as raised:
        Server(reply(429, **headers)).send(READ)
    assert raised.value.retry_after == seconds


def test_a_large_reply_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "MAX_REPLY_BYTES", 100)
    with pytest.raises(RequestRejected, match="more than 100 bytes"):
        Server(reply(200, ["x" * 200])).send(READ)


def test_a_reply_that_is_not_json_is_a_failure_of_the_platform() -> None:
    pages = [httpx.Response(200, text="<html>") for _ in range(3)]
    with pytest.raises(PlatformUnavailable, match="not JSON"):
        Server(*pages).send(READ)


@pytest.mark.parametrize("url", ["http://api.stripe.com", "ftp://api.stripe.com", "api.stripe.com"])
def test_a_platform_must_use_https(url: str) -> None:
    with pytest.raises(ValueError, match="must use https"):
        PlatformClient("stripe", url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8090/keap", "http://localhost:1", "http://[::1]:1"])
def test_a_loopback_address_may_use_http(url: str) -> None:
    PlatformClient("keap", url).close()


def test_a_secret_that_the_message_is_cut_in_is_not_shown_in_part() -> None:
    text = "x" * (http_client.MAX_MESSAGE_LENGTH - 5) + "sk_secret"
    with pytest.raises(RequestRejected) as raised:
        Server(reply(422, {"message": text})).send(READ)
    assert "sk_" not in str(raised.value)


def test_a_secret_that_the_platform_repeats_in_encoded_form_is_not_shown() -> None:
    key = PlatformCredentials(ConnectionType.APIKEY, "k+y/1=")
    with pytest.raises(RequestRejected, match=r"key \*\*\* and \*\*\*") as raised:
        Server(reply(422, {"message": "key k+y/1= and k%2By%2F1%3D"})).send(READ, key)
    assert "%2B" not in str(raised.value)
