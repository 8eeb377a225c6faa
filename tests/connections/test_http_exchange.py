"""HTTP over pooled connections: replies of any form, and no connection is used again after half a reply."""

from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import pytest
from botocore.awsrequest import AWSPreparedRequest
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError
from botocore.httpsession import URLLib3Session

from tablewright.connections.http_exchange import (
    DamagedReply,
    HttpReply,
    check_reply,
    exchange,
    reject_damaged_reply,
)
from tests.connections.scripted_server import ScriptedServer, http_reply

OK = http_reply(b"{}")
REQUEST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
Open = Callable[..., tuple[ScriptedServer, Any]]


@pytest.fixture
def open_pool() -> Iterator[Open]:
    """A server with one open connection in the pool; its first reply has been read."""
    servers: list[ScriptedServer] = []

    def open_connection(
        *replies: bytes | tuple[bytes, ...], timeout: float = 5
    ) -> tuple[ScriptedServer, Any]:
        server = ScriptedServer(OK, *replies).__enter__()
        servers.append(server)
        session = URLLib3Session(timeout=timeout)
        session.send(
            AWSPreparedRequest("POST", server.url, {"Content-Length": "2"}, b"{}", stream_output=False)
        )
        return server, session._manager.connection_from_url(server.url)

    yield open_connection
    for server in servers:
        server.__exit__(None, None, None)


def send(server: ScriptedServer, pool: Any) -> HttpReply:
    reply = exchange(pool, server.url, REQUEST)
    assert reply is not None
    return reply


def test_a_connection_is_used_again(open_pool: Open) -> None:
    server, pool = open_pool(http_reply(b'{"a":1}'))
    for _ in range(3):
        assert send(server, pool).body == b'{"a":1}'
    assert server.connections == 1
    assert server.requests[-1] == ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2", b"{}")


def test_a_pool_without_an_open_connection_has_no_reply(open_pool: Open) -> None:
    server, pool = open_pool(OK)
    taken = pool._get_conn()
    assert exchange(pool, server.url, REQUEST) is None
    taken.close()
    pool.close()
    assert exchange(pool, server.url, REQUEST) is None


CHUNKED = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n'


@pytest.mark.parametrize(
    "reply",
    [
        http_reply(b'{"a":1}'),
        tuple(http_reply(b'{"a":1}')[at : at + 1] for at in range(len(http_reply(b'{"a":1}')))),
        CHUNKED,
        (CHUNKED[:60], CHUNKED[60:]),
        b"HTTP/1.1 100 Continue\r\n\r\n" + http_reply(b'{"a":1}'),
        http_reply(b'{"a":1}', more="Set-Cookie: a\r\nSet-Cookie: b\r\n"),
        http_reply(b'{"a":1}', more="Folded: a\r\n b\r\n"),
        http_reply(b'{"a":1}', more=f"Long: {'x' * 60000}\r\n"),
    ],
    ids=["plain", "byte by byte", "chunked", "chunks", "interim", "repeated", "folded", "long"],
)
def test_replies_of_any_form_are_read(open_pool: Open, reply: bytes | tuple[bytes, ...]) -> None:
    server, pool = open_pool(reply)
    for _ in range(2):
        received = send(server, pool)
        assert (received.status, bytes(received.body)) == (200, b'{"a":1}')
    assert server.connections == 1


@pytest.mark.parametrize(
    "reply",
    [
        (http_reply(b"{}", more="Connection: Close\r\n"), ScriptedServer.CLOSE),
        (b"HTTP/1.0 200 OK\r\n\r\n{}", ScriptedServer.CLOSE),
        (b"HTTP/1.1 200 OK\r\nx-amzn-requestid: 1\r\n\r\n{}", ScriptedServer.CLOSE),
        http_reply(b"{}") + b"more",
    ],
    ids=["close", "HTTP/1.0", "without a length", "too long"],
)
def test_a_connection_that_ends_is_not_used_again(open_pool: Open, reply: bytes | tuple[bytes, ...]) -> None:
    server, pool = open_pool(reply)
    assert send(server, pool).body == b"{}"
    assert exchange(pool, server.url, REQUEST) is None


@pytest.mark.parametrize(
    "reply",
    [
        (ScriptedServer.CLOSE,),
        (OK[:10], ScriptedServer.CLOSE),
        (http_reply(b"x" * 200_000)[:100_000], ScriptedServer.CLOSE),
        (CHUNKED[:60], ScriptedServer.CLOSE),
        (b"nonsense\r\n\r\n", ScriptedServer.CLOSE),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n{", ScriptedServer.CLOSE),
    ],
    ids=["nothing", "head", "body", "chunk", "no HTTP", "a terabyte"],
)
def test_a_cut_reply_is_a_closed_connection(open_pool: Open, reply: tuple[bytes, ...]) -> None:
    server, pool = open_pool(reply)
    with pytest.raises(ConnectionClosedError, match=server.url):
        send(server, pool)
    assert exchange(pool, server.url, REQUEST) is None


def test_a_late_reply_is_a_timeout_and_never_the_reply_of_the_next_request(open_pool: Open) -> None:
    server, pool = open_pool((OK[:20],), timeout=1)
    with pytest.raises(ReadTimeoutError):
        send(server, pool)
    assert exchange(pool, server.url, REQUEST) is None


def test_an_interrupted_request_ends_its_connection(open_pool: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    server, pool = open_pool(OK)

    def interrupt(_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("tablewright.connections.http_exchange._receive", interrupt)
        with pytest.raises(KeyboardInterrupt):
            send(server, pool)
    assert exchange(pool, server.url, REQUEST) is None


def test_a_large_reply_is_read_completely(open_pool: Open) -> None:
    body = bytes(range(256)) * 4000
    server, pool = open_pool(http_reply(body))
    received = send(server, pool)
    assert received.body == body
    assert received.headers["content-length"] == str(len(body))


BODY = b'{"Item":{}}'


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, {}, BODY),
        (200, {"content-length": str(len(BODY)), "x-amz-crc32": str(crc32(BODY))}, BODY),
        (200, {"x-amz-crc32": str(crc32(BODY))}, bytearray(BODY)),
        (400, {"x-amz-crc32": "0"}, b""),
        (503, {}, b"<html>"),
    ],
)
def test_a_reply_as_it_was_sent_is_accepted(status: int, headers: dict[str, str], body: bytes) -> None:
    check_reply(status, headers, body)


@pytest.mark.parametrize(
    ("status", "headers", "body", "problem"),
    [
        (200, {"x-amz-crc32": str(crc32(BODY))}, BODY + b" ", "checksum is"),
        (400, {"x-amz-crc32": "5"}, BODY, "header x-amz-crc32 is 5"),
        (200, {"content-length": "20"}, BODY, "11 of 20 bytes arrived"),
        (200, {}, b"<html>", "not a JSON object"),
        (200, {}, b"", "not a JSON object"),
        (200, {}, BODY[:-3], "not a JSON object"),
    ],
)
def test_a_damaged_reply_is_named(status: int, headers: dict[str, str], body: bytes, problem: str) -> None:
    with pytest.raises(DamagedReply, match=problem):
        check_reply(status, headers, body)


class Operation:
    def __init__(self, output_shape: object) -> None:
        self.output_shape = output_shape


def test_the_event_handler_accepts_headers_in_any_case() -> None:
    reply = {"status_code": 200, "headers": {"X-Amz-Crc32": "5"}, "body": BODY}
    with pytest.raises(DamagedReply):
        reject_damaged_reply(reply, Operation("GetItemOutput"), event_name="before-parse")


def test_an_operation_may_reply_with_nothing() -> None:
    reply = {"status_code": 200, "headers": {"content-length": "0"}, "body": b""}
    reject_damaged_reply(reply, Operation(None))
    with pytest.raises(DamagedReply, match="not a JSON object"):
        reject_damaged_reply(reply, Operation("GetItemOutput"))
