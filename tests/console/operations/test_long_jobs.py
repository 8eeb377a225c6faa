"""Waiting for a job of the store: polls until its end, reports, and can be cancelled."""

from tablewright.console.operations.long_jobs import Description, wait_for
from tablewright.console.tasks import Report, Tasks


def test_a_job_is_polled_until_its_end() -> None:
    listed: list[Description] = [
        {"status": "RUNNING", "items": 1},
        {"status": "RUNNING", "items": 2},
        {"status": "DONE"},
    ]
    replies = iter(listed)
    texts = []

    def run(report: Report) -> Description:
        def describe(found: Description) -> str:
            texts.append(found["items"])
            return f"{found['items']} items"

        return wait_for(lambda: next(replies), lambda found: found["status"] == "RUNNING", report, describe)

    tasks = Tasks()
    ended = tasks.wait(tasks.start("job", "Job", run).id)
    tasks.close()
    assert (ended.state, ended.result, ended.text, texts) == ("done", {"status": "DONE"}, "2 items", [1, 2])


def test_a_cancelled_task_stops_waiting() -> None:
    def run(report: Report) -> Description:
        return wait_for(dict, lambda found: True, report, lambda found: "running")

    tasks = Tasks()
    task = tasks.start("job", "Job", run)
    tasks.cancel(task.id)
    assert tasks.wait(task.id).state == "cancelled"
    tasks.close()
