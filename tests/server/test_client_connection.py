"""Client connections: deadlines and limits, with a clock that the tests move."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import pytest
import uvloop

from tablewright.engine.database import Database
from tablewright.server.client_connection import (
    IDLE_TIMEOUT,
    LINGER_TIMEOUT,
    TRANSFER_TIMEOUT,
    ClientConnection,
)
from tablewright.server.host_policy import HostPolicy
from tablewright.server.http_requests import MAX_BODY
from tablewright.server.listener import MAX_BUFFERED_BYTES, MAX_CONNECTIONS, Server
from tablewright.server.service import Service
from tablewright.storage import open_store
from tests.server.raw_http import post

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

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self._writers.append(writer)
        return reader, writer

    async def noticed(self, count: int) -> None:
        """Wait until the server has buffered that many bytes and set a deadline for each sender."""
        while sum(each.buffered_bytes for each in self.server.connections) < count or not all(
            each.deadline <= self.clock.now + TRANSFER_TIMEOUT
            for each in self.server.connections
            if each.buffered_bytes
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


def run_scenario(scenario: Scenario) -> None:
    """Run a scenario with a server."""

    async def run() -> None:
        database = Database(open_store())
        local = LocalServer(Server(database, Service(HostPolicy())))
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
        await local.noticed(len(whole[:cut]))
        local.pass_time(TRANSFER_TIMEOUT - 1)
        assert len(local.server.connections) == 1
        writer.write(whole[cut : cut + 1])
        await local.noticed(len(whole[: cut + 1]))
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


def test_the_client_that_buffers_most_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewright.server.listener.MAX_BUFFERED_BYTES", 1_000_000)
    assert MAX_BUFFERED_BYTES >= 2 * MAX_BODY

    async def scenario(local: LocalServer) -> None:
        modest, greedy = await local.connect(), await local.connect()
        whole = post("ListTables", b"{}" + b" " * 900_000)
        for (_, writer), size in ((modest, 400_000), (greedy, 700_000)):
            writer.write(whole[:size])
        await local.noticed(1_100_000)
        local.server.drop_late()
        assert await is_dropped(greedy[0])
        modest[1].write(whole[400_000:])
        assert b"200 OK" in await modest[0].readuntil(b"\r\n\r\n")

    run_scenario(scenario)


def test_a_further_client_replaces_the_longest_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewright.server.listener.MAX_CONNECTIONS", 3)
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

    run_scenario(scenario)


def test_a_further_client_is_closed_when_all_are_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewright.server.listener.MAX_CONNECTIONS", 3)

    async def scenario(local: LocalServer) -> None:
        welcome = [await local.connect() for _ in range(3)]
        for _, writer in welcome:
            writer.write(post("ListTables")[:-1])
        await local.noticed(3 * len(post("ListTables")[:-1]))
        reader, _ = await local.connect()
        assert await is_dropped(reader)
        for others, writer in welcome:
            writer.write(b"}")
            assert b"200 OK" in await others.readuntil(b"\r\n\r\n")

    run_scenario(scenario)
