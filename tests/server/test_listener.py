"""Listener: a stop finishes open requests and loses no acknowledged write; a full disk is survived."""

import asyncio
import json
import resource
import signal
import sys
from pathlib import Path

import pytest

from tablewright.server.listener import run_loop
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection, post
from tests.server.test_wire import make_table

SIGNALS = [signal.SIGTERM, signal.SIGINT]
REQUESTS = 1000
"""Sent at once; less than the server reads ahead, so that closing the connection resets nothing."""


@pytest.mark.parametrize("number", SIGNALS)
def test_an_idle_server_stops_at_once_without_output(number: signal.Signals) -> None:
    with ServerProcess("--memory") as server, RawConnection(server.address) as connection:
        assert connection.call("ListTables", {}).status == 200
        server.signal(number)
        assert connection.receive() is None
        assert server.wait() == (0, "")


@pytest.mark.parametrize("number", SIGNALS)
def test_an_open_request_finishes(number: signal.Signals) -> None:
    whole = post("ListTables")
    with (
        ServerProcess("--memory") as server,
        RawConnection(server.address) as idle,
        RawConnection(server.address) as connection,
    ):
        assert idle.call("ListTables", {}).status == 200
        connection.send(whole[:-1])
        assert idle.call("ListTables", {}).status == 200
        server.signal(number)
        assert idle.receive() is None
        reply = connection.ask(whole[-1:])
        assert (reply.status, reply.headers["connection"]) == (200, "close")
        assert server.wait() == (0, "")


def item(number: int, size: int = 0) -> dict[str, object]:
    return {"TableName": "kept", "Item": {"Artist": {"S": str(number)}, "Text": {"S": "x" * size}}}


def acknowledged_until_stopped(data: str, count: int) -> int:
    """Send many writes at once, stop the server after the first hundred replies; return how many were acknowledged."""
    with ServerProcess("--on", data) as server, RawConnection(server.address) as connection:
        make_table(connection, "kept")
        connection.send(
            b"".join(post("PutItem", json.dumps(item(number)).encode()) for number in range(count))
        )
        for _ in range(100):
            assert connection.receive() is not None
        server.signal()
        acknowledged = 100
        while (reply := connection.receive()) is not None:
            assert reply.status == 200
            acknowledged += 1
        assert server.wait() == (0, "")
        return acknowledged


def test_acknowledged_writes_exist_after_a_restart(tmp_path: Path) -> None:
    for attempt in range(5):
        data = str(tmp_path / f"data-{attempt}.db")
        acknowledged = acknowledged_until_stopped(data, REQUESTS)
        if acknowledged < REQUESTS:
            break
    else:
        pytest.fail("the server was never stopped between two writes")
    with ServerProcess("--on", data) as server, RawConnection(server.address) as connection:
        counted = connection.call("Scan", {"TableName": "kept", "Select": "COUNT"}).json()["Count"]
        assert counted >= acknowledged
        assert connection.call("GetItem", {"TableName": "kept", "Key": {"Artist": {"S": "99"}}}).json()[
            "Item"
        ]


def test_a_full_disk_rejects_writes_and_loses_nothing(tmp_path: Path) -> None:
    """A limit on the file size simulates a full disk: a write beyond it fails the same way."""
    with (
        ServerProcess("--on", str(tmp_path / "data.db")) as server,
        RawConnection(server.address) as connection,
    ):
        make_table(connection, "kept")
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
        statuses = [connection.call("PutItem", item(number, 50_000)).status for number in range(100)]
        assert set(statuses) == {200, 500}
        stored = [number for number, status in enumerate(statuses) if status == 200]
        for number in stored:
            reply = connection.call("GetItem", {"TableName": "kept", "Key": {"Artist": {"S": str(number)}}})
            assert "Item" in reply.json()
        refused = connection.call("PutItem", item(1000, 50_000))
        assert refused.kind == "InternalServerError"
        server.signal()
        assert server.wait()[0] in (0, 2)


@pytest.mark.parametrize("loop", ["uvloop", "asyncio.unix_events"])
def test_a_coroutine_runs_in_a_new_loop_of_uvloop_if_it_is_installed(
    loop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if loop != "uvloop":
        monkeypatch.setitem(sys.modules, "uvloop", None)
    found: list[str] = []

    async def main() -> None:
        found.append(type(asyncio.get_running_loop()).__module__)

    run_loop(main())
    assert found == [loop]


def test_a_server_without_uvloop() -> None:
    """The extra `server` is for speed only."""
    with (
        ServerProcess("--memory", planted="import sys; sys.modules['uvloop'] = None") as server,
        RawConnection(server.address) as connection,
    ):
        make_table(connection, "kept")
        assert connection.call("PutItem", item(1)).status == 200
        server.signal()
        assert server.wait() == (0, "")
