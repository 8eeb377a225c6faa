"""Limits: large, slow and flooding clients do not affect other clients."""

import gzip
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tablewright.server.http_requests import MAX_BODY, MAX_HEAD
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection, chunked, post


@pytest.fixture
def connections(server: ServerProcess) -> Iterator[list[RawConnection]]:
    """Several clients at once."""
    with ExitStack() as stack:
        yield [stack.enter_context(RawConnection(server.address)) for _ in range(20)]


def padded(size: int) -> bytes:
    return b"{" + b" " * (size - 2) + b"}"


def test_a_body_of_16_mb_is_served_and_no_byte_more(server: ServerProcess) -> None:
    with RawConnection(server.address) as connection:
        assert connection.ask(post("ListTables", padded(MAX_BODY))).status == 200
        reply = connection.ask(post("ListTables", padded(MAX_BODY + 1)))
        assert (reply.status, reply.headers["connection"]) == (413, "close")
        assert reply.has_good_checksum


def test_the_limit_applies_to_chunked_bodies(server: ServerProcess) -> None:
    megabyte = b" " * 1024 * 1024
    with RawConnection(server.address) as connection:
        assert connection.ask(chunked("ListTables", [b"{}", *[megabyte] * 15])).status == 200
        assert connection.ask(chunked("ListTables", [b"{}", *[megabyte] * 16])).status == 413


def test_the_limit_applies_to_decompressed_bodies(connection: RawConnection) -> None:
    bomb = gzip.compress(padded(MAX_BODY + 1))
    assert len(bomb) < 100_000
    assert connection.ask(post("ListTables", bomb, Content_Encoding="gzip")).status == 413
    assert (
        connection.ask(post("ListTables", gzip.compress(padded(MAX_BODY)), Content_Encoding="gzip")).status
        == 200
    )


def test_the_client_of_a_rejected_large_body_receives_the_reply(connection: RawConnection) -> None:
    connection.send(post("ListTables", b" " * (50 * 1024 * 1024)))
    reply = connection.receive()
    assert reply is not None
    assert reply.status == 413


@pytest.mark.parametrize("place", ["headers", "path"])
def test_headers_over_16_kb_are_rejected(connection: RawConnection, place: str) -> None:
    long = "x" * (MAX_HEAD // 2)
    if place == "headers":
        reply = connection.ask(post("ListTables", Header1=long, Header2=long))
    else:
        reply = connection.ask(post("ListTables", path=f"/{long}{long}"))
    assert (reply.status, reply.headers["connection"]) == (400, "close")


def test_endless_headers_are_cut_off(connection: RawConnection) -> None:
    connection.send(b"POST / HTTP/1.1\r\n" + b"A: b\r\n" * 5000)
    reply = connection.receive()
    assert reply is not None
    assert reply.status == 400


def test_a_connection_that_sends_no_http_is_closed(connection: RawConnection) -> None:
    reply = connection.ask(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 is TLS\r\n\r\n")
    assert (reply.status, reply.kind) == (400, "SerializationException")
    assert connection.receive() is None


def test_slow_and_flooding_clients_do_not_delay_the_others(
    connections: list[RawConnection], connection: RawConnection
) -> None:
    for number, bad in enumerate(connections):
        if number % 4 == 0:
            bad.send(post("ListTables")[:-1])
        elif number % 4 == 1:
            bad.send(post("ListTables", b" " * MAX_BODY)[: MAX_BODY // 8])
        elif number % 4 == 2:
            bad.send(post("ListTables") * 2000)
        else:
            bad.send(b"POST / HTTP/1.1\r\n")
    for _ in range(50):
        assert connection.call("ListTables", {}).status == 200


def test_a_client_that_does_not_read_its_replies_is_served_no_further(
    connection: RawConnection, server: ServerProcess
) -> None:
    """The replies fill the socket buffers; then the server stops reading the client's requests."""
    key = {"TableName": "limits-unread", "Key": {"p": {"S": "1"}}}
    schema = {
        "TableName": "limits-unread",
        "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    assert connection.call("CreateTable", schema).status == 200
    item = key["Key"] | {"text": {"S": "x" * 300_000}}  # type: ignore[operator]
    assert connection.call("PutItem", {"TableName": "limits-unread", "Item": item}).status == 200
    with RawConnection(server.address) as deaf:
        deaf.socket.setblocking(False)
        ask = post("GetItem", b'{"TableName":"limits-unread","Key":{"p":{"S":"1"}}}')
        sent = 0
        while sent < 64 * 1024 * 1024:
            try:
                sent += deaf.socket.send(ask * 1000)
            except BlockingIOError:
                if connection.call("ListTables", {}).status == 200 and _is_stuck(deaf, ask):
                    break
        assert sent < 64 * 1024 * 1024


def _is_stuck(deaf: RawConnection, ask: bytes) -> bool:
    try:
        deaf.socket.send(ask)
    except BlockingIOError:
        return True
    return False


def test_memory_stays_bounded_under_large_bodies(server: ServerProcess) -> None:
    with RawConnection(server.address) as connection:
        for _ in range(10):
            assert connection.ask(post("ListTables", padded(MAX_BODY))).status == 200
    with open(f"/proc/{server.pid}/status") as status:
        resident = next(text for text in status if text.startswith("VmRSS"))
    assert int(resident.split()[1]) < 300_000
