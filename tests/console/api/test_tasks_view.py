"""The endpoints of background tasks."""

from itertools import islice

from tablewright.console.api.tasks_view import follow_tasks
from tablewright.console.endpoints import ConsoleRequest
from tablewright.console.tasks import TaskReport
from tests.console.sample_console import console_client


def endless(report: TaskReport) -> None:
    while True:
        report.wait(0.01)


def test_tasks_are_listed_and_described() -> None:
    with console_client(samples=0) as console:
        tasks = console.opened.tasks
        tasks.wait(tasks.start("count", "Count", lambda report: {"items": 3}).id)
        tasks.wait(tasks.start("copy", "Copy", lambda report: None).id)
        listed = console.get("/tasks")["tasks"]
        counts = console.get("/tasks", kind="count")["tasks"]
        described = console.get("/tasks/1")
    assert [each["title"] for each in listed] == ["Copy", "Count"]
    assert [count["title"] for count in counts] == ["Count"]
    assert (described["state"], described["result"]) == ("done", {"items": 3})


def test_a_task_is_cancelled_even_in_a_read_only_console() -> None:
    with console_client(samples=0, writable=False) as console:
        started = console.opened.tasks.start("check", "Check", endless)
        cancelled = console.post(f"/tasks/{started.id}/cancel")
        ended = console.opened.tasks.wait(started.id)
    assert cancelled["is_cancelling"]
    assert ended.state == "cancelled"


def test_an_unknown_task_is_an_error() -> None:
    with console_client(samples=0) as console:
        assert console.error("GET", "/tasks/9")[0] == 400
        status, message = console.error("POST", "/tasks/9/cancel")
    assert (status, message) == (400, "there is no task 9; the 50 that ended last are kept")


def test_changes_are_sent_as_events() -> None:
    with console_client(samples=0) as console:
        tasks = console.opened.tasks
        source = follow_tasks(ConsoleRequest(console.opened, {}, {}))
        assert next(source) is None
        tasks.wait(tasks.start("count", "Count", lambda report: 1).id)
        first, pause = islice(source, 2)
    assert first is not None
    assert (first["title"], first["state"], pause) == ("Count", "done", None)


def test_closing_a_design_ends_its_tasks() -> None:
    with console_client(samples=0) as console:
        started = console.opened.tasks.start("check", "Check", endless)
    assert console.opened.tasks.get(started.id).state == "cancelled"
