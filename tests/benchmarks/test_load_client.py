"""The load client counts replies and failures, in C and in Python alike."""

import shutil
from collections.abc import Iterator

import pytest

from benchmarks.wire import load
from benchmarks.wire.workloads import message
from tests.server.processes import ServerProcess

LIST = message("ListTables", {})
INVALID = message("GetItem", {"TableName": "absent", "Key": {"pk": {"S": "1"}}})


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with ServerProcess("--memory") as process:
        yield process


@pytest.mark.parametrize("language", ["C", "Python"])
def test_replies_and_failures_are_counted(
    language: str, server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    if language == "Python":
        monkeypatch.setattr(load, "_compiled", lambda: None)
    elif shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    assert language in load.client_name()
    done = _drive(server, [LIST], 3)
    assert (done.replies > 3, done.failed) == (True, 0)
    assert done.rate == pytest.approx(done.replies / done.seconds)
    half = _drive(server, [LIST, INVALID], 1)
    assert half.failed in (half.replies // 2, (half.replies + 1) // 2)
    assert half.failed > 0


def _drive(server: ServerProcess, requests: list[bytes], connections: int) -> load.Load:
    """Load the server for a short time, and longer where a busy machine gives too few replies."""
    done = load.drive(server.address, requests, connections, 0.05)
    return done if done.replies > 3 else load.drive(server.address, requests, connections, 5.0)
