"""Rounds: requests that arrive together are served together.

In one turn of the event loop, first all sockets are read, then all requests are run, then their writes are
committed once, then all replies are sent. Two reasons, both measured:

- One commit makes a whole round durable, and nobody is answered before it.
- Code that runs many times in a row runs warm. Reading, running and sending one request after the other costs almost
  twice as much time a request, as each visit to the kernel cools the processor's caches and branch predictor.

Where a commit is quick (in memory, or on a good disk) it is made on the spot. Where it is not, it runs in a thread of
its own, so that a slow disk stalls nobody who reads; writes that come meanwhile are held back, as the next round.

What is large is read and checked in threads beside the rounds (see `Large`), and joins the writers only to write.
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from tablewright.engine.database import Database
from tablewright.engine.staged_replies import StagedReply
from tablewright.server.busy_poll import Vigil
from tablewright.server.http_replies import BROKEN, Reply
from tablewright.server.http_requests import Request
from tablewright.server.large_requests import Large
from tablewright.server.service import Call, Service
from tablewright.server.worker_thread import Aside, Tell, is_done_well
from tablewright.values.stored_items import LARGE

if TYPE_CHECKING:
    from tablewright.server.client_connection import Connection

T = TypeVar("T")

_log = logging.getLogger("tablewright.server")

# Seconds. To hand a commit to a thread and hear of its end costs a third of this; a heavy request takes as long.
QUICK = 0.001
# How much the last commit counts against those before it, in telling how long the next will take.
_WEIGHT = 0.2


class Rounds:
    """Serves the connections that have something to say."""

    def __init__(self, database: Database, service: Service, loop: asyncio.AbstractEventLoop) -> None:
        self._database = database
        self._service = service
        self._loop = loop
        self._aside = Aside(loop, "tablewright-commits")
        self._large = Large(database, loop, self._ask_for_turn, self._end_turn)
        self._vigil = Vigil(loop)
        self.quick = QUICK
        """Commits that take longer than this are made in a thread."""
        self._pace = 0.0
        self._ready: list[Connection] = []
        self._staged: list[tuple[Connection, Call, StagedReply]] = []
        self._held: list[tuple[Connection, Call]] = []
        self._turns: deque[threading.Event] = deque()
        self._writer_is_busy = False

    def enter(self, connection: "Connection") -> None:
        """Serve this connection in the next round."""
        if not self._ready:
            self._loop.call_soon(self._serve)
        self._ready.append(connection)

    def forget(self, connection: "Connection") -> None:
        """Do not serve what this connection waits for."""
        connection.held = 0
        self._held = [(one, call) for one, call in self._held if one is not connection]
        self._large.forget(connection)

    def close(self) -> None:
        """Stop the thread that commits."""
        self._large.close()
        self._aside.close()

    def _serve(self) -> None:
        ready, self._ready = self._ready, []
        self._vigil.keep()
        taken = [(connection, connection.take()) for connection in ready]
        answered = []
        for connection, request in taken:
            if request is not None and (reply := self._attempt(self._run, connection, request)) is not None:
                answered.append((connection, reply))
        for connection, reply in answered:
            connection.answer(reply)
        if self._staged and not self._writer_is_busy:
            self._commit()

    def _attempt(
        self, step: Callable[["Connection", T], Reply | None], connection: "Connection", asked: T
    ) -> Reply | None:
        """Take a step; should it break, only the one who asked is told: the others in the round are still served."""
        try:
            return step(connection, asked)
        except Exception:
            _log.exception("%s failed", connection.operation)
            return BROKEN

    def _run(self, connection: "Connection", request: Request) -> Reply | None:
        """The reply, or None when it has to wait for a commit."""
        call = self._service.admit(request)
        if isinstance(call, Reply):
            return call
        connection.operation = call.target.operation
        if len(call.body) > LARGE:
            self._large.run(connection, call)
            return None
        if not call.target.may_write:
            return call.reply(*self._database.call_json(call.target.operation, call.body))
        if self._writer_is_busy or (call.target.is_lengthy and self._staged):
            connection.held = len(call.body)
            self._held.append((connection, call))
            return None
        if call.target.is_lengthy:
            self._run_aside(connection, call)
            return None
        return self._stage(connection, call)

    def _stage(self, connection: "Connection", call: Call) -> Reply | None:
        answer = self._database.stage_json(call.target.operation, call.body)
        if answer.group is None:
            return call.reply(answer.status, answer.body)
        self._staged.append((connection, call, answer))
        return None

    def _commit(self) -> None:
        staged, self._staged = self._staged, []

        def tell(*, is_done: bool) -> None:
            for connection, call, answer in staged:
                connection.answer(call.reply(*answer.settled()) if is_done else BROKEN)

        if self._pace > self.quick:
            self._set_writer_aside(self._flush, tell)
        else:
            tell(is_done=is_done_well(self._flush))
            self._serve_held()

    def _flush(self) -> None:
        start = time.perf_counter()
        self._database.flush()
        self._pace += _WEIGHT * (time.perf_counter() - start - self._pace)

    def _run_aside(self, connection: "Connection", call: Call) -> None:
        answers: list[tuple[int, bytes]] = []

        def tell(*, is_done: bool) -> None:
            connection.answer(call.reply(*answers[0]) if is_done else BROKEN)

        self._set_writer_aside(
            lambda: answers.append(self._database.call_json(call.target.operation, call.body)), tell
        )

    def _set_writer_aside(self, work: Callable[[], None], tell: Tell) -> None:
        def resume(*, is_done: bool) -> None:
            self._writer_is_busy = False
            tell(is_done=is_done)
            self._serve_held()

        self._writer_is_busy = True
        self._vigil.end()
        self._aside.run(work, resume)

    def _ask_for_turn(self, turn: threading.Event) -> None:
        """Let a thread beside us write as soon as nobody else does."""
        self._turns.append(turn)
        if not self._writer_is_busy:
            self._serve_held()

    def _end_turn(self) -> None:
        self._writer_is_busy = False
        self._serve_held()

    def _serve_held(self) -> None:
        if self._turns and not self._writer_is_busy and not self._staged:
            self._writer_is_busy = True
            self._turns.popleft().set()
            return
        held, self._held = self._held, []
        for place, (connection, call) in enumerate(held):
            if self._writer_is_busy or (call.target.is_lengthy and self._staged):
                self._held.extend(held[place:])
                break
            connection.held = 0
            if call.target.is_lengthy:
                self._run_aside(connection, call)
            elif (reply := self._attempt(self._stage, connection, call)) is not None:
                connection.answer(reply)
        if self._staged and not self._writer_is_busy:
            self._commit()
