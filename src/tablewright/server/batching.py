"""Batching: requests that arrive together are served together.

In one turn of the event loop, first all sockets are read, then all requests are run, then their writes are committed
once, then all replies are sent. Two reasons, both measured:

- One commit makes a whole batch durable, and no reply is sent before it.
- Code that runs many times in a row runs with warm caches. Reading, running and replying to one request after the other
  takes almost twice the time a request, because each system call cools the caches and the branch predictor.

A quick commit (in memory, or on a fast disk) is made on the event loop. A slow commit is made in a worker thread, so
that a slow disk does not delay reads; writes that arrive meanwhile are deferred to the next commit.

Large requests are decompressed, parsed and validated in worker threads (see `LargeRequests`), and wait for a turn only
to write. Between two such turns the deferred writes of all other clients are made. A read that turns out to be long is
given up (see `engine.core.sessions`) and repeated in such a thread.
"""

import asyncio
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from tablewright.engine.core.sessions import QUICK_READS, LongRead
from tablewright.engine.database import Database, StagedReply
from tablewright.server.content_encoding import LargeBody
from tablewright.server.http_messages import INTERNAL_FAILURE, Reply, Request
from tablewright.server.large_requests import (
    Databases,
    LargeRequests,
    OnFinished,
    PendingClient,
    WorkerThreads,
)
from tablewright.server.service import EngineCall, Service

# Longer than a client on the same machine needs to send its next request.
POLL_SECONDS = 0.0003


class BusyPoll:
    """Keeps the event loop polling for the next request until `POLL_SECONDS` after the last call of `extend`.

    To put a thread to sleep and wake it costs more than to read an item: a client that sends one request after the
    other got its replies half again as fast once the loop polled between them. The cost is 0.3 ms of one core after the
    last request of a burst, so a machine with a single core, which the client needs as well, does not poll.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._until = 0.0
        self._is_polling = False
        self._is_enabled = (os.cpu_count() or 1) > 1

    def extend(self) -> None:
        """Poll for `POLL_SECONDS` from now."""
        self._until = time.perf_counter() + POLL_SECONDS
        if self._is_enabled and not self._is_polling:
            self._is_polling = True
            self._loop.call_soon(self._poll)

    def stop(self) -> None:
        """Let the loop sleep as soon as it is idle: a worker thread needs the interpreter more."""
        self._until = 0.0

    def _poll(self) -> None:
        """Run one more turn of the loop; because this callback is scheduled, it polls sockets without waiting."""
        if time.perf_counter() < self._until:
            self._loop.call_soon(self._poll)
        else:
            self._is_polling = False


T = TypeVar("T")

_log = logging.getLogger("tablewright.server")

# To hand a commit to a thread and be notified of its end costs a third of this; an expensive request takes as long.
QUICK_COMMIT_SECONDS = 0.001
# The weight of the last commit in the moving average of commit times.
_WEIGHT = 0.2


class Batcher:
    """Serves the clients whose bytes have arrived, one request of each client in a batch."""

    def __init__(self, regions: Databases, service: Service, loop: asyncio.AbstractEventLoop) -> None:
        self._regions = regions
        self._service = service
        self._loop = loop
        self._writer_thread = WorkerThreads(loop, "tablewright-commits")
        self._large = LargeRequests(regions, service, loop, self._request_write_turn, self._end_write_turn)
        self._busy_poll = BusyPoll(loop)
        self.quick_commit_seconds = QUICK_COMMIT_SECONDS
        """Commits that take longer than this are made in a thread."""
        self._commit_seconds = 0.0
        self._ready: list[PendingClient] = []
        self._staged: list[tuple[PendingClient, EngineCall, StagedReply]] = []
        self._deferred: list[tuple[PendingClient, EngineCall]] = []
        self._write_turns: deque[threading.Event] = deque()
        self._writer_is_busy = False
        self._deferred_go_first = False

    @property
    def waiting_turns(self) -> int:
        """How many large requests wait to write."""
        return len(self._write_turns)

    def enqueue(self, client: PendingClient) -> None:
        """Serve this client in the next batch."""
        if not self._ready:
            self._loop.call_soon(self._run_batch)
        self._ready.append(client)

    def discard(self, client: PendingClient) -> None:
        """Do not run the deferred request of this client."""
        client.deferred_bytes = 0
        self._deferred = [(other, call) for other, call in self._deferred if other is not client]
        self._large.discard(client)

    def close(self) -> None:
        """Stop the worker threads."""
        self._large.close()
        self._writer_thread.close()

    def _run_batch(self) -> None:
        ready, self._ready = self._ready, []
        self._busy_poll.extend()
        taken = [(client, client.take()) for client in ready]
        replies = []
        for client, request in taken:
            if request is not None and (reply := self._attempt(self._run, client, request)) is not None:
                replies.append((client, reply))
        for client, reply in replies:
            client.send_reply(reply)
        if self._staged and not self._writer_is_busy:
            self._commit()

    def _attempt(
        self, run: Callable[[PendingClient, T], Reply | None], client: PendingClient, argument: T
    ) -> Reply | None:
        """Run a request. If it fails, only its client gets an error: the others in the batch are still served."""
        try:
            return run(client, argument)
        except Exception:
            _log.exception("%s failed", client.operation)
            return INTERNAL_FAILURE

    def _run(self, client: PendingClient, request: Request) -> Reply | None:
        """The reply, or None when it has to wait for a commit or a thread."""
        try:
            call = self._service.admit(request)
        except LargeBody:
            self._large.run(client, request)
            return None
        if isinstance(call, Reply):
            return call
        client.operation = call.target.operation
        if not call.target.may_write:
            return self._read(client, call)
        if self._writer_is_busy or (call.target.is_lengthy and self._staged):
            client.deferred_bytes = len(call.body)
            self._deferred.append((client, call))
            return None
        if call.target.is_lengthy:
            self._run_in_thread(client, call)
            return None
        return self._stage(client, call)

    def _database(self, call: EngineCall) -> Database:
        return self._regions.database(call.region, may_write=call.target.may_write)

    def _read(self, client: PendingClient, call: EngineCall) -> Reply | None:
        """The reply, or None for a long read, which is repeated in a thread."""
        database = self._database(call)
        try:
            with QUICK_READS:
                return call.reply(*database.call_json(call.target.operation, call.body, call.by))
        except LongRead:
            self._large.run_read(client, call, database)
            return None

    def _stage(self, client: PendingClient, call: EngineCall) -> Reply | None:
        database = self._database(call)
        try:
            with QUICK_READS:
                staged = database.stage_json(call.target.operation, call.body, call.by)
        except LongRead:  # of a SELECT
            self._large.run_read(client, call, database)
            return None
        if staged.group is None:
            return call.reply(staged.status, staged.body)
        self._staged.append((client, call, staged))
        return None

    def _commit(self) -> None:
        staged, self._staged = self._staged, []

        def send_replies(*, succeeded: bool) -> None:
            for client, call, reply in staged:
                client.send_reply(call.reply(*reply.settled()) if succeeded else INTERNAL_FAILURE)

        if self._commit_seconds > self.quick_commit_seconds:
            self._submit_write("commit", self._flush, send_replies)
        else:
            send_replies(succeeded=self._flush_here())
            self._run_deferred()

    def _flush_here(self) -> bool:
        """Commit on the event loop, and return whether that succeeded."""
        try:
            self._flush()
        except Exception:
            _log.exception("commit failed")
            return False
        return True

    def _flush(self) -> None:
        start = time.perf_counter()
        self._regions.flush()
        self._commit_seconds += _WEIGHT * (time.perf_counter() - start - self._commit_seconds)

    def _run_in_thread(self, client: PendingClient, call: EngineCall) -> None:
        results: list[tuple[int, bytes]] = []

        def send_reply(*, succeeded: bool) -> None:
            client.send_reply(call.reply(*results[0]) if succeeded else INTERNAL_FAILURE)

        database = self._database(call)

        def run() -> None:
            results.append(database.call_json(call.target.operation, call.body, call.by))

        self._submit_write(call.target.operation, run, send_reply)

    def _submit_write(self, name: str, job: Callable[[], None], on_finished: OnFinished) -> None:
        """Write in the writer thread; other writes are deferred until it has finished."""

        def finish(*, succeeded: bool) -> None:
            self._writer_is_busy = False
            on_finished(succeeded=succeeded)
            self._run_deferred()

        self._writer_is_busy = True
        self._busy_poll.stop()
        self._writer_thread.submit(name, job, finish)

    def _request_write_turn(self, turn: threading.Event) -> None:
        """Let a worker thread write as soon as no other write runs."""
        self._write_turns.append(turn)
        if not self._writer_is_busy:
            self._run_deferred()

    def _end_write_turn(self) -> None:
        self._writer_is_busy = False
        self._deferred_go_first = True
        self._run_deferred()

    def _run_deferred(self) -> None:
        deferred_go_first = self._deferred_go_first and bool(self._deferred)
        self._deferred_go_first = False
        if self._write_turns and not self._writer_is_busy and not self._staged and not deferred_go_first:
            self._writer_is_busy = True
            self._write_turns.popleft().set()
            return
        deferred, self._deferred = self._deferred, []
        for position, (client, call) in enumerate(deferred):
            if self._writer_is_busy or (call.target.is_lengthy and self._staged):
                self._deferred.extend(deferred[position:])
                break
            client.deferred_bytes = 0
            if call.target.is_lengthy:
                self._run_in_thread(client, call)
            elif (reply := self._attempt(self._stage, client, call)) is not None:
                client.send_reply(reply)
        if self._staged and not self._writer_is_busy:
            self._commit()
