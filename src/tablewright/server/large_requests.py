"""Large calls: bodies that take long to read and check are worked on beside the rounds.

A thread alone is not enough, as all share one interpreter. So their JSON is read in small pieces (see `values.pieces`),
the interpreter changes hands more often while they run, and the garbage collector, which would look at millions of
new objects again and again, rests until they are gone; they are freed without it.
"""

import asyncio
import gc
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tablewright.engine.database import Database
from tablewright.server.http_replies import BROKEN
from tablewright.server.service import Call
from tablewright.server.worker_thread import Aside

if TYPE_CHECKING:
    from tablewright.server.client_connection import Connection

# At once: a costly one must not keep all others waiting, and many would keep the loop waiting.
MOST = 2
# Seconds after which a thread at work lets another have the interpreter. Python's own choice is ten times that: fine
# for threads that share work, but here one of them answers everybody else.
BRISK = 0.0005


class Large:
    """Runs large calls, a few at a time; one that writes asks for its turn among the writers first."""

    def __init__(
        self,
        database: Database,
        loop: asyncio.AbstractEventLoop,
        ask_for_turn: Callable[[threading.Event], None],
        end_turn: Callable[[], None],
    ) -> None:
        self._database = database
        self._loop = loop
        self._ask_for_turn = ask_for_turn
        self._end_turn = end_turn
        self._aside = Aside(loop, "tablewright-large", MOST)
        self._waiting: deque[tuple[Connection, Call]] = deque()
        self._running = 0
        self._restore: Callable[[], None] = lambda: None

    def run(self, connection: "Connection", call: Call) -> None:
        """Answer the call when its time has come."""
        connection.held = len(call.body)
        self._waiting.append((connection, call))
        self._begin()

    def forget(self, connection: "Connection") -> None:
        """Do not serve what this connection waits for."""
        self._waiting = deque((one, call) for one, call in self._waiting if one is not connection)

    def close(self) -> None:
        """Begin nothing more."""
        self._waiting.clear()
        self._aside.close(wait=False)

    def _begin(self) -> None:
        while self._waiting and self._running < MOST:
            if not self._running:
                self._restore = _be_brisk()
            self._running += 1
            self._start(*self._waiting.popleft())

    def _start(self, connection: "Connection", call: Call) -> None:
        answers: list[tuple[int, bytes]] = []

        def work() -> None:
            answer = self._database.call_json_in_turn(call.target.operation, call.body, self._turn)
            answers.append(answer)

        def tell(*, is_done: bool) -> None:
            connection.held = 0
            self._running -= 1
            if not self._running:
                self._restore()
            connection.answer(call.reply(*answers[0]) if is_done else BROKEN)
            self._begin()

        self._aside.run(work, tell)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """In the thread: wait for a turn among the writers, and end it after the write."""
        turn = threading.Event()
        self._loop.call_soon_threadsafe(self._ask_for_turn, turn)
        turn.wait()
        try:
            yield
        finally:
            self._loop.call_soon_threadsafe(self._end_turn)


def _be_brisk() -> Callable[[], None]:
    """Let threads take turns more often, without a collector; what is returned puts it back as it was."""
    interval, collects = sys.getswitchinterval(), gc.isenabled()
    sys.setswitchinterval(BRISK)
    gc.disable()

    def restore() -> None:
        sys.setswitchinterval(interval)
        if collects:
            gc.enable()

    return restore
