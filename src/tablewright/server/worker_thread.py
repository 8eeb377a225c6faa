"""Worker threads: run what takes too long for the event loop."""

import asyncio
import contextlib
import logging
import queue
import threading
from collections.abc import Callable
from functools import partial
from typing import Protocol

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
