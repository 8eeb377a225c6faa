"""A reader ends with the writer, however the writer ends."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest
import uvloop

from tablewright.engine.core.state.shared_counter import SharedCounter
from tablewright.engine.database import Database
from tablewright.engine.reader_database import ReaderDatabase
from tablewright.engine.storage import open_store
from tablewright.server.http_messages import Reply, Request
from tablewright.server.large_requests import PendingClient
from tablewright.server.service import HostPolicy, Service
from tablewright.server.workers.process_links import LARGE_REQUEST, Forwarder
from tablewright.server.workers.reader_process import ReaderBatcher
from tests.engine.test_reader_database import table
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


GET = b'{"TableName":"music","Key":{"artist":{"S":"nina"}}}'


class Recorded(Forwarder):
    """Counts what is forwarded."""

    def __init__(self) -> None:
        super().__init__()
        self.forwarded = 0

    def forward(self, client: PendingClient, request: Request) -> None:
        self.forwarded += 1


class OneRequest:
    """A client with one request."""

    def __init__(self, request: Request) -> None:
        self.operation = "-"
        self.deferred_bytes = 0
        self._request: Request | None = request
        self.replies: list[Reply] = []

    def take(self) -> Request | None:
        request, self._request = self._request, None
        return request

    def send_reply(self, reply: Reply) -> None:
        self.replies.append(reply)


def signed_for(region: bytes) -> dict[bytes, bytes]:
    scope = b"AWS4-HMAC-SHA256 Credential=AKID/20261116/%b/dynamodb/aws4_request, SignedHeaders=host"
    return {b"authorization": scope % region}


@pytest.mark.parametrize(
    ("operation", "body", "headers", "is_forwarded"),
    [
        (b"GetItem", GET, {}, False),
        (b"GetItem", GET, signed_for(b"us-east-1"), False),
        (b"GetItem", GET, signed_for(b"eu-west-1"), True),
        (b"GetItem", GET + b" " * LARGE_REQUEST, {}, True),
        (b"Scan", b'{"TableName":"music"}', {}, False),
        (b"Scan", b'{"TableName":"absent"}', {}, False),
        (b"PutItem", b"{}", {}, True),
        (b"DescribeTable", b'{"TableName":"music"}', {}, True),
        (b"ExecuteStatement", b'{"Statement":"SELECT * FROM music"}', {}, True),
        (b"Unknown", b"{}", {}, True),
    ],
)
def test_reads_of_items_run_in_the_reader(
    tmp_path: Path, operation: bytes, body: bytes, headers: dict[bytes, bytes], is_forwarded: bool
) -> None:
    definitions = SharedCounter.create()
    writer = Database(open_store(tmp_path / "data.db"))
    writer.call("CreateTable", table())
    reader = ReaderDatabase(tmp_path / "data.db", "us-east-1", definitions)
    everything = {
        b"host": b"localhost",
        b"x-amz-target": b"DynamoDB_20120810." + operation,
        b"content-type": b"application/x-amz-json-1.0",
        **headers,
    }
    client = OneRequest(Request(b"POST", b"/", everything, body))
    forwarder = Recorded()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        batcher = ReaderBatcher(reader, Service(HostPolicy()), forwarder, loop)
        batcher.enqueue(client)
        await asyncio.sleep(0.0)
        await asyncio.sleep(0.0)
        batcher.close()

    uvloop.run(run())
    assert (forwarder.forwarded, len(client.replies)) == ((1, 0) if is_forwarded else (0, 1))
    reader.close()
    writer.close()
    definitions.close()
