"""Background tasks: progress, cancellation, results, bounds, and one exclusive task for each table."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tablewright.console import tasks as module
from tablewright.console.tasks import TaskConflict, TaskReport, Tasks
from tablewright.errors import ResourceNotFound, UsageError


@contextmanager
def opened() -> Iterator[Tasks]:
    tasks = Tasks(now=lambda: 7.0)
    try:
        yield tasks
    finally:
        tasks.close()


def endless(report: TaskReport) -> None:
    while True:
        report.wait(0.01)


def test_a_task_has_progress_while_it_runs_and_a_result_at_its_end() -> None:
    proceed, reported = threading.Event(), threading.Event()

    def run(report: TaskReport) -> dict[str, int]:
        report(3, 10, "items copied")
        reported.set()
        assert proceed.wait(10)
        return {"items": 10}

    with opened() as tasks:
        started = tasks.start("copy", "Copy a table", run, table="app-main")
        assert reported.wait(10)
        during = tasks.get(started.id)
        proceed.set()
        ended = tasks.wait(started.id)
    assert (started.state, started.table, started.started_at) == ("running", "app-main", 7.0)
    assert (during.state, during.done, during.total, during.text) == ("running", 3, 10, "items copied")
    assert (ended.state, ended.result, ended.ended_at, ended.error) == ("done", {"items": 10}, 7.0, None)
    assert "result" not in ended.as_data()
    assert ended.as_data(with_result=True)["result"] == {"items": 10}


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (UsageError("give a table"), "UsageError", "give a table"),
        (
            ResourceNotFound("Requested resource not found"),
            "ResourceNotFoundException",
            "Requested resource not found",
        ),
        (
            KeyError("password=x"),
            "ConsoleError",
            "The task failed with KeyError; the log of the console has the details.",
        ),
    ],
)
def test_a_failed_task_has_the_error(error: Exception, code: str, message: str) -> None:
    def run(report: TaskReport) -> None:
        raise error

    with opened() as tasks:
        ended = tasks.wait(tasks.start("copy", "Copy", run).id)
    assert (ended.state, ended.error) == ("failed", {"code": code, "message": message})


def test_a_cancelled_task_ends_at_its_next_report() -> None:
    with opened() as tasks:
        started = tasks.start("copy", "Copy", endless)
        assert tasks.cancel(started.id).is_cancelling
        ended = tasks.wait(started.id)
        again = tasks.cancel(started.id)
    assert (ended.state, ended.is_cancelling) == ("cancelled", False)
    assert again == ended


def test_one_exclusive_task_of_a_table_runs_at_a_time() -> None:
    with opened() as tasks:
        first = tasks.start("purge", "Purge app-main", endless, table="app-main", exclusive=True)
        with pytest.raises(TaskConflict, match="table app-main is in use by the task 'Purge app-main'"):
            tasks.start("restore", "Restore", endless, table="app-main", exclusive=True)
        tasks.start("purge", "Purge app-other", endless, table="app-other", exclusive=True)
        tasks.start("check", "Check app-main", endless, table="app-main")
        tasks.cancel(first.id)
        tasks.wait(first.id)
        assert tasks.start("restore", "Restore", endless, table="app-main", exclusive=True).state == "running"


def test_tasks_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_RUNNING", 2)
    monkeypatch.setattr(module, "MAX_ENDED", 3)
    with opened() as tasks:
        ended = [tasks.start("copy", "Copy", lambda report: None) for _ in range(1)]
        for _ in range(4):
            tasks.wait(ended[-1].id)
            ended.append(tasks.start("copy", "Copy", lambda report: None))
        tasks.wait(ended[-1].id)
        assert [task.id for task in tasks.newest_first()] == [task.id for task in ended[:1:-1]]
        with pytest.raises(UsageError, match="there is no task 1; the 3 that ended last are kept"):
            tasks.get(ended[0].id)
        tasks.start("copy", "Copy", endless)
        tasks.start("copy", "Copy", endless)
        with pytest.raises(TaskConflict, match="2 tasks are running"):
            tasks.start("copy", "Copy", endless)


def test_closing_cancels_all_tasks() -> None:
    tasks = Tasks()
    started = [tasks.start("copy", "Copy", endless) for _ in range(3)]
    tasks.close()
    tasks.close()
    assert {tasks.get(task.id).state for task in started} == {"cancelled"}
    with pytest.raises(TaskConflict, match="being closed"):
        tasks.start("copy", "Copy", endless)


def test_changes_are_found_by_version() -> None:
    with opened() as tasks:
        first = tasks.start("copy", "Copy", endless)
        second = tasks.start("copy", "Copy", endless)
        found, version = tasks.changed_since(0)
        nothing = tasks.changed_since(version)
        tasks.cancel(first.id)
        tasks.wait(first.id)
        changed, latest = tasks.changed_since(version)
    assert [task.id for task in found] == [first.id, second.id]
    assert nothing == ([], version)
    assert [(task.id, task.state) for task in changed] == [(first.id, "cancelled")]
    assert latest > version


def test_the_data_of_a_task_has_no_internal_members() -> None:
    with opened() as tasks:
        data: dict[str, Any] = tasks.wait(tasks.start("copy", "Copy", lambda report: 1).id).as_data()
    assert {"version", "result"}.isdisjoint(data)
    assert data["id"] == "1"
