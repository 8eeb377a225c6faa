"""Background jobs: reminders, expiry, sweeps, deliveries. A system declares its jobs in `jobs.py`:

JOBS = (
    Job("reminders", timedelta(minutes=5), send_reminders),
    Job("backups", timedelta(seconds=1), worker.run, exclusive=False),
)

A job is a function of a `JobRun`. It must be safe to run again: a run can be interrupted at any point.

`JobRunner` runs the jobs of systems, in any number of processes. A table of its own stores, for each job, when it is
due, how far it is, and the lease of the process that runs it. So of two processes one runs a job. The lease is renewed
while the job runs; when a process is killed, the lease ends and another process continues from the stored position. A
failed run is logged and tried again with increasing delays. Each job has its own thread: a slow or failing job does not
delay the others.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, TypeVar

from tablewright import (
    Clock,
    Connection,
    Design,
    Entity,
    Get,
    Keys,
    Repository,
    Table,
    connect,
    errors,
    fields,
)
from tablewright_systems.service.leases import Lease, backoff

T = TypeVar("T")

log = logging.getLogger(__name__)


class RunEnded(Exception):
    """The run ends here without a failure: the process stops, or another process has taken over the job."""


@dataclass(slots=True)
class JobRun:
    """One run of a job: its store, its position, and whether it should stop."""

    db: Repository
    position: str | None = None
    """How far earlier runs came; None before the first `save`."""
    store_position: Callable[[str], bool] = lambda position: True
    """Stores a position, and returns whether this process still has the job."""
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def is_stopping(self) -> bool:
        """Whether the run should end soon: a run that saves no position checks this between two pieces of work."""
        return self.stop.is_set()

    def save(self, position: str) -> None:
        """Store how far the job is; the next run continues here, also after a crash.

        It raises `RunEnded` when the run should stop, or when another process has taken over the job.
        """
        if not self.store_position(position):
            raise RunEnded
        self.position = position
        if self.is_stopping:
            raise RunEnded

    def for_each(self, rows: Iterable[T], work: Callable[[T], object]) -> int:
        """Do the work for each row until the run should stop; return for how many rows it returned something true.

        A row whose work fails does not keep the others from theirs: the error of the last one is raised at the end, so
        that the run counts as failed and is repeated.
        """
        done, failure = 0, None
        for row in rows:
            if self.is_stopping:
                break
            try:
                done += bool(work(row))
            except Exception as error:
                log.warning("the work for %s failed", type(row).__name__, exc_info=True)
                failure = error
        if failure is not None:
            raise failure
        return done

    def wait(self, delay: timedelta) -> None:
        """Wait, or return at once when the run should stop."""
        self.stop.wait(delay.total_seconds())

    def days(self, first: date) -> Iterator[date]:
        """Yield each day from the stored position to today, in UTC, and save each day when its work is done.

        The last day is yielded again by the next run, because the day was not over. `first` is the day with which the
        very first run begins. However long no process ran, no day is left out.
        """
        day = date.fromisoformat(self.position) if self.position else first
        today = self.db.now().date()
        while day <= today:
            yield day
            self.save(day.isoformat())
            day += timedelta(days=1)

    def since(self, first: datetime) -> datetime:
        """Return the time that `save(time.isoformat())` stored last, or `first`."""
        return datetime.fromisoformat(self.position) if self.position else first


@dataclass(frozen=True, slots=True)
class Job:
    """A function that the job runner calls again and again."""

    name: str
    every: timedelta
    """Time between the starts of two runs."""
    run: Callable[[JobRun], object]
    exclusive: bool = True
    """Whether one process at a time runs the job. False for workers that share a queue with leases of its own."""


LEASE = Lease(timedelta(minutes=1))
FIRST_DELAY = timedelta(seconds=1)
LONGEST_DELAY = timedelta(minutes=15)
LONGEST_PAUSE = timedelta(minutes=1)
"""How long a thread waits before it looks at the stored state again."""
MAX_ERROR_LENGTH = 500
SHORTEST_PAUSE = 0.1
STOP_TIMEOUT = 10.0
"""Seconds that a stopping process waits for each running job."""

_table = Table("tablewright-jobs", "PK")


class JobState(Entity, table=_table):
    """When a job is due, how far it is, and which process runs it."""

    system: str
    name: str
    due_at: fields.Timestamp
    position: str | None = None
    failures: int = 0
    last_error: str | None = None
    finished_at: fields.Timestamp | None = None
    lease_id: str | None = None
    leased_until: fields.Timestamp | None = None

    keys = Keys(primary="JOB#{system}#{name}")


class StateOfJob(Get[JobState]):
    """Get the state of a job."""

    system: str
    name: str
    consistent = True


design = Design("jobs", entities=[JobState], patterns=[StateOfJob])


class ScheduledJob:
    """A job of a system, in this process."""

    def __init__(
        self, system: str, job: Job, db: Repository, states: Repository, stop: threading.Event
    ) -> None:
        self.name = f"{system}.{job.name}"
        self._job = job
        self._db = db
        self._states = states
        self._stop = stop
        self._state = JobState(system=system, name=job.name, due_at=states.now())
        self._is_running = False
        self._lock = threading.Lock()

    @property
    def last_error(self) -> str | None:
        """Error of the last run; None if it succeeded."""
        return self._state.last_error

    @property
    def every(self) -> timedelta:
        """Time between the starts of two runs."""
        return self._job.every

    def run_if_due(self) -> bool:
        """Run the job if it is due and no other process runs it; return whether it ran."""
        if not self._take():
            return False
        self._is_running = True
        try:
            changes = self._run()
        finally:
            self._is_running = False
        self._end(changes)
        return True

    def pause(self) -> timedelta:
        """Return the time until the next look at the job: another process can change its state."""
        due = max(self._state.due_at, self._state.leased_until or self._state.due_at)
        return min(max(due - self._states.now(), timedelta(0)), LONGEST_PAUSE)

    def renew(self) -> bool:
        """Renew the lease of a running job; return whether this process still has the job."""
        return not (self._is_running and self._job.exclusive) or self._store({})

    def _take(self) -> bool:
        """Take the job for this process; return False if it is not due, or if another process has it."""
        if self._job.exclusive:
            self._state = self._stored()
        if self._state.due_at > self._states.now():
            return False
        if not self._job.exclusive:
            return True
        taken = LEASE.take(self._states, self._state, when=JobState.due_at == self._state.due_at)
        self._state = taken or self._stored()
        return taken is not None

    def _run(self) -> dict[str, Any]:
        """Run the job once; return the changes of its state."""
        started = self._states.now()
        try:
            self._job.run(JobRun(self._db, self._state.position, self._save, self._stop))
        except RunEnded:
            return {}
        except Exception as error:  # a failing job must not stop the others
            log.exception("job %s failed", self.name)
            failures = self._state.failures + 1
            delay = backoff(failures - 1, FIRST_DELAY, LONGEST_DELAY, self.name)
            text = f"{type(error).__name__}: {error}"[:MAX_ERROR_LENGTH]
            return {"due_at": self._states.now() + delay, "failures": failures, "last_error": text}
        return {
            "due_at": started + self._job.every,
            "finished_at": self._states.now(),
            "failures": 0,
            "last_error": None,
        }

    def _save(self, position: str) -> bool:
        return self._store({"position": position})

    def _store(self, changes: dict[str, Any]) -> bool:
        """Store changes and renew the lease; return whether this process still has the job."""
        with self._lock:
            renewed = LEASE.renew(self._states, self._state, changes=changes) if self._job.exclusive else None
            self._state = renewed or self._state
        return renewed is not None or not self._job.exclusive

    def _end(self, changes: dict[str, Any]) -> None:
        if not self._job.exclusive:
            self._state = self._state.model_copy(update=changes)
            return
        with self._lock:
            ended = LEASE.end(self._states, self._state, changes=changes)
        if ended is None:
            log.warning("job %s: another process took over the job during the run", self.name)
        self._state = ended or self._stored()

    def _stored(self) -> JobState:
        """Return the stored state; of a new job, create it."""
        target = StateOfJob(system=self._state.system, name=self._state.name)
        state = self._states.run(target)
        if state is None:
            with suppress(errors.AlreadyExists):
                return self._states.create(JobState(**dict(target), due_at=self._states.now()))
            state = self._states.get_or_raise(target)
        return state


class JobRunner:
    """Runs the jobs of some systems in this process.

    `systems` has the store and the jobs of each system by its name. `connection` is that of the stores.
    """

    def __init__(
        self,
        connection: Connection,
        systems: Mapping[str, tuple[Repository, Sequence[Job]]],
        *,
        clock: Clock | None = None,
        prefix: str = "",
    ) -> None:
        self.states = connect(design, connection, create=True, clock=clock, prefix=prefix)
        self._stop = threading.Event()
        self.jobs = [
            ScheduledJob(name, job, db, self.states, self._stop)
            for name, (db, jobs) in systems.items()
            for job in jobs
        ]
        self._threads: list[threading.Thread] = []

    def run_due(self) -> list[str]:
        """Run each job that is due once, one after the other; return the names of those that ran."""
        return [job.name for job in self.jobs if job.run_if_due()]

    def start(self) -> None:
        """Run the jobs in threads, until `stop`."""
        self._threads = [
            threading.Thread(target=self._repeat, args=(job,), name=f"job {job.name}", daemon=True)
            for job in self.jobs
        ]
        self._threads.append(threading.Thread(target=self._renew_leases, name="job leases", daemon=True))
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop: a running job ends when it saves its position or looks at `is_stopping`; no new run starts."""
        self._stop.set()
        for thread in self._threads:
            thread.join(STOP_TIMEOUT)
            if thread.is_alive():
                log.warning("%s did not stop; its next run continues from the stored position", thread.name)

    def _repeat(self, job: ScheduledJob) -> None:
        while not self._stop.is_set():
            try:
                job.run_if_due()
                pause = job.pause()
            except Exception:  # the store is not reachable: try again
                log.exception("job %s: its state cannot be read or written", job.name)
                pause = LONGEST_PAUSE
            self._stop.wait(max(pause.total_seconds(), SHORTEST_PAUSE))

    def _renew_leases(self) -> None:
        while not self._stop.wait(LEASE.length.total_seconds() / 3):
            for job in self.jobs:
                try:
                    job.renew()
                except Exception:
                    log.exception("job %s: its lease cannot be renewed", job.name)
