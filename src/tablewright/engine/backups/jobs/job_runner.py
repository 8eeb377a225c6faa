"""Jobs: work that goes on after a request for it was answered, a piece at a time, each piece a short transaction.

A job is a document, written in the transaction of its request. Whoever wrote one wakes the jobs, and a thread does
what is there to do. So nobody waits for a long copy: readers and writers have their turns between its pieces. A job
that was interrupted, by a crash or because the database was closed, is done again from its beginning when the
database is opened: each begins by clearing away what it may have left.

In the process that holds the database, the answer to a request waits a little for its job; small ones are done by the
time it comes, as with CreateTable. A server answers at once, and its clients ask how far it is, as on AWS.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from tablewright.engine.backups.jobs import job_records
from tablewright.engine.backups.jobs.job_records import Document
from tablewright.engine.sessions import Reading, Sessions, Writing
from tablewright.errors import StoreError

T = TypeVar("T")
Work = Callable[["Job"], None]

PATIENCE = 5.0
"""Seconds that an answer waits for its job, in the process that holds the database."""

_log = logging.getLogger("tablewright.engine")


class Stopped(Exception):
    """The database is being closed."""


class Job:
    """One piece of long work, while it is done."""

    def __init__(self, jobs: "Jobs", sessions: Sessions, key: str, document: Document) -> None:
        self._jobs = jobs
        self._sessions = sessions
        self.state = sessions.state
        self.key = key
        self.document = document

    def write(self, work: Callable[[Writing], T]) -> T:
        """Do a piece that writes; between two pieces others have their turns, and the job can be stopped."""
        self._jobs.require_running()
        return self._sessions.write(work)

    def read(self, work: Callable[[Reading], T]) -> T:
        """Do a piece that only reads."""
        self._jobs.require_running()
        return self._sessions.read(work)

    def end(self, tx: Writing) -> None:
        """Part of the last piece: there is nothing more to do."""
        job_records.remove(tx.rows, "job", self.key)


def new_key(tx: Writing) -> str:
    """The key of a job to come; jobs are done in the order of their keys."""
    return f"{tx.state.catalog.next_number(tx.rows):020}"


def plan(tx: Writing, key: str, kind: str, document: Document) -> None:
    """Write down a job to be done."""
    job_records.save(tx.rows, "job", key, {"Kind": kind, **document})


class Jobs:
    """Does the jobs of one database, in threads of their own; `works` says what each kind of job is."""

    def __init__(self, sessions: Sessions, works: Callable[[str], Work]) -> None:
        self._sessions = sessions
        self._works = works
        self._lock = threading.Lock()
        self._taken: set[str] = set()
        self._threads: set[threading.Thread] = set()
        self._is_stopped = False

    def wake(self) -> None:
        """See to it that every job is done."""
        thread = threading.Thread(target=self._labour, name="tablewright-jobs", daemon=True)
        with self._lock:
            self._threads.add(thread)
        thread.start()

    def settle(self, patience: float | None = None) -> None:
        """Wait until what is being done is done, but no longer than so many seconds."""
        end = None if patience is None else time.monotonic() + patience
        with self._lock:
            threads = self._threads - {threading.current_thread()}
        for thread in threads:
            thread.join(None if end is None else max(0.0, end - time.monotonic()))

    def stop(self) -> None:
        """Stop each job after its next piece, and wait for that."""
        self._is_stopped = True
        self.settle()

    def require_running(self) -> None:
        """Raise Stopped once the database is being closed."""
        if self._is_stopped:
            raise Stopped

    def _labour(self) -> None:
        try:
            for key, document in self._sessions.write(self._take):
                self._do(Job(self, self._sessions, key, document))
        except (Stopped, StoreError) as end:
            # What is not done is done when the database is opened again.
            _log.debug("jobs are left to the next opening: %s", end)
        finally:
            with self._lock:
                self._threads.discard(threading.current_thread())

    def _take(self, tx: Writing) -> list[tuple[str, Document]]:
        # In a writer's turn, where a job that was just written can be seen.
        self.require_running()
        with self._lock:
            taken = [(key, job) for key, job in job_records.each(tx.rows, "job") if key not in self._taken]
            self._taken.update(key for key, _ in taken)
        return taken

    def _do(self, job: Job) -> None:
        try:
            self._works(job.document["Kind"])(job)
        except Stopped:
            raise
        except Exception:
            # Nobody is there to be told; it is tried again when the database is opened.
            _log.exception("a job (%s) failed", job.document["Kind"])
