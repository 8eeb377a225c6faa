"""Background tasks of a console: long work in threads, with progress, that can be cancelled.

    def count(report: TaskReport) -> dict[str, int]:
        items = 0
        for page in pages:
            items += len(page)
            report(items, total, "items counted")
        return {"items": items}

    task = opened.tasks.start("count", "Count the items of app-main", count, table="app-main")

A task ends as `done`, `failed` or `cancelled`. It is cancelled at its next report; what it did before is kept. Tasks
are bounded: a few run at once, and the latest that ended are kept. All tasks end when the console ends.
"""

import itertools
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from tablewright.console.service_messages import service_message
from tablewright.errors import ServiceError, TablewrightError, UsageError

LOG = logging.getLogger("tablewright.console")

MAX_RUNNING = 4
"""The most tasks of a design that run at once."""
MAX_ENDED = 50
"""The most tasks that are kept after their end."""
CLOSE_SECONDS = 10.0
"""How long `close` waits for the tasks that it cancels."""

State = Literal["running", "done", "failed", "cancelled"]


class TaskCancelled(Exception):
    """Raised by a report in a task that was cancelled; the task must let it pass."""


class TaskConflict(UsageError):
    """A task cannot start, because others are running."""


@dataclass(frozen=True)
class Task:
    """A task at one point in time."""

    id: str
    kind: str
    """Which work it does, such as `export`; the views find their tasks by it."""
    title: str
    table: str | None
    exclusive: bool
    started_at: float
    version: int
    """Larger after each change; versions are unique among the tasks of a design."""
    state: State = "running"
    done: float = 0
    total: float | None = None
    text: str = ""
    is_cancelling: bool = False
    """Whether it was cancelled and has not ended yet."""
    ended_at: float | None = None
    result: Any = None
    error: dict[str, str] | None = None
    """The code and the message of the error that ended it."""

    def as_data(self, *, with_result: bool = False) -> dict[str, Any]:
        """Describe the task for the page; lists leave out the result, which can be large."""
        shown = {name: value for name, value in vars(self).items() if name not in ("result", "version")}
        return shown | {"result": self.result} if with_result else shown


class TaskReport:
    """Reports the progress of a task: `report(done, total, text)`; raises `TaskCancelled` if it was cancelled."""

    def __init__(self, tasks: "Tasks", task: str, cancelled: threading.Event) -> None:
        self._tasks = tasks
        self._task = task
        self.cancelled = cancelled

    def __call__(self, done: float = 0, total: float | None = None, text: str = "") -> None:
        """Report how much is done, of what total (None if unknown), and a few words."""
        self.check()
        self._tasks._change(self._task, done=done, total=total, text=text)

    def check(self) -> None:
        """Raise `TaskCancelled` if the task was cancelled."""
        if self.cancelled.is_set():
            raise TaskCancelled

    def wait(self, seconds: float) -> None:
        """Wait, for example before asking a server again; a cancelled task does not wait."""
        self.cancelled.wait(seconds)
        self.check()


Run = Callable[[TaskReport], Any]


@dataclass(frozen=True)
class _Running:
    thread: threading.Thread
    cancelled: threading.Event


class Tasks:
    """The tasks of an open design.

    >>> tasks = Tasks()
    >>> started = tasks.start("sum", "Add two numbers", lambda report: 1 + 2)
    >>> tasks.wait(started.id).result
    3
    >>> tasks.close()
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._tasks: dict[str, Task] = {}
        self._running: dict[str, _Running] = {}
        self._numbers = itertools.count(1)
        self._versions = itertools.count(1)
        self._is_closed = False

    def start(
        self, kind: str, title: str, run: Run, *, table: str | None = None, exclusive: bool = False
    ) -> Task:
        """Start a task in a thread; `run` gets a `TaskReport` and returns the result, a value for JSON.

        With `exclusive`, for work that deletes or rewrites items, no other exclusive task of `table` may run.
        `TaskConflict` if one does, or if too many tasks are running.
        """
        with self._lock:
            self._require_free(table if exclusive else None)
            task_id = str(next(self._numbers))
            report = TaskReport(self, task_id, threading.Event())
            name = f"console task {task_id} {kind}"
            thread = threading.Thread(target=self._run, args=(task_id, run, report), name=name, daemon=True)
            thread.start()  # its first report waits for the lock
            task = Task(task_id, kind, title, table, exclusive, self._now(), next(self._versions))
            self._tasks[task_id] = task
            self._running[task_id] = _Running(thread, report.cancelled)
        return task

    def newest_first(self) -> list[Task]:
        """Return the tasks that run and those that ended last."""
        with self._lock:
            return list(reversed(self._tasks.values()))

    def changed_since(self, version: int) -> tuple[list[Task], int]:
        """Return the tasks that changed after a version, the latest change last, and the latest version."""
        with self._lock:
            changed = [task for task in self._tasks.values() if task.version > version]
        changed.sort(key=lambda task: task.version)
        return changed, changed[-1].version if changed else version

    def get(self, task_id: str) -> Task:
        """Return a task; `UsageError` if there is none with that identifier."""
        with self._lock:
            return self._get(task_id)

    def cancel(self, task_id: str) -> Task:
        """Cancel a task at its next report; no effect on a task that has ended."""
        with self._lock:
            task = self._get(task_id)
            running = self._running.get(task_id)
            if running is None or task.state != "running":
                return task
            running.cancelled.set()
            return self._store(task, is_cancelling=True)

    def wait(self, task_id: str, seconds: float = 60.0) -> Task:
        """Wait for the end of a task, at most `seconds`; return the task."""
        with self._lock:
            self._get(task_id)
            running = self._running.get(task_id)
        if running is not None:
            running.thread.join(seconds)
        return self.get(task_id)

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Cancel all tasks and wait for their end; no task can start afterwards. Closing twice has no effect."""
        with self._lock:
            self._is_closed = True
            running = list(self._running.values())
        for task in running:
            task.cancelled.set()
        deadline = time.monotonic() + seconds
        for task in running:
            task.thread.join(max(0.0, deadline - time.monotonic()))

    def _require_free(self, table: str | None) -> None:
        if self._is_closed:
            raise TaskConflict("this console is being closed; no task can start")
        busy = next((task for task in self._tasks.values() if _occupies(task, table)), None)
        if busy is not None:
            raise TaskConflict(
                f"table {table} is in use by the task {busy.title!r}; wait for its end, or cancel it"
            )
        if len(self._running) >= MAX_RUNNING:
            raise TaskConflict(
                f"{MAX_RUNNING} tasks are running, which is the most; wait for one, or cancel one"
            )

    def _run(self, task_id: str, run: Run, report: TaskReport) -> None:
        try:
            result = run(report)
        except TaskCancelled:
            self._end(task_id, "cancelled")
        except Exception as error:
            self._end(task_id, "failed", error=_describe(error))
        else:
            self._end(task_id, "done", result=result)

    def _end(self, task_id: str, state: State, **ended: Any) -> None:
        with self._lock:
            del self._running[task_id]
            self._store(self._tasks[task_id], state=state, is_cancelling=False, ended_at=self._now(), **ended)
            self._forget_oldest()

    def _change(self, task_id: str, **changes: Any) -> None:
        with self._lock:
            self._store(self._tasks[task_id], **changes)

    def _store(self, task: Task, **changes: Any) -> Task:
        changed = replace(task, version=next(self._versions), **changes)
        self._tasks[task.id] = changed
        return changed

    def _get(self, task_id: str) -> Task:
        task = self._tasks.get(task_id)
        if task is None:
            raise UsageError(f"there is no task {task_id}; the {MAX_ENDED} that ended last are kept")
        return task

    def _forget_oldest(self) -> None:
        ended = [task.id for task in self._tasks.values() if task.state != "running"]
        for task_id in ended[: max(0, len(ended) - MAX_ENDED)]:
            del self._tasks[task_id]


def _occupies(task: Task, table: str | None) -> bool:
    return table is not None and task.exclusive and task.table == table and task.state == "running"


def _describe(error: Exception) -> dict[str, str]:
    match error:
        case ServiceError():
            return {"code": error.code, "message": service_message(error)}
        case TablewrightError():
            return {"code": type(error).__name__, "message": str(error)}
        case _:
            LOG.exception("a task of the console failed", exc_info=error)
            text = f"The task failed with {type(error).__name__}; the log of the console has the details."
            return {"code": "ConsoleError", "message": text}
