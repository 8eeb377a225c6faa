"""Limits: large, slow and flooding clients do not affect other clients."""

import gzip
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from subprocess import Popen

import pytest

from tablewright.server.http_messages import MAX_BODY, MAX_HEAD
from tablewright.server.listener import MAX_CONNECTIONS
from tablewright.server.request_bodies import MAX_BODY_BYTES
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
    assert memory(server) < 300


def memory(server: ServerProcess, name: str = "VmRSS") -> int:
    """Resident memory of the server in MB: now, or at its highest (`VmHWM`)."""
    with open(f"/proc/{server.pid}/status") as status:
        found = next(text for text in status if text.startswith(name))
    return int(found.split()[1]) // 1024


def abort(connection: RawConnection) -> None:
    """Close a connection with a reset, as a client that crashes does."""
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.socket.close()


def probes(server: ServerProcess, is_done: Callable[[], bool]) -> list[float]:
    """The seconds that each of many small requests took, until the work beside them is done."""
    seconds: list[float] = []
    while not is_done() or not seconds:
        start = time.monotonic()
        with RawConnection(server.address) as connection:
            assert connection.call("ListTables", {}).status == 200
        seconds.append(time.monotonic() - start)
    return seconds


UPLOAD = post("ListTables", padded(MAX_BODY))[:-100]


UPLOADS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from tests.server.raw_http import RawConnection
from tests.server.test_limits import UPLOAD, abort

address, count = (sys.argv[1], int(sys.argv[2])), int(sys.argv[3])


def upload():
    connection = RawConnection(address)
    connection.send(UPLOAD)
    abort(connection)


with ThreadPoolExecutor(count) as pool:
    for each in [pool.submit(upload) for _ in range(count)]:
        each.result()
"""
"""In a process of their own: threads that send would delay the probes of this process."""


@pytest.fixture
def private_server() -> Iterator[ServerProcess]:
    """A server whose memory no other test has used."""
    with ServerProcess("--memory", forked=False) as server:
        yield server


@pytest.mark.parametrize("uploads", [8, pytest.param(240, marks=pytest.mark.soak)])
def test_aborted_uploads_are_freed_at_once(private_server: ServerProcess, uploads: int) -> None:
    for _ in range(uploads):
        connection = RawConnection(private_server.address)
        connection.send(UPLOAD)
        abort(connection)
    assert memory(private_server, "VmHWM") < 150


@pytest.mark.parametrize(
    ("uploads", "limit"), [(36, None), pytest.param(200, 1.0, marks=pytest.mark.soak)], ids=["36", "200"]
)
def test_parallel_uploads_share_a_limited_memory(
    private_server: ServerProcess, uploads: int, limit: float | None
) -> None:
    host, port = private_server.address
    with Popen([sys.executable, "-c", UPLOADS, host, str(port), str(uploads)]) as clients:
        seconds = probes(private_server, lambda: clients.poll() is not None)
    assert clients.returncode == 0
    assert memory(private_server, "VmHWM") < MAX_BODY_BYTES // 2**20 + 100
    assert memory(private_server) < 150, "everything is freed"
    assert limit is None or max(seconds) < limit


@pytest.mark.parametrize(
    ("clients", "limit"),
    [(1_000, None), pytest.param(2_000, 1.0, marks=pytest.mark.soak)],
    ids=["1000", "2000"],
)
def test_incomplete_requests_lock_no_client_out(
    private_server: ServerProcess, clients: int, limit: float | None
) -> None:
    """More clients than places, each with one byte of a request: the oldest makes room for the next."""
    assert clients > MAX_CONNECTIONS
    with ExitStack() as stack:
        opened = 0

        def open_more() -> bool:
            nonlocal opened
            for _ in range(50):
                stack.enter_context(RawConnection(private_server.address)).send(b"P")
            opened += 50
            return opened >= clients

        seconds = probes(private_server, open_more)
    assert len(seconds) == clients // 50 - 1
    assert limit is None or max(seconds) < limit
