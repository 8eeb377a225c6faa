"""Batching: one commit for requests that arrive together, no reply before it, and no read that waits for it."""

import asyncio
import contextlib
import gzip
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path

import pytest
import uvloop

from tablewright.dynamodb.values.stored_items import LARGE
from tablewright.engine.core.sessions import Authorizer
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.server.batching import POLL_SECONDS, BusyPoll
from tablewright.server.client_connection import ClientConnection
from tablewright.server.listener import Server
from tablewright.server.request_log import ContentFreeFormatter
from tests.server.local_servers import server_of
from tests.server.raw_http import post

CREATE = (
    b'{"TableName":"rounds","KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],'
    b'"AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}'
)
ADD_INDEX = (
    b'{"TableName":"rounds","AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],'
    b'"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"index",'
    b'"KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],'
    b'"Projection":{"ProjectionType":"ALL"}}}]}'
)


class WatchedDatabase(Database):
    """Counts its commits; a test can make it wait before each one."""

    commits = 0
    gate: threading.Event | None = None
    is_broken = False
    breaks_commits = False

    def flush(self) -> None:
        self.commits += 1
        if self.breaks_commits:
            raise RuntimeError
        if self.gate is not None:
            self.gate.wait(20)
        super().flush()

    def call_json(self, operation: str, body: bytes, by: Authorizer | None = None) -> tuple[int, bytes]:
        if self.is_broken:
            raise RuntimeError(body)
        return super().call_json(operation, body, by)


class Client:
    """One connection; it can send requests before it reads replies."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer

    def send(self, operation: str, body: bytes) -> None:
        self.writer.write(post(operation, body))

    async def receive(self) -> tuple[int, bytes]:
        head = await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), 20)
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        return int(head.split()[1]), await self._reader.readexactly(length)

    async def ask(self, operation: str, body: bytes) -> tuple[int, bytes]:
        self.send(operation, body)
        return await self.receive()


def put(key: str) -> bytes:
    return b'{"TableName":"rounds","Item":{"p":{"S":"%b"}}}' % key.encode()


def get(key: str) -> bytes:
    return b'{"TableName":"rounds","Key":{"p":{"S":"%b"}}}' % key.encode()


@asynccontextmanager
async def serving(database: Database, count: int, quick: float) -> AsyncIterator[tuple[Server, list[Client]]]:
    server = server_of(database)
    server.batcher.quick_commit_seconds = quick
    listener = await asyncio.get_running_loop().create_server(
        lambda: ClientConnection(server), "127.0.0.1", 0
    )
    port = listener.sockets[0].getsockname()[1]
    clients = [Client(*await asyncio.open_connection("127.0.0.1", port)) for _ in range(count)]
    try:
        yield server, clients
    finally:
        for client in clients:
            client.writer.close()
            with contextlib.suppress(ConnectionResetError):
                await client.writer.wait_closed()
        listener.close()
        await server.stop()


def run_scenario(
    path: Path | None,
    scenario: Callable[[WatchedDatabase, list[Client]], Awaitable[None]],
    quick: float = -1.0,
) -> None:
    """Run a scenario with sixteen clients and a table; by default, no commit is quick enough to run on the loop."""

    async def run() -> None:
        database = WatchedDatabase(open_store(path))
        try:
            async with serving(database, 16, quick) as (_, clients):
                assert (await clients[0].ask("CreateTable", CREATE))[0] == 200
                await scenario(database, clients)
        finally:
            database.close()

    uvloop.run(run())


async def share_commits(database: WatchedDatabase, clients: list[Client]) -> None:
    database.commits = 0
    for number, client in enumerate(clients):
        client.send("PutItem", put(f"item-{number}"))
    assert [await client.receive() for client in clients] == [(200, b"{}")] * 16
    assert 1 <= database.commits <= 4
    for number in range(16):
        assert (await clients[0].ask("GetItem", get(f"item-{number}")))[1].startswith(b'{"Item"')


@pytest.mark.parametrize("quick", [-1.0, 60.0], ids=["in a thread", "on the loop"])
@pytest.mark.parametrize("place", ["memory", "file"])
def test_writers_share_a_commit(tmp_path: Path, place: str, quick: float) -> None:
    run_scenario(tmp_path / "data.db" if place == "file" else None, share_commits, quick)


def test_reads_do_not_wait_for_a_commit_and_writes_do(tmp_path: Path) -> None:
    async def scenario(database: WatchedDatabase, clients: list[Client]) -> None:
        database.commits = 0
        database.gate = threading.Event()
        writer, reader, later, *_ = clients
        writer.send("PutItem", put("first"))
        while not database.commits:
            await asyncio.sleep(0)
        assert await reader.ask("GetItem", get("first")) == (200, b"{}")
        later.send("PutItem", put("second"))
        replies = [asyncio.ensure_future(writer.receive()), asyncio.ensure_future(later.receive())]
        assert await reader.ask("GetItem", get("second")) == (200, b"{}")
        assert not [reply for reply in replies if reply.done()]
        database.gate.set()
        assert [await reply for reply in replies] == [(200, b"{}")] * 2
        assert (await reader.ask("GetItem", get("second")))[1] == b'{"Item":{"p":{"S":"second"}}}'

    run_scenario(tmp_path / "data.db", scenario)


def test_table_descriptions_show_committed_tables_without_waiting(tmp_path: Path) -> None:
    arn = b'{"ResourceArn":"arn:aws:dynamodb:us-east-1:123456789012:table/rounds"}'
    new = CREATE.replace(b'"rounds"', b'"new"')

    async def scenario(database: WatchedDatabase, clients: list[Client]) -> None:
        database.commits = 0
        database.gate = threading.Event()
        creator, reader, *_ = clients
        creator.send("CreateTable", new)
        while not database.commits:
            await asyncio.sleep(0)
        assert await reader.ask("ListTables", b"{}") == (200, b'{"TableNames":["rounds"]}')
        for operation in ("DescribeTable", "DescribeTimeToLive", "DescribeContinuousBackups"):
            assert (await reader.ask(operation, b'{"TableName":"rounds"}'))[0] == 200
            assert b"NotFoundException" in (await reader.ask(operation, b'{"TableName":"new"}'))[1]
        assert await reader.ask("ListTagsOfResource", arn) == (200, b'{"Tags":[]}')
        database.gate.set()
        assert (await creator.receive())[0] == 200
        assert await reader.ask("ListTables", b"{}") == (200, b'{"TableNames":["new","rounds"]}')

    run_scenario(tmp_path / "data.db", scenario)


def test_an_error_in_a_batch_does_not_affect_the_others(tmp_path: Path) -> None:
    condition = b',"ConditionExpression":"attribute_not_exists(p)"}'

    async def scenario(database: WatchedDatabase, clients: list[Client]) -> None:
        for client in clients:
            client.send("PutItem", put("wanted-by-all")[:-1] + condition)
        replies = [await client.receive() for client in clients]
        assert sorted(status for status, _ in replies) == [200] + [400] * 15
        assert all(b"ConditionalCheckFailedException" in body for status, body in replies if status == 400)

    run_scenario(tmp_path / "data.db", scenario)


def test_a_lengthy_operation_and_writers_take_turns(tmp_path: Path) -> None:
    async def scenario(database: WatchedDatabase, clients: list[Client]) -> None:
        updater, *others = clients
        for number, client in enumerate(others):
            if number == 7:
                updater.send("UpdateTable", ADD_INDEX)
            client.send("PutItem", put(f"item-{number}"))
        assert (await updater.receive())[0] == 200
        assert [(await client.receive())[0] for client in others] == [200] * 15
        counted = await updater.ask("Scan", b'{"TableName":"rounds","IndexName":"index","Select":"COUNT"}')
        assert b'"Count":15' in counted[1]

    run_scenario(tmp_path / "data.db", scenario)


def test_replies_of_a_connection_are_in_the_order_of_its_requests(tmp_path: Path) -> None:
    async def scenario(database: WatchedDatabase, clients: list[Client]) -> None:
        client = clients[0]
        for number in range(20):
            client.send("PutItem", put(f"item-{number}"))
            client.send("GetItem", get(f"item-{number}"))
        for number in range(20):
            assert await client.receive() == (200, b"{}")
            assert await client.receive() == (200, b'{"Item":{"p":{"S":"item-%d"}}}' % number)

    run_scenario(tmp_path / "data.db", scenario)


def test_a_failure_is_reported_to_its_client_and_logged_without_content(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario(database: WatchedDatabase, clients: list[Client]) -> None:
        database.is_broken = True
        reader, writer, *_ = clients
        reader.send("GetItem", get("secret"))
        writer.send("PutItem", put("item"))
        status, body = await reader.receive()
        assert (status, b"InternalServerError" in body) == (500, True)
        assert (await writer.receive())[0] == 200

    run_scenario(None, scenario)
    [record] = caplog.records
    assert record.exc_info is not None
    shown = ContentFreeFormatter("%(message)s").format(record)
    assert "GetItem failed" in shown
    assert "RuntimeError" in shown
    assert "secret" not in shown


@pytest.mark.parametrize("quick", [-1.0, 60.0], ids=["in a thread", "on the loop"])
def test_a_failed_commit_is_reported_to_its_writers_only(
    quick: float, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(database: WatchedDatabase, clients: list[Client]) -> None:
        database.breaks_commits = True
        for number, client in enumerate(clients):
            client.send("PutItem", put(f"item-{number}"))
        for client in clients:
            status, body = await client.receive()
            assert (status, b"InternalServerError" in body) == (500, True)
        database.breaks_commits = False
        assert await clients[0].ask("PutItem", put("later")) == (200, b"{}")
        assert (await clients[1].ask("GetItem", get("later")))[1].startswith(b'{"Item"')

    run_scenario(None, scenario, quick)
    assert {record.message for record in caplog.records} == {"commit failed"}


def test_a_failed_lengthy_operation_gets_a_reply_and_blocks_no_client() -> None:
    async def scenario(database: WatchedDatabase, clients: list[Client]) -> None:
        database.is_broken = True
        updater, writer, *_ = clients
        updater.send("UpdateTable", ADD_INDEX)
        writer.send("PutItem", put("item"))
        assert (await updater.receive())[0] == 500
        assert await writer.receive() == (200, b"{}")

    run_scenario(None, scenario)


class OrderedDatabase(WatchedDatabase):
    """Notes the order of its writes; a large write waits, in its turn, for the test."""

    def __init__(self) -> None:
        super().__init__(open_store())
        self.order: list[str] = []
        self.large_may_end = threading.Semaphore(0)

    def flush(self) -> None:
        self.order.append("small")
        super().flush()

    def call_json_in_turn(
        self,
        operation: str,
        body: bytes,
        turn: Callable[[], AbstractContextManager[object]],
        by: Authorizer | None = None,
    ) -> tuple[int, bytes]:
        with turn():
            self.order.append("large")
            self.large_may_end.acquire(timeout=20)
        return super().call_json(operation, body, by)


def test_small_writes_are_made_between_two_large_ones() -> None:
    async def run() -> None:
        database = OrderedDatabase()
        async with serving(database, 3, 60.0) as (server, [small, *large]):
            assert (await small.ask("CreateTable", CREATE))[0] == 200
            database.order.clear()
            for client in large:
                client.send("PutItem", put("large") + b" " * LARGE)
            # One has its turn, the other waits for its own.
            while not (database.order and server.batcher.waiting_turns):
                await asyncio.sleep(0)
            small.send("PutItem", put("small"))
            while sum(0 < connection.deferred_bytes < LARGE for connection in server.connections) < 1:
                await asyncio.sleep(0)
            database.large_may_end.release()
            assert await small.receive() == (200, b"{}"), "not after the second large write"
            database.large_may_end.release()
            assert [await client.receive() for client in large] == [(200, b"{}")] * 2
        database.close()
        assert database.order == ["large", "small", "large"]

    uvloop.run(run())


def test_large_requests_beyond_the_limit_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compressed body waits as it arrived, and counts with that size."""
    monkeypatch.setattr("tablewright.server.large_requests.MAX_WAITING_BYTES", 1_000_000)
    monkeypatch.setattr("tablewright.server.large_requests.MAX_RUNNING", 0)
    # The requests that wait never end.
    monkeypatch.setattr("tablewright.server.listener.STOP_TIMEOUT", 0.1)

    async def run() -> None:
        database = WatchedDatabase(open_store())
        async with serving(database, 5, -1.0) as (server, [first, modest, packed, large, small]):
            assert (await first.ask("CreateTable", CREATE))[0] == 200
            modest.send("PutItem", put("modest") + b" " * 600_000)
            while not any(connection.deferred_bytes for connection in server.connections):
                await asyncio.sleep(0)
            packed.writer.write(
                post("PutItem", gzip.compress(put("packed") + b" " * 500_000), Content_Encoding="gzip")
            )
            while sum(each.deferred_bytes > 0 for each in server.connections) < 2:
                await asyncio.sleep(0)
            large.send("PutItem", put("large") + b" " * 500_000)
            status, body = await large.receive()
            assert (status, b"ServiceUnavailable" in body) == (503, True)
            assert await small.ask("PutItem", put("small")) == (200, b"{}")
        database.close()

    uvloop.run(run())


class CountingLoop(asyncio.SelectorEventLoop):
    """Counts the callbacks that are scheduled."""

    scheduled = 0

    def call_soon(self, *arguments: object, **options: object) -> asyncio.Handle:
        self.scheduled += 1
        return super().call_soon(*arguments, **options)  # type: ignore[arg-type]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which the test moves."""
    time = [100.0]
    monkeypatch.setattr("tablewright.server.batching.time.perf_counter", lambda: time[0])
    monkeypatch.setattr("tablewright.server.batching.os.cpu_count", lambda: 2)
    return time


def turns(loop: CountingLoop, count: int) -> int:
    """Run turns of the loop; return how many callbacks they scheduled."""
    before = loop.scheduled
    for _ in range(count):
        loop._run_once()  # type: ignore[attr-defined]
    return loop.scheduled - before


def test_the_loop_polls_until_the_time_is_over(now: list[float]) -> None:
    loop = CountingLoop()
    poll = BusyPoll(loop)
    poll.extend()
    poll.extend()
    assert turns(loop, 5) == 5
    now[0] += POLL_SECONDS
    assert turns(loop, 1) == 0
    poll.extend()
    assert turns(loop, 1) == 1
    poll.stop()
    assert turns(loop, 1) == 0
    loop.close()


def test_a_machine_with_one_processor_does_not_poll(
    now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablewright.server.batching.os.cpu_count", lambda: 1)
    loop = CountingLoop()
    BusyPoll(loop).extend()
    assert loop.scheduled == 0
    loop.close()
