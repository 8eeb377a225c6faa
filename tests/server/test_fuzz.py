"""Random requests: the reply is a success or a 4xx with a type, never a 5xx, and never missing."""

import re
from collections.abc import Iterator

import pytest

from tests.server.fuzzing import TABLES, Fuzzer
from tests.server.processes import ServerProcess
from tests.server.talk import Answer, Line, post

ROUND = 50


@pytest.fixture(scope="module")
def victim() -> Iterator[ServerProcess]:
    """A server whose tables may come to harm."""
    with ServerProcess("--memory") as server:
        with Line(server.address) as line:
            for table in TABLES:
                assert line.call("CreateTable", TABLES[table]).status == 200
        yield server


def is_dynamodbs(answer: Answer) -> bool:
    if answer.status == 200:
        return True
    found = answer.json()
    return (
        400 <= answer.status < 500
        and re.fullmatch(r"[a-z0-9.]+#[A-Za-z]+", found["__type"]) is not None
        and answer.has_good_checksum
    )


def attack(server: ServerProcess, seed: int, count: int) -> dict[int, int]:
    """Send that many spoilt requests; how many got which status."""
    fuzzer = Fuzzer(seed)
    outcomes: dict[int, int] = {}
    with Line(server.address) as line:
        for start in range(0, count, ROUND):
            requests = [fuzzer.request(start + place) for place in range(ROUND)]
            for target, body in requests:
                line.send(post(None, body, X_Amz_Target=target))
            for target, body in requests:
                answer = line.receive()
                assert answer is not None, f"closed after {target} {body[:2000]!r}"
                assert is_dynamodbs(answer), f"{answer.status} {answer.body!r} to {target} {body[:2000]!r}"
                outcomes[answer.status] = outcomes.get(answer.status, 0) + 1
    return outcomes


@pytest.mark.parametrize("seed", range(4))
def test_spoilt_requests(victim: ServerProcess, seed: int) -> None:
    outcomes = attack(victim, seed, 1000)
    assert sum(outcomes.values()) == 1000
    assert outcomes[400] > 500


def test_the_fuzzer_also_gets_through(victim: ServerProcess) -> None:
    """Were every request refused at the door, nothing behind it would be tested."""
    assert attack(victim, 99, 500).get(200, 0) > 10


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 140))
def test_many_more_spoilt_requests(victim: ServerProcess, seed: int) -> None:
    attack(victim, seed, 5000)


def test_spoilt_bytes(victim: ServerProcess) -> None:
    """Heads and bodies with bytes changed: an answer, or a closed connection, and the server lives."""
    whole = post("ListTables", b'{"Limit":1}')
    for place in range(0, len(whole), 3):
        for junk in (b"\x00", b"\r\n\r\n", b"\xff\xfe", b" "):
            with Line(victim.address) as line:
                line.send(whole[:place] + junk + whole[place:])
                line.socket.shutdown(1)
                answer = line.receive()
                assert answer is None or answer.status < 500
    with Line(victim.address) as line:
        assert line.call("ListTables", {}).status == 200
