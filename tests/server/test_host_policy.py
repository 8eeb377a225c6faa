"""Host policy: web pages and foreign host names are rejected."""

import pytest

from tablewright.server.host_policy import HostPolicy
from tablewright.server.http_requests import Request


@pytest.mark.parametrize(
    ("host", "is_known"),
    [
        ("localhost", True),
        ("LOCALHOST:8000", True),
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("dynamodb.us-east-1.localhost:8000", True),
        ("db.internal:8000", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example:8000", False),
        ("127.0.0.1,evil.example", False),
        ("localhost@evil.example", False),
        ("", False),
        ("[::1", False),
        ("evil.example,x.localhost", False),
        ("evil.example/.localhost", False),
        # Long enough that a check of only its beginning would accept it.
        ("a" * 190 + ".localhost.evil.example:8000", False),
    ],
)
def test_hosts(host: str, is_known: bool) -> None:
    error = HostPolicy(["db.internal"]).check({b"host": host.encode()})
    assert (error is None) is is_known


@pytest.mark.parametrize(
    ("allowed", "origin", "may_pass"),
    [
        ([], "http://localhost:3000", False),
        ([], "null", False),
        (["http://localhost:3000"], "http://localhost:3000", True),
        (["http://localhost:3000"], "http://localhost:3001", False),
        (["http://localhost:3000/"], "HTTP://localhost:3000", True),
        (["*"], "https://anywhere.example", True),
    ],
)
def test_origins(allowed: list[str], origin: str, may_pass: bool) -> None:
    error = HostPolicy(origins=allowed).check({b"host": b"localhost", b"origin": origin.encode()})
    assert (error is None) is may_pass


def test_any_host_where_our_names_are_not_known() -> None:
    assert HostPolicy(["*"]).check({b"host": b"compose-service:8000"}) is None


def test_the_error_says_what_to_do() -> None:
    error = HostPolicy().check({b"host": b"db.internal"})
    assert error is not None
    assert "--allow-host" in error.message


def test_a_preflight_is_echoed() -> None:
    headers = {
        b"origin": b"http://localhost:3000",
        b"access-control-request-headers": b"x-amz-target",
        b"access-control-request-method": b"POST",
    }
    lines = HostPolicy(origins=["*"]).cors_headers(Request(b"OPTIONS", b"/", headers)).decode().splitlines()
    assert lines == [
        "access-control-allow-origin: *",
        "access-control-expose-headers: x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date",
        "access-control-max-age: 172800",
        "access-control-allow-headers: x-amz-target",
        "access-control-allow-methods: POST",
    ]
