"""Client connections: deadlines and limits, with a clock that the tests move."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import pytest
import uvloop

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.server.client_connection import (
    ADMISSION_TIMEOUT,
    IDLE_TIMEOUT,
    LINGER_TIMEOUT,
    SLOW_AFTER,
    TRANSFER_TIMEOUT,
    ClientConnection,
)
from tablewright.server.http_messages import MAX_BODY
from tablewright.server.listener import MAX_CONNECTIONS, Server
from tablewright.server.request_bodies import BodyBudget
from tests.server.local_servers import server_of
from tests.server.raw_http import chunked, post

Scenario = Callable[["LocalServer"], Awaitable[None]]


class ManualClock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class LocalServer:
    """A server in this process with a frozen clock, and its clients."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.clock = ManualClock()
        server.time = self.clock
        self.port = 0
        self._writers: list[asyncio.StreamWriter] = []

    async def connect(self, source: str = "127.0.0.1") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(source, 0))
        self._writers.append(writer)
        return reader, writer

    async def noticed(self, count: int) -> None:
        """Wait until the server has buffered that many bytes and set a deadline for each sender."""
        while sum(connection.buffered_bytes for connection in self.server.connections) < count or not all(
            connection.deadline <= self.clock.now + TRANSFER_TIMEOUT
            for connection in self.server.connections
            if connection.buffered_bytes
        ):
            await asyncio.sleep(0)

    def pass_time(self, seconds: float) -> None:
        self.clock.now += seconds
        self.server.drop_late()

    async def clear(self) -> None:
        for writer in self._writers:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


def run_scenario(scenario: Scenario, max_connections: int = MAX_CONNECTIONS) -> None:
    """Run a scenario with a server."""

    async def run() -> None:
        database = Database(open_store())
        local = LocalServer(server_of(database, max_connections))
        listener = await asyncio.get_running_loop().create_server(
            lambda: ClientConnection(local.server), "127.0.0.1", 0
        )
        local.port = listener.sockets[0].getsockname()[1]
        try:
            async with asyncio.timeout(60):
                await scenario(local)
        finally:
            await local.clear()
            listener.close()
            await local.server.stop()
            database.close()

    uvloop.run(run())


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    writer.write(post("ListTables"))
    head = await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
    return head


async def is_dropped(reader: asyncio.StreamReader) -> bool:
    try:
        return await reader.read() == b""
    except ConnectionResetError:
        return True


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0)


def test_an_idle_client_is_dropped_after_the_timeout() -> None:
    async def scenario(local: LocalServer) -> None:
        reader, writer = await local.connect()
        await ask(reader, writer)
        local.pass_time(IDLE_TIMEOUT)
        assert b"200 OK" in await ask(reader, writer)
        local.pass_time(IDLE_TIMEOUT + 1)
        assert await is_dropped(reader)

    run_scenario(scenario)


@pytest.mark.parametrize("cut", [1, 40, -2])
def test_further_bytes_do_not_extend_the_deadline_of_a_request(cut: int) -> None:
    async def scenario(local: LocalServer) -> None:
        reader, writer = await local.connect()
        whole = post("ListTables", b" " * 40)
        writer.write(whole[:cut])
        await until(lambda: any(each.is_arriving for each in local.server.connections))
        local.pass_time(TRANSFER_TIMEOUT - 1)
        (connection,) = local.server.connections
        before = connection.buffered_bytes
        writer.write(whole[cut : cut + 1])
        await until(lambda: connection.buffered_bytes > before)
        local.pass_time(2)
        assert await is_dropped(reader)

    run_scenario(scenario)


def test_a_rejected_client_is_dropped_after_the_linger_timeout() -> None:
    async def scenario(local: LocalServer) -> None:
        reader, writer = await local.connect()
        writer.write(post("ListTables", Content_Length=str(MAX_BODY + 1)))
        assert b"413" in await reader.readuntil(b"\r\n\r\n")
        local.pass_time(LINGER_TIMEOUT + 1)
        while local.server.connections:
            await asyncio.sleep(0)

    run_scenario(scenario)


BODY = b"{}" + b" " * 900_000
LARGE = post("ListTables", BODY)


async def status(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
    return head.split(b"\r\n")[0]


def test_a_large_body_waits_until_another_is_served() -> None:
    async def scenario(local: LocalServer) -> None:
        local.server.bodies = BodyBudget(MAX_BODY)
        first, second = await local.connect(), await local.connect()
        first[1].write(LARGE[:500_000])
        await local.noticed(490_000)
        second[1].write(post("ListTables", b"{}" + b" " * (MAX_BODY - 2)))
        await until(lambda: local.server.bodies.is_exhausted)
        held = sum(connection.buffered_bytes for connection in local.server.connections)
        assert held < MAX_BODY / 2, "the server has not read all of the second body"
        first[1].write(LARGE[500_000:])
        assert b"200 OK" in await status(first[0])
        assert b"200 OK" in await status(second[0]), "it is read when the first is served"
        assert not local.server.bodies.is_exhausted

    run_scenario(scenario)


def test_a_small_request_is_served_while_large_bodies_wait() -> None:
    async def scenario(local: LocalServer) -> None:
        local.server.bodies = BodyBudget(1_000_000)
        uploads = [await local.connect() for _ in range(3)]
        for _, writer in uploads:
            writer.write(LARGE[:300_000])
        await until(lambda: local.server.bodies.is_exhausted)
        other = await local.connect()
        assert b"200 OK" in await ask(*other)

    run_scenario(scenario)


def test_an_aborted_body_is_free_at_once() -> None:
    async def scenario(local: LocalServer) -> None:
        local.server.bodies = BodyBudget(1_000_000)
        aborted, waiting = await local.connect(), await local.connect()
        aborted[1].write(LARGE[:500_000])
        await local.noticed(490_000)
        (connection,) = [each for each in local.server.connections if each.buffered_bytes]
        waiting[1].write(LARGE)
        await until(lambda: local.server.bodies.is_exhausted)
        aborted[1].transport.abort()
        assert b"200 OK" in await status(waiting[0])
        assert connection.buffered_bytes == 0

    run_scenario(scenario)


def test_a_body_that_waits_too_long_is_dropped() -> None:
    async def scenario(local: LocalServer) -> None:
        local.server.bodies = BodyBudget(1_000_000)
        first, waiting = await local.connect(), await local.connect()
        first[1].write(LARGE[:500_000])
        await local.noticed(490_000)
        local.pass_time(1)
        waiting[1].write(LARGE)
        await until(lambda: local.server.bodies.is_exhausted)
        local.clock.now += ADMISSION_TIMEOUT - 1
        local.server.drop_late()
        assert await is_dropped(first[0]), "its own deadline has passed"
        assert b"200 OK" in await status(waiting[0])

    run_scenario(scenario)


def test_a_slow_body_is_dropped_while_others_wait() -> None:
    async def scenario(local: LocalServer) -> None:
        local.server.bodies = BodyBudget(1_000_000)
        slow, waiting = await local.connect(), await local.connect()
        slow[1].write(LARGE[:300_000])
        await local.noticed(290_000)
        local.pass_time(SLOW_AFTER + 1)
        assert len(local.server.connections) == 2, "as long as no client waits, it is not dropped"
        waiting[1].write(LARGE)
        await until(lambda: local.server.bodies.is_exhausted)
        local.pass_time(0)
        assert await is_dropped(slow[0])
        assert b"200 OK" in await status(waiting[0])

    run_scenario(scenario)


def test_a_chunked_body_counts_as_one_of_the_largest_size() -> None:
    async def scenario(local: LocalServer) -> None:
        local.server.bodies = BodyBudget(MAX_BODY)
        first, second = await local.connect(), await local.connect()
        whole = chunked("ListTables", [b"{}", b" " * 400_000])
        first[1].write(whole[:300_000])
        await local.noticed(1)
        second[1].write(LARGE[:300_000])
        await until(lambda: local.server.bodies.is_exhausted)
        first[1].write(whole[300_000:])
        assert b"200 OK" in await status(first[0])
        second[1].write(LARGE[300_000:])
        assert b"200 OK" in await status(second[0])

    run_scenario(scenario)


def test_a_further_client_replaces_the_longest_idle() -> None:
    assert MAX_CONNECTIONS > 100

    async def scenario(local: LocalServer) -> None:
        welcome = [await local.connect() for _ in range(3)]
        for place in (1, 0, 2):
            local.pass_time(1)
            await ask(*welcome[place])
        welcome[1][1].write(b"POST /")
        await local.noticed(1)
        local.pass_time(1)
        newcomer = await local.connect()
        assert b"200 OK" in await ask(*newcomer)
        assert await is_dropped(welcome[0][0])
        assert b"200 OK" in await ask(*welcome[2])
        welcome[1][1].write(post("ListTables").removeprefix(b"POST /"))
        assert b"200 OK" in await welcome[1][0].readuntil(b"\r\n\r\n")

    run_scenario(scenario, max_connections=3)


def test_a_further_client_replaces_the_oldest_incomplete_request() -> None:

    async def scenario(local: LocalServer) -> None:
        welcome = [await local.connect() for _ in range(3)]
        for _, writer in welcome:
            writer.write(post("ListTables")[:-1])
            sent = sum(connection.is_arriving for connection in local.server.connections)
            await until(lambda sent=sent: sum(e.is_arriving for e in local.server.connections) > sent)  # type: ignore[misc]
            local.pass_time(1)
        newcomer = await local.connect()
        assert b"200 OK" in await ask(*newcomer)
        assert await is_dropped(welcome[0][0])
        for others, writer in welcome[1:]:
            writer.write(b"}")
            assert b"200 OK" in await status(others)

    run_scenario(scenario, max_connections=3)


def test_the_address_with_the_most_connections_gives_up_one_first() -> None:

    async def scenario(local: LocalServer) -> None:
        honest = await local.connect()
        await ask(*honest)
        local.pass_time(1)
        others = [await local.connect(source="127.0.0.2") for _ in range(2)]
        for client in others:
            await ask(*client)
        newcomer = await local.connect()
        assert b"200 OK" in await ask(*newcomer)
        assert b"200 OK" in await ask(*honest), "it was idle for longer, but is alone at its address"

    run_scenario(scenario, max_connections=3)


def test_a_further_client_is_closed_when_all_are_busy(monkeypatch: pytest.MonkeyPatch) -> None:

    async def scenario(local: LocalServer) -> None:
        welcome = [await local.connect() for _ in range(3)]
        for client in welcome:
            await ask(*client)
        for connection in local.server.connections:
            monkeypatch.setattr(type(connection), "is_busy", True)
        reader, _ = await local.connect()
        assert await is_dropped(reader)

    run_scenario(scenario, max_connections=3)
