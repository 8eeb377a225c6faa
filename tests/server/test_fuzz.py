"""Random requests: the reply is a success or a 4xx with a type, never a 5xx, and never missing."""

import re
import signal
from collections.abc import Iterator

import pytest

from tests.server.fuzzing import TABLES, Fuzzer
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection, Reply, post

ROUND = 50


@pytest.fixture(scope="module")
def victim() -> Iterator[ServerProcess]:
    """A server of its own: the requests may change or delete its tables."""
    with ServerProcess("--memory") as server:
        with RawConnection(server.address) as connection:
            for table in TABLES:
                assert connection.call("CreateTable", TABLES[table]).status == 200
        yield server


def is_dynamodbs(reply: Reply) -> bool:
    if reply.status == 200:
        return True
    body = reply.json()
    return (
        400 <= reply.status < 500
        and re.fullmatch(r"[a-z0-9.]+#[A-Za-z]+", body["__type"]) is not None
        and reply.has_good_checksum
    )


def attack(server: ServerProcess, seed: int, count: int) -> dict[int, int]:
    """Send that many invalid requests; return how many got each status."""
    fuzzer = Fuzzer(seed)
    outcomes: dict[int, int] = {}
    with RawConnection(server.address) as connection:
        for start in range(0, count, ROUND):
            requests = [fuzzer.request(start + place) for place in range(ROUND)]
            for target, body in requests:
                connection.send(post(None, body, X_Amz_Target=target))
            for target, body in requests:
                reply = connection.receive()
                assert reply is not None, f"closed after {target} {body[:2000]!r}"
                assert is_dynamodbs(reply), f"{reply.status} {reply.body!r} to {target} {body[:2000]!r}"
                outcomes[reply.status] = outcomes.get(reply.status, 0) + 1
    return outcomes


@pytest.mark.parametrize("seed", range(2))
def test_spoilt_requests(victim: ServerProcess, seed: int) -> None:
    outcomes = attack(victim, seed, 1000)
    assert sum(outcomes.values()) == 1000
    assert outcomes[400] > 500


def test_some_random_requests_succeed(victim: ServerProcess) -> None:
    """Some requests succeed: otherwise only the validation would be tested."""
    assert attack(victim, 99, 500).get(200, 0) > 10


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_more_invalid_requests(victim: ServerProcess, seed: int) -> None:
    """20 seeds of 5,000: 100,000 requests."""
    assert sum(attack(victim, seed, 5000).values()) == 5000


FAILS_UNEXPECTEDLY = """
from tablewright.engine.core.operations import get_item
def fail(*arguments):
    raise KeyError("planted")
get_item.run = fail
"""
NEVER_REPLIES = """
from tablewright.server.client_connection import ClientConnection
send_reply = ClientConnection.send_reply
def lose_some(connection, reply):
    if connection.operation != "ListTables":
        send_reply(connection, reply)
ClientConnection.send_reply = lose_some
"""


@pytest.mark.parametrize(
    ("planted", "error"),
    [(FAILS_UNEXPECTEDLY, AssertionError), (NEVER_REPLIES, TimeoutError)],
    ids=["a 500", "a missing reply"],
)
def test_planted_bugs_are_found(
    monkeypatch: pytest.MonkeyPatch, planted: str, error: type[Exception]
) -> None:
    with ServerProcess("--memory", planted=planted) as server:
        with RawConnection(server.address) as connection:
            for table in TABLES:
                assert connection.call("CreateTable", TABLES[table]).status == 200
        if error is TimeoutError:
            monkeypatch.setattr("tests.server.raw_http.TIMEOUT_SECONDS", 2.0)
        with pytest.raises(error):
            attack(server, 1, 1000)
        server.signal(signal.SIGKILL)  # it would wait for the reply that never comes
        server.wait()


def test_spoilt_bytes(victim: ServerProcess) -> None:
    """Requests with changed bytes get a reply or a closed connection, and the server keeps running."""
    whole = post("ListTables", b'{"Limit":1}')
    for place in range(0, len(whole), 3):
        for junk in (b"\x00", b"\r\n\r\n", b"\xff\xfe", b" "):
            with RawConnection(victim.address) as connection:
                connection.send(whole[:place] + junk + whole[place:])
                connection.socket.shutdown(1)
                reply = connection.receive()
                assert reply is None or reply.status < 500
    with RawConnection(victim.address) as connection:
        assert connection.call("ListTables", {}).status == 200
