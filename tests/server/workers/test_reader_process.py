"""A reader ends with the writer, however the writer ends."""

import signal
import sys
from pathlib import Path

import pytest

from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection
from tests.server.replica_servers import wait_until
from tests.server.test_wire import make_table
from tests.server.workers.process_trees import is_running, readers_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")


def test_readers_of_a_killed_writer_end(tmp_path: Path) -> None:
    options = ("--on", str(tmp_path / "data.db"), "--workers", "2")
    with ServerProcess(*options) as server, RawConnection(server.address) as connection:
        make_table(connection, "music")
        readers = readers_of(server.pid)
        server.signal(signal.SIGKILL)
        server.wait()
        assert connection.receive() is None, "the connection is closed"
        wait_until(lambda: not any(map(is_running, readers)))
    with ServerProcess(*options) as server, RawConnection(server.address) as connection:
        assert connection.call("ListTables", {}).json() == {"TableNames": ["music"]}
