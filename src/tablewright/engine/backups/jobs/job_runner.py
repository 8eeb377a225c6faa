"""Job runner: work that continues after the reply to its request, in short transactions.

A job is a document, written in the transaction of its request. After that transaction, a thread is started that runs
the waiting jobs. Other requests do not wait for a long copy: they run between its transactions. A job that was
interrupted, by a crash or because the database was closed, starts again when the database is opened: each job first
deletes what an earlier attempt may have left.

In an embedded database, the reply to a request waits a few seconds for its job, so that small jobs are done when it
returns, as with CreateTable. A server replies at once, and its clients poll the status, as on AWS.
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
JobFunction = Callable[["Job"], None]

REPLY_WAIT = 5.0
"""Seconds that a reply waits for its job in an embedded database."""

_log = logging.getLogger("tablewright.engine")


class Stopped(Exception):
    """The database is being closed."""


class Job:
    """A running job."""

    def __init__(self, jobs: "Jobs", sessions: Sessions, key: str, document: Document) -> None:
        self._jobs = jobs
        self._sessions = sessions
        self.state = sessions.state
        self.key = key
        self.document = document

    def write(self, work: Callable[[Writing], T]) -> T:
        """Run a transaction that writes. Between two transactions other requests run, and the job can be stopped."""
        self._jobs.require_running()
        return self._sessions.write(work)

    def read(self, work: Callable[[Reading], T]) -> T:
        """Run a transaction that only reads."""
        self._jobs.require_running()
        return self._sessions.read(work)

    def end(self, tx: Writing) -> None:
        """Delete the record of the job, in its last transaction."""
        job_records.remove(tx.rows, "job", self.key)


def new_key(tx: Writing) -> str:
    """The key of a new job; jobs run in the order of their keys."""
    return f"{tx.state.catalog.next_number(tx.rows):020}"


def schedule(tx: Writing, key: str, kind: str, document: Document) -> None:
    """Save a job, to be run after this transaction."""
    job_records.save(tx.rows, "job", key, {"Kind": kind, **document})


class Jobs:
    """Runs the jobs of one database in threads; `function_of` gives the function of a kind of job."""

    def __init__(self, sessions: Sessions, function_of: Callable[[str], JobFunction]) -> None:
        self._sessions = sessions
        self._function_of = function_of
        self._lock = threading.Lock()
        self._taken: set[str] = set()
        self._threads: set[threading.Thread] = set()
        self._is_stopped = False

    def wake(self) -> None:
        """Start a thread that runs all waiting jobs."""
        thread = threading.Thread(target=self._run_jobs, name="tablewright-jobs", daemon=True)
        with self._lock:
            self._threads.add(thread)
        thread.start()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the running jobs are done, at most `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        with self._lock:
            threads = self._threads - {threading.current_thread()}
        for thread in threads:
            thread.join(None if end is None else max(0.0, end - time.monotonic()))

    def stop(self) -> None:
        """Stop each job after its current transaction, and wait for it."""
        self._is_stopped = True
        self.wait()

    def require_running(self) -> None:
        """Raise Stopped once the database is being closed."""
        if self._is_stopped:
            raise Stopped

    def _run_jobs(self) -> None:
        try:
            for key, document in self._sessions.write(self._take):
                self._run(Job(self, self._sessions, key, document))
        except (Stopped, StoreError) as end:
            # The remaining jobs run when the database is opened again.
            _log.debug("jobs continue when the database is opened again: %s", end)
        finally:
            with self._lock:
                self._threads.discard(threading.current_thread())

    def _take(self, tx: Writing) -> list[tuple[str, Document]]:
        # In a write transaction, which sees a job that was just written.
        self.require_running()
        with self._lock:
            taken = [(key, job) for key, job in job_records.each(tx.rows, "job") if key not in self._taken]
            self._taken.update(key for key, _ in taken)
        return taken

    def _run(self, job: Job) -> None:
        try:
            self._function_of(job.document["Kind"])(job)
        except Stopped:
            raise
        except Exception:
            # There is no request to report it to; the job runs again when the database is opened.
            _log.exception("%s job failed", job.document["Kind"])
