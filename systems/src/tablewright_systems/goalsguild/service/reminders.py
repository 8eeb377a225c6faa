"""Reminders: one for each due date of a task, with any number of workers and retries.

Buckets of GSI4 are days in UTC, spread over shards. A day in another time zone covers two of them.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tablewright import Repository, errors, reads, writes
from tablewright_systems.goalsguild.design.goals import (
    SHARDS,
    DueTasks,
    Reminder,
    RemindersOfUser,
    Task,
    TaskById,
)
from tablewright_systems.service import FIRST_PAGE, Caller, Invalid, JobRun, Paging
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, problems

router = Router("Goals")

LEAD = timedelta(days=1)
"""How long before its due date a task is reminded of."""
INDEX_LAG = timedelta(hours=1)
"""How long GSI4 may lag behind the table."""

_WORKER = Caller("reminders", {"roles": ["worker"]})


def day_in(zone: str, day: date) -> tuple[datetime, datetime]:
    """Return the start and end of a day in a time zone.

    >>> day_in("Europe/Stockholm", date(2025, 3, 30))[1] - day_in("Europe/Stockholm", date(2025, 3, 30))[0]
    datetime.timedelta(seconds=82800)
    """
    try:
        start, end = (
            datetime.combine(start, time(), ZoneInfo(zone)).astimezone(UTC)
            for start in (day, day + timedelta(days=1))
        )
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Invalid(f"time zone {zone} does not exist", "zone") from None
    except OverflowError:
        raise Invalid("this day does not exist in that time zone", "day") from None
    return start, end


def due_tasks(
    db: Repository, caller: Caller, start: datetime, end: datetime, paging: Paging = FIRST_PAGE
) -> reads.Page[Task]:
    """Return the open tasks of all users due from `start` until before `end`, by due date."""
    caller.require_role("worker", "admin")
    return paging.run(db, reads.Merged(list(_buckets(start, end))))


def remind(db: Repository, caller: Caller, start: datetime, end: datetime) -> int:
    """Write reminders of all tasks due in a time range; return the number of new reminders."""
    caller.require_role("worker")
    return sum(
        _remind_once(db, task)
        for bucket in _buckets(start, end)
        for task in db.iterate(bucket, unknown="skip")
    )


def remind_in_advance(run: JobRun) -> None:
    """Write reminders of tasks due until a day from now, as a background job.

    It begins where the last run did, also after a long pause. A task can be added, and an index can lag: each run looks
    at all tasks again that are due from then on.
    """
    now = run.db.now()
    since = run.since(now)
    for start in _days(since - INDEX_LAG, now + LEAD):
        remind(run.db, _WORKER, start, min(start + timedelta(days=1), now + LEAD))
    run.save(now.isoformat())


def _days(start: datetime, end: datetime) -> Iterator[datetime]:
    """The starts of the days, of 24 hours each, that a time range consists of."""
    while start < end:
        yield start
        start += timedelta(days=1)


def _buckets(start: datetime, end: datetime) -> Iterator[DueTasks]:
    day = start.astimezone(UTC).date()
    while day <= end.astimezone(UTC).date():
        for shard in range(SHARDS):
            yield DueTasks(day=day, shard=shard, start=start, end=end)
        day += timedelta(days=1)


def _remind_once(db: Repository, task: Task) -> bool:
    """Mark a task and write its reminder, if it is still open, not reminded, and due at that time."""
    if task.due_at is None or task.reminded_at is not None:
        return False
    reminder = Reminder(
        user_id=task.user_id,
        goal_id=task.goal_id,
        task_id=task.id,
        title=task.title,
        due_at=task.due_at,
    )
    as_shown = (
        (Task.due_at == task.due_at) & (Task.done == task.done) & (Task.reminded_at == task.reminded_at)
    )
    target = TaskById(goal_id=task.goal_id, task_id=task.id)
    mark = writes.Update(target, set={"reminded_at": db.now()}, when=as_shown)
    try:
        db.transact(mark, writes.Create(reminder))
    except errors.TransactionFailed as failed:
        if all(failure is None or isinstance(failure, errors.WriteError) for failure in failed.failures):
            return False
        raise
    return True


@router.get("/reminders")
def my_reminders(db: Db, caller: CurrentCaller) -> RemindersOfUser:
    """List your reminders, latest due date first."""
    return RemindersOfUser(user_id=caller.user_id)


@router.get("/due-tasks", responses=problems(403), name="due_tasks")
def tasks_due_on(
    db: Db, caller: CurrentCaller, paging: PageRequest, day: date, zone: str = "UTC"
) -> reads.Page[Task]:
    """List the open tasks of all users that are due on a day, by due date (workers, administrators)."""
    return due_tasks(db, caller, *day_in(zone, day), paging)
