"""Large requests: they do not delay other clients."""

import asyncio
import gc
import json
import signal
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop

from tablewright.dynamodb.values.stored_items import LARGE
from tablewright.engine.storage import open_store
from tablewright.server.http_messages import MAX_BODY
from tablewright.server.large_requests import WorkerThreads, run_logged
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection, post
from tests.server.test_batching import CREATE, WatchedDatabase, get, put, serving

GET = post("GetItem", get("small"))


@pytest.fixture
def file_server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess("--on", str(tmp_path / "data.db")) as process:
        with RawConnection(process.address) as connection:
            assert connection.ask(post("CreateTable", CREATE)).status == 200
        yield process


def of_tiny_elements(size: int) -> bytes:
    """An item that is rejected only after all of it was read: few levels, many elements."""
    rows = b",".join([b"[" + b",".join([b'{"N":"1"}'] * 1000) + b"]"] * (size // 10_003))
    return b'{"TableName":"rounds","Item":{"p":{"S":"1"},"list":[%b]}}' % rows


def has_answer(connection: RawConnection) -> bool:
    connection.socket.setblocking(False)
    try:
        return bool(connection.socket.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False
    finally:
        connection.socket.settimeout(60)


def test_other_clients_are_served_while_a_large_body_is_parsed(file_server: ServerProcess) -> None:
    body = of_tiny_elements(MAX_BODY - 100_000)
    with RawConnection(file_server.address) as large, RawConnection(file_server.address) as connection:
        large.send(post("PutItem", body))
        answered = 0
        while not has_answer(large):
            assert connection.ask(GET if answered % 2 else post("PutItem", put("small"))).status == 200
            answered += 1
        assert large.ask(b"").status == 400
    # Read at once, or on the loop, it leaves time for two or three.
    assert answered > 30


def test_large_and_small_writes_are_all_made(file_server: ServerProcess) -> None:
    """Requests run in any order, but one connection gets its replies in the order of its requests."""
    with RawConnection(file_server.address) as large, RawConnection(file_server.address) as small:
        for number in range(5):
            large.send(
                post("PutItem", put(f"large-{number}") + b" " * LARGE)
                + post("GetItem", get(f"large-{number}"))
            )
            small.send(post("PutItem", put(f"small-{number}")))
        for number in range(5):
            assert large.ask(b"").json() == {}
            assert large.ask(b"").json() == {"Item": {"p": {"S": f"large-{number}"}}}
            assert small.ask(b"").json() == {}
        assert small.call("Scan", {"TableName": "rounds", "Select": "COUNT"}).json()["Count"] == 10


def test_a_large_index_request_takes_its_turn_as_well(file_server: ServerProcess) -> None:
    definition = json.loads(CREATE) | {"TableName": "other"}
    with RawConnection(file_server.address) as connection:
        assert (
            connection.ask(post("CreateTable", json.dumps(definition).encode() + b" " * LARGE)).status == 200
        )
        assert connection.ask(post("DeleteTable", b'{"TableName":"other"}' + b" " * LARGE)).status == 200


def test_a_stop_waits_for_a_large_write(file_server: ServerProcess) -> None:
    whole = post("PutItem", put("large") + b" " * (MAX_BODY - 1000))
    with RawConnection(file_server.address) as idle, RawConnection(file_server.address) as connection:
        connection.send(whole[:-1])
        assert idle.ask(GET).status == 200
        file_server.signal(signal.SIGTERM)
        assert idle.receive() is None, "the server is stopping"
        reply = connection.ask(whole[-1:])
        assert (reply.status, reply.headers["connection"]) == (200, "close")
    assert file_server.wait() == (0, "")


def test_waiting_requests_are_counted_and_discarded_with_their_client() -> None:
    async def run() -> None:
        database = WatchedDatabase(open_store())
        before = sys.getswitchinterval(), gc.isenabled()
        async with serving(database, 6, -1.0) as (server, [first, *clients]):
            assert (await first.ask("CreateTable", CREATE))[0] == 200
            database.commits = 0
            database.gate = threading.Event()
            first.send("PutItem", put("first"))
            while not database.commits:
                await asyncio.sleep(0)
            for number, client in enumerate(clients):
                client.send("PutItem", put(f"large-{number}") + b" " * LARGE)
                while sum(each.deferred_bytes for each in server.connections) < (number + 1) * LARGE:
                    await asyncio.sleep(0)
            # SO_LINGER 0 resets the connection: a client that only closes its sending side still gets its replies.
            leaving = clients[-1].writer.get_extra_info("socket")
            leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            clients[-1].writer.transport.abort()
            while len(server.connections) > 5:
                await asyncio.sleep(0)
            database.gate.set()
            assert [await client.receive() for client in (first, *clients[:-1])] == [(200, b"{}")] * 5
            assert await first.ask("GetItem", get("large-4")) == (200, b"{}")
            assert not [connection for connection in server.connections if connection.deferred_bytes]
            assert (sys.getswitchinterval(), gc.isenabled()) == before
        database.close()

    uvloop.run(run())


def test_jobs_run_in_a_thread_and_callbacks_on_the_loop(caplog: pytest.LogCaptureFixture) -> None:
    events: list[tuple[str, bool | str]] = []

    async def run() -> None:
        workers = WorkerThreads(asyncio.get_running_loop(), "tablewright-test")
        done = asyncio.Event()

        def fail() -> None:
            raise RuntimeError

        def finish(*, succeeded: bool) -> None:
            events.append((threading.current_thread().name, succeeded))
            if len(events) == 4:
                done.set()

        def note() -> None:
            events.append(("job", threading.current_thread().name))

        workers.submit("first", note, finish)
        workers.submit("second", fail, finish)
        workers.submit("third", lambda: None, finish)
        await asyncio.wait_for(done.wait(), 20)
        workers.close()

    asyncio.run(run())
    main = threading.current_thread().name
    assert events == [("job", "tablewright-test"), (main, True), (main, False), (main, True)]
    assert caplog.messages == ["second failed"]


def test_no_more_threads_than_allowed_are_started() -> None:
    async def run() -> int:
        workers = WorkerThreads(asyncio.get_running_loop(), "tablewright-test", count=2)
        both = threading.Barrier(2, timeout=20)
        finished = asyncio.Semaphore(0)
        names = set()

        def job() -> None:
            names.add(threading.get_ident())
            both.wait()

        for _ in range(4):
            workers.submit("job", job, lambda *, succeeded: finished.release())
        for _ in range(4):
            await asyncio.wait_for(finished.acquire(), 20)
        workers.close()
        return len(names)

    assert asyncio.run(run()) == 2


def test_a_failure_is_logged_with_its_name(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise OSError

    assert run_logged(lambda: None, "commit")
    assert not run_logged(fail, "commit")
    assert caplog.messages == ["commit failed"]
