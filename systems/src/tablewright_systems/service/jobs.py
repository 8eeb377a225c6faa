"""Background jobs: reminders, expiry, sweeps, deliveries. A system declares its jobs in `jobs.py`:

JOBS = (
    Job("reminders", timedelta(minutes=5), send_reminders),
    Job("backups", timedelta(seconds=1), worker.run, exclusive=False),
)

A job is a function of a `JobRun`. It must be safe to run again: a run can be interrupted at any point.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TypeVar

from tablewright import Repository

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
