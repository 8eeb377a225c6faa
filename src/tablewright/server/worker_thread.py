"""Aside: threads for what takes too long for the event loop."""

import asyncio
import contextlib
import logging
import queue
import threading
from collections.abc import Callable
from functools import partial
from typing import Protocol

_log = logging.getLogger("tablewright.server")


class Tell(Protocol):
    """What follows some work that is done, or broke."""

    def __call__(self, *, is_done: bool) -> None:
        """Tell those who wait for it."""


def is_done_well(work: Callable[[], None]) -> bool:
    """Do the work; what breaks is logged."""
    try:
        work()
    except Exception:
        _log.exception("what was to be written could not be")
        return False
    return True


class Aside:
    """A few threads, one unless said; what they did is followed up on the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, name: str, most: int = 1) -> None:
        self._loop = loop
        self._name = name
        self._most = most
        self._jobs: queue.SimpleQueue[tuple[Callable[[], None], Tell] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def run(self, work: Callable[[], None], after: Tell) -> None:
        """Do the work in a thread, then `after` on the loop, also when the work broke."""
        if len(self._threads) < self._most:
            self._threads.append(threading.Thread(target=self._labour, name=self._name, daemon=True))
            self._threads[-1].start()
        self._jobs.put((work, after))

    def close(self, *, wait: bool = True) -> None:
        """End the threads after their last jobs; wait for it, unless they may wait for the loop themselves."""
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads if wait else ():
            thread.join()

    def _labour(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, after = job
            is_done = is_done_well(work)
            with contextlib.suppress(RuntimeError):  # the loop may have ended meanwhile
                self._loop.call_soon_threadsafe(partial(after, is_done=is_done))
