"""The background tasks: what runs and what has ended, with progress, results and errors. Views start tasks."""

from collections.abc import Iterator
from typing import Any

from tablewright.console.endpoints import ConsoleRequest, events, get, post


def list_tasks(request: ConsoleRequest) -> dict[str, Any]:
    """List the tasks, the newest first; `kind` selects those of one kind."""
    kind = request.query.get("kind")
    tasks = (task for task in request.design.tasks.newest_first() if kind in (None, task.kind))
    return {"tasks": [task.as_data() for task in tasks]}


def describe_task(request: ConsoleRequest) -> dict[str, Any]:
    """Describe a task, with its result."""
    return request.design.tasks.get(request.path["task"]).as_data(with_result=True)


def cancel_task(request: ConsoleRequest) -> dict[str, Any]:
    """Cancel a task at its next report."""
    return request.design.tasks.cancel(request.path["task"]).as_data()


def follow_tasks(request: ConsoleRequest) -> Iterator[dict[str, Any] | None]:
    """Send all tasks, and then each task that changes."""
    version = 0
    while True:
        changed, version = request.design.tasks.changed_since(version)
        yield from (task.as_data() for task in changed)
        yield None


ROUTES = [
    get("/tasks", list_tasks),
    events("/tasks/events", follow_tasks),
    get("/tasks/{task}", describe_task),
    post("/tasks/{task}/cancel", cancel_task, writes=False),
]
