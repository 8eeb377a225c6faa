"""Job runner: work that continues after the reply to its request, in short transactions.

A job is a document, written in the transaction of its request; a thread runs the waiting jobs. Other requests do not
wait for a long copy: they run between its transactions. A job that was interrupted, by a crash or because the database
was closed, starts again when the database is opened. It continues from the position in its document, or first deletes
what an earlier attempt may have left.

In an embedded database, the reply to a request waits a few seconds for its job, so that small jobs are done when it
returns, as with CreateTable. A server replies at once, and its clients poll the status, as on AWS. No reply waits for a
job whose result no client sees, such as the removal of a deleted table's rows.

Job kinds: the function of each kind of job. Its module is loaded with the first job: most databases have none.
"""

import logging
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.job_records import Document
from tablewright.engine.core.plugs import JOBS
from tablewright.engine.core.sessions import Reading, Sessions, Writing
from tablewright.errors import StoreDamaged, StoreError

if TYPE_CHECKING:
    pass


T = TypeVar("T")
JobFunction = Callable[["Job"], None]

REPLY_WAIT = 5.0
"""Seconds that a reply waits for its job in an embedded database."""

UNOBSERVED = frozenset({"removal"})
"""Kinds of jobs whose result no client can see: no reply waits for them."""

_log = logging.getLogger("tablewright.engine")


class Stopped(Exception):
    """The database is being closed."""


class Job:
    """A running job."""

    def __init__(
        self,
        jobs: "Jobs",
        sessions: Sessions,
        key: str,
        document: Document,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> None:
        self._jobs = jobs
        self._sessions = sessions
        self._checkpoint = checkpoint
        self.state = sessions.state
        self.key = key
        self.document = document

    def write(self, work: Callable[[Writing], T]) -> T:
        """Run a transaction that writes. Between two transactions other requests run, and the job can be stopped."""
        self._jobs.require_running()
        result = self._sessions.write(work)
        # Here and not in the next commit of a client, which would wait for it.
        self._checkpoint()
        return result

    def read(self, work: Callable[[Reading], T]) -> T:
        """Run a transaction that only reads."""
        self._jobs.require_running()
        return self._sessions.read(work)

    def pause(self, seconds: float) -> None:
        """Wait between two transactions, unless the job is stopped."""
        self._jobs.pause(seconds)

    def end(self, tx: Writing) -> None:
        """Delete the record of the job, in its last transaction."""
        job_records.remove(tx.rows, "job", self.key)


def new_key(tx: Writing) -> str:
    """The key of a new job; jobs run in the order of their keys."""
    return f"{tx.state.catalog.next_number(tx.rows):020}"


def schedule(tx: Writing, key: str, kind: str, document: Document) -> None:
    """Save a job, and start the job runner: it finds the job after this transaction."""
    job_records.save(tx.rows, "job", key, {"Kind": kind, **document})
    tx.state.wake_jobs()


class Jobs:
    """Runs the jobs of one database in threads; `function_of` gives the function of a kind of job."""

    def __init__(self, sessions: Sessions, function_of: Callable[[str], JobFunction]) -> None:
        self._sessions = sessions
        self._function_of = function_of
        self._lock = threading.Lock()
        self._taken: set[str] = set()
        self._threads: dict[threading.Thread, bool] = {}
        """The running threads, and whether a client may wait for the jobs of each."""
        self._stopping = threading.Event()

    def use(self, sessions: Sessions) -> None:
        """Run the jobs that start from now on in these sessions."""
        self._sessions = sessions

    def wake(self) -> None:
        """Start a thread that runs all waiting jobs."""
        self._start(observed=True)

    def _start(self, *, observed: bool) -> None:
        thread = threading.Thread(
            target=self._run_jobs, args=(observed,), name="tablewright-jobs", daemon=True
        )
        with self._lock:
            self._threads[thread] = observed
        thread.start()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the running jobs whose results clients see are done, at most `timeout` seconds."""
        self._join([True], timeout)

    def stop(self) -> None:
        """Stop each job after its current transaction, and wait for it."""
        self._stopping.set()
        self._join([True, False])

    def wait_for_all(self) -> None:
        """Wait until no job runs: for compaction and tests."""
        self._join([True, False])

    def _join(self, kinds: list[bool], timeout: float | None = None) -> None:
        end = None if timeout is None else time.monotonic() + timeout
        while threads := self._running(kinds):
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return
            threads[0].join(left)

    def _running(self, kinds: list[bool]) -> list[threading.Thread]:
        current = threading.current_thread()
        with self._lock:
            return [
                thread
                for thread, observed in self._threads.items()
                if observed in kinds and thread != current
            ]

    def require_running(self) -> None:
        """Raise Stopped once the database is being closed."""
        if self._stopping.is_set():
            raise Stopped

    def pause(self, seconds: float) -> None:
        """Wait; raise Stopped once the database is being closed."""
        self._stopping.wait(seconds)
        self.require_running()

    def _run_jobs(self, observed: bool) -> None:
        try:
            taken = self._take(observed)
            if taken:
                with self._sessions.state.store.checkpoints_apart() as checkpoint:
                    for key, document in taken:
                        self._run(Job(self, self._sessions, key, document, checkpoint))
        except StoreDamaged as error:
            _log.error("jobs cannot run: %s", error)
        except (Stopped, StoreError) as end:
            # The remaining jobs run when the database is opened again.
            _log.debug("jobs continue when the database is opened again: %s", end)
        finally:
            with self._lock:
                self._threads.pop(threading.current_thread(), None)

    def _take(self, observed: bool) -> list[tuple[str, Document]]:
        taken: list[tuple[str, Document]] = []

        def take(tx: Writing) -> None:
            # In a write transaction, which sees a job that was just written.
            self.require_running()
            with self._lock:
                for key, job in job_records.documents(tx.rows, "job"):
                    if key not in self._taken and (job["Kind"] not in UNOBSERVED) == observed:
                        taken.append((key, job))
                        self._taken.add(key)
                others = any(key not in self._taken for key, _ in job_records.documents(tx.rows, "job"))
            if others and observed:
                self._start(observed=False)

        try:
            self._sessions.write(take)
        except BaseException:
            # The jobs were undone with their requests; their keys will be used again.
            with self._lock:
                self._taken.difference_update(key for key, _ in taken)
            raise
        return taken

    def _run(self, job: Job) -> None:
        try:
            self._function_of(job.document["Kind"])(job)
        except Stopped:
            raise
        except Exception:
            # There is no request to report it to; the job runs again when the database is opened.
            _log.exception("%s job failed", job.document["Kind"])


JOBS.update(
    {
        "index": "tablewright.engine.core.jobs.index_builds",
        "index_removal": "tablewright.engine.core.jobs.row_removals",
        "removal": "tablewright.engine.core.jobs.row_removals",
    }
)


def job_function(kind: str) -> "JobFunction":
    """The function that runs jobs of that kind."""
    module = import_module(JOBS[kind])
    return module.run  # type: ignore[no-any-return]
