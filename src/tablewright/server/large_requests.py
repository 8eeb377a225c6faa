"""Large requests, in worker threads: bodies that take long to copy, hash, decompress and parse, and long reads.

A thread alone is not enough, because all threads share one interpreter. So the JSON is parsed and freed in small pieces
(see `values.large_json`), threads switch more often while a large request runs, and the garbage collector, which would
scan millions of new objects again and again, is off until the request is done; its objects are freed without the
collector.
"""

import asyncio
import contextlib
import gc
import logging
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, Protocol

from tablewright.engine.database import Database
from tablewright.server.http_messages import INTERNAL_FAILURE, SERVICE_UNAVAILABLE, Reply, Request
from tablewright.server.service import EngineCall, Service, target_of


class PendingClient(Protocol):
    """A connection that the batcher serves."""

    operation: str
    """The operation that is being run, for the log."""

    deferred_bytes: int
    """The size of a request that waits for its turn."""

    def take(self) -> Request | None:
        """The next request, if it has arrived completely."""

    def send_reply(self, reply: Reply) -> None:
        """Send the reply to the request last taken."""


_log = logging.getLogger("tablewright.server")


class OnFinished(Protocol):
    """Called on the event loop after a job, also after one that failed."""

    def __call__(self, *, succeeded: bool) -> None:
        """Continue after the job."""


def run_logged(job: Callable[[], None], name: str) -> bool:
    """Run a job and return whether it succeeded; a failure is logged as "<name> failed"."""
    try:
        job()
    except Exception:
        _log.exception("%s failed", name)
        return False
    return True


class WorkerThreads:
    """Up to `count` threads that run jobs in order, named for logs and debuggers."""

    def __init__(self, loop: asyncio.AbstractEventLoop, name: str, count: int = 1) -> None:
        self._loop = loop
        self._name = name
        self._count = count
        self._jobs: queue.SimpleQueue[tuple[str, Callable[[], None], OnFinished] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def submit(self, name: str, job: Callable[[], None], on_finished: OnFinished) -> None:
        """Run the job in a thread, then `on_finished` on the event loop, also if the job failed."""
        if len(self._threads) < self._count:
            self._threads.append(threading.Thread(target=self._run_jobs, name=self._name, daemon=True))
            self._threads[-1].start()
        self._jobs.put((name, job, on_finished))

    def close(self, *, wait: bool = True) -> None:
        """End the threads after the jobs submitted so far; do not wait if these jobs may wait for the event loop."""
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads if wait else ():
            thread.join()

    def _run_jobs(self) -> None:
        while (entry := self._jobs.get()) is not None:
            name, job, on_finished = entry
            succeeded = run_logged(job, name)
            with contextlib.suppress(RuntimeError):  # the loop may have ended meanwhile
                self._loop.call_soon_threadsafe(partial(on_finished, succeeded=succeeded))


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
        if sum(waiting.size for waiting in self._waiting) + request.size > MAX_WAITING_BYTES:
            client.send_reply(SERVICE_UNAVAILABLE)
            return
        target = target_of(request.headers.get(b"x-amz-target", b""))
        client.operation = target.operation if target else "-"
        # On the event loop: two threads could open the same region.
        database = self._regions.database(
            self._service.region_of(request), may_write=target is not None and target.may_write
        )
        self._wait(_Waiting(client, request.size, lambda: self._reply(request, database)))

    def run_read(self, client: PendingClient, call: EngineCall, database: Database) -> None:
        """Run a read that takes long, as `run` does."""
        size = len(call.body)
        self._wait(_Waiting(client, size, lambda: _read_reply(call, database)))

    def _wait(self, waiting: "_Waiting") -> None:
        waiting.client.deferred_bytes = waiting.size
        self._waiting.append(waiting)
        self._start_waiting()

    def discard(self, client: PendingClient) -> None:
        """Do not run the waiting request of this client."""
        self._waiting = deque(waiting for waiting in self._waiting if waiting.client is not client)

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


def _read_reply(call: EngineCall, database: Database) -> Reply:
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
