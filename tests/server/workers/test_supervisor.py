"""The supervisor: a reader that ends is replaced, and clients are spread over all readers."""

import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tablewright.cli import main
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection, post
from tests.server.replica_servers import wait_until
from tests.server.test_wire import make_table
from tests.server.workers.process_trees import readers_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")


def test_a_killed_reader_is_replaced(tmp_path: Path) -> None:
    with ServerProcess("--on", str(tmp_path / "data.db"), "--workers", "2") as server:
        with RawConnection(server.address) as connection:
            make_table(connection, "music")
        first = readers_of(server.pid)
        assert len(first) == 2
        for killed in first:
            os.kill(killed, signal.SIGKILL)
        wait_until(lambda: len(readers_of(server.pid) - first) == 2)
        with RawConnection(server.address) as connection:
            assert connection.call("ListTables", {}).json() == {"TableNames": ["music"]}
        server.signal()
        code, errors = server.wait()
        assert code == 0
        assert errors.count("a reader ended with status -9 and is replaced") == 2


def test_clients_are_spread_over_all_readers(tmp_path: Path) -> None:
    with ServerProcess("--on", str(tmp_path / "data.db"), "--workers", "3") as server, ExitStack() as stack:
        clients = [stack.enter_context(RawConnection(server.address)) for _ in range(9)]
        for client in clients:
            assert client.call("ListTables", {}).status == 200
        counts = [_sockets(reader) for reader in readers_of(server.pid)]
        assert max(counts) == min(counts)


def _sockets(pid: int) -> int:
    links = [os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir()]
    return sum(link.startswith("socket:") for link in links)


NINA = {"Key": {"Artist": {"S": "nina"}}, "ConsistentRead": True}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server with workers, shared: each test creates its own table."""
    data = str(tmp_path_factory.mktemp("workers") / "data.db")
    with ServerProcess("--on", data, "--workers", "2") as process:
        yield process


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """The name of a test's table."""
    return str(request.node.name)


def connections(server: ServerProcess, count: int, stack: ExitStack) -> list[RawConnection]:
    """Connections that are spread over all readers."""
    return [stack.enter_context(RawConnection(server.address)) for _ in range(count)]


def put(connection: RawConnection, name: str, number: int, size: int = 1) -> None:
    item = {"Artist": {"S": "nina"}, "n": {"N": str(number)}, "text": {"S": "x" * size}}
    assert connection.call("PutItem", {"TableName": name, "Item": item}).status == 200


def read(connection: RawConnection, name: str) -> dict[str, Any]:
    reply = connection.call("GetItem", NINA | {"TableName": name})
    assert reply.status == 200
    item: dict[str, Any] = reply.json()["Item"]
    return item


def test_an_acknowledged_write_is_read_on_every_connection(server: ServerProcess, name: str) -> None:
    with ExitStack() as stack:
        clients = connections(server, 6, stack)
        make_table(clients[0], name)
        for number in range(60):
            put(clients[number % 6], name, number)
            assert {read(client, name)["n"]["N"] for client in clients} == {str(number)}


def test_tables_are_created_and_deleted_for_every_connection(server: ServerProcess, name: str) -> None:
    with ExitStack() as stack:
        clients = connections(server, 4, stack)
        for _ in range(5):
            make_table(clients[0], name)
            assert {client.call("GetItem", NINA | {"TableName": name}).status for client in clients} == {200}
            assert clients[1].call("DeleteTable", {"TableName": name}).status == 200
            assert {client.call("GetItem", NINA | {"TableName": name}).status for client in clients} == {400}


def test_large_requests_and_replies(server: ServerProcess, name: str) -> None:
    with ExitStack() as stack:
        clients = connections(server, 2, stack)
        make_table(clients[0], name)
        put(clients[0], name, 1, size=390_000)
        assert {len(read(client, name)["text"]["S"]) for client in clients} == {390_000}


def test_requests_in_a_row_are_answered_in_order(server: ServerProcess, name: str) -> None:
    """Reads are run by the reader and writes by the writer; the replies of a connection keep their order."""
    with ExitStack() as stack:
        (client,) = connections(server, 1, stack)
        make_table(client, name)
        for number in range(30):
            item = {"Artist": {"S": "nina"}, "n": {"N": str(number)}}
            client.send(post("PutItem", json.dumps({"TableName": name, "Item": item}).encode()))
            client.send(post("GetItem", json.dumps(NINA | {"TableName": name}).encode()))
        for number in range(30):
            written, found = client.receive(), client.receive()
            assert written is not None
            assert found is not None
            assert written.json() == {}
            assert found.json()["Item"]["n"] == {"N": str(number)}


def test_contributor_insights_count_the_reads_of_all_workers(server: ServerProcess, name: str) -> None:
    with ExitStack() as stack:
        clients = connections(server, 4, stack)
        make_table(clients[0], name)
        put(clients[0], name, 1)
        enable = {"TableName": name, "ContributorInsightsAction": "ENABLE"}
        assert clients[0].call("UpdateContributorInsights", enable).status == 200
        assert {read(client, name)["n"]["N"] for client in clients} == {"1"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_finishes_open_requests(tmp_path: Path, number: signal.Signals) -> None:
    whole = post("ListTables")
    with (
        ServerProcess("--on", str(tmp_path / "data.db"), "--workers", "2") as server,
        RawConnection(server.address) as idle,
        RawConnection(server.address) as of_the_other_reader,
        RawConnection(server.address) as connection,
    ):
        assert idle.call("ListTables", {}).status == 200
        connection.send(whole[:-1])
        assert idle.call("ListTables", {}).status == 200
        server.signal(number)
        assert idle.receive() is None
        assert of_the_other_reader.receive() is None
        reply = connection.ask(whole[-1:])
        assert (reply.status, reply.headers["connection"]) == (200, "close")
        assert server.wait() == (0, "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--memory", "--workers", "2"], "--workers needs a data file"),
        (["--workers", "0"], "must be auto or a number from 1 to 64, got '0'"),
        (["--workers", "65"], "must be auto or a number from 1 to 64, got '65'"),
        (["--workers", "many"], "must be auto or a number from 1 to 64, got 'many'"),
    ],
)
def test_workers_are_checked(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.suppress(SystemExit):
        assert main(["serve", *options]) == 2
    assert message in capsys.readouterr().err
