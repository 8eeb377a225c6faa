"""The supervisor: a reader that ends is replaced, and clients are spread over all readers."""

import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection
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
    links = [os.readlink(each) for each in Path(f"/proc/{pid}/fd").iterdir()]
    return sum(link.startswith("socket:") for link in links)
