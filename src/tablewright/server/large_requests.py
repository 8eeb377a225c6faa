"""Large requests, in worker threads: bodies that take long to copy, hash, decompress and parse, and long reads.

A thread alone is not enough, because all threads share one interpreter. So the JSON is parsed and freed in small pieces
(see `values.large_json`), threads switch more often while a large request runs, and the garbage collector, which would
scan millions of new objects again and again, is off until the request is done; its objects are freed without the
collector.
"""

import asyncio
import gc
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from tablewright.engine.database import Database
from tablewright.server.http_replies import INTERNAL_FAILURE, SERVICE_UNAVAILABLE, Reply
from tablewright.server.http_requests import Request
from tablewright.server.pending_client import PendingClient
from tablewright.server.service import Call, Service, target_of
from tablewright.server.worker_thread import WorkerThreads

# At the same time: a slow request must not delay all others, and many would delay the event loop.
MAX_RUNNING = 2
# Of all that wait. Compressed bodies are decompressed only when they run.
MAX_WAITING_BYTES = 256 * 1024 * 1024
# Seconds after which a running thread lets another have the interpreter. Python's default is ten times as long: good
# for threads that share work, but here the event loop serves all other clients.
SWITCH_INTERVAL = 0.0005


class Databases(Protocol):
    """The databases of the regions of a server."""

    def database(self, region: str | None, *, may_write: bool) -> Database:
        """The database of a region; None means the default region."""

    def flush(self) -> None:
        """Make everything staged durable, in all regions."""


class LargeRequests:
    """Runs large requests, a few at a time. A request that writes waits for its turn among the writers."""

    def __init__(
        self,
        regions: Databases,
        service: Service,
        loop: asyncio.AbstractEventLoop,
        request_write_turn: Callable[[threading.Event], None],
        end_write_turn: Callable[[], None],
    ) -> None:
        self._regions = regions
        self._service = service
        self._loop = loop
        self._request_write_turn = request_write_turn
        self._end_write_turn = end_write_turn
        self._workers = WorkerThreads(loop, "tablewright-large", MAX_RUNNING)
        self._waiting: deque[_Waiting] = deque()
        self._running = 0
        self._restore_switching: Callable[[], None] = lambda: None

    def run(self, client: PendingClient, request: Request) -> None:
        """Run the request as soon as fewer than `MAX_RUNNING` others run."""
        if sum(each.size for each in self._waiting) + request.size > MAX_WAITING_BYTES:
            client.send_reply(SERVICE_UNAVAILABLE)
            return
        target = target_of(request.headers.get(b"x-amz-target", b""))
        client.operation = target.operation if target else "-"
        # On the event loop: two threads could open the same region.
        database = self._regions.database(
            self._service.region_of(request), may_write=target is not None and target.may_write
        )
        self._wait(_Waiting(client, request.size, lambda: self._reply(request, database)))

    def run_read(self, client: PendingClient, call: Call, database: Database) -> None:
        """Run a read that takes long, as `run` does."""
        size = len(call.body)
        self._wait(_Waiting(client, size, lambda: _read_reply(call, database)))

    def _wait(self, waiting: "_Waiting") -> None:
        waiting.client.deferred_bytes = waiting.size
        self._waiting.append(waiting)
        self._start_waiting()

    def discard(self, client: PendingClient) -> None:
        """Do not run the waiting request of this client."""
        self._waiting = deque(each for each in self._waiting if each.client is not client)

    def close(self) -> None:
        """Start no more requests."""
        self._waiting.clear()
        self._workers.close(wait=False)

    def _start_waiting(self) -> None:
        while self._waiting and self._running < MAX_RUNNING:
            if not self._running:
                self._restore_switching = _switch_threads_often()
            self._running += 1
            self._start(self._waiting.popleft())

    def _start(self, waiting: "_Waiting") -> None:
        replies: list[Reply] = []
        client = waiting.client

        def run() -> None:
            replies.append(waiting.run())

        def finish(*, succeeded: bool) -> None:
            client.deferred_bytes = 0
            self._running -= 1
            if not self._running:
                self._restore_switching()
            client.send_reply(replies[0] if succeeded else INTERNAL_FAILURE)
            self._start_waiting()

        self._workers.submit(client.operation, run, finish)

    def _reply(self, request: Request, database: Database) -> Reply:
        """In the worker thread: run the request."""
        call = self._service.admit_large(request)
        if isinstance(call, Reply):
            return call
        return call.reply(
            *database.call_json_in_turn(call.target.operation, call.body, self._write_turn, call.by)
        )

    @contextmanager
    def _write_turn(self) -> Iterator[None]:
        """In the worker thread: wait for a turn among the writers, and end the turn after the write."""
        turn = threading.Event()
        self._loop.call_soon_threadsafe(self._request_write_turn, turn)
        turn.wait()
        try:
            yield
        finally:
            self._loop.call_soon_threadsafe(self._end_write_turn)


class _Waiting(NamedTuple):
    """A request that waits for a thread, and the function that runs it there."""

    client: PendingClient
    size: int
    run: Callable[[], Reply]


def _read_reply(call: Call, database: Database) -> Reply:
    """In the worker thread: run the read."""
    return call.reply(*database.read_json(call.target.operation, call.body, call.by))


def _switch_threads_often() -> Callable[[], None]:
    """Switch threads more often, with the garbage collector off; the returned function restores both."""
    interval, collects = sys.getswitchinterval(), gc.isenabled()
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.disable()

    def restore() -> None:
        sys.setswitchinterval(interval)
        if collects:
            gc.enable()

    return restore
