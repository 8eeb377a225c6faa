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
from tablewright_systems.goalsguild.service.transactions import require_role
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Invalid
from tablewright_systems.service.paging import FIRST_PAGE, Paging

MAX_SPAN = timedelta(days=8)


def day_in(zone: str, day: date) -> tuple[datetime, datetime]:
    """Return the start and end of a day in a time zone.

    >>> day_in("Europe/Stockholm", date(2025, 3, 30))[1] - day_in("Europe/Stockholm", date(2025, 3, 30))[0]
    datetime.timedelta(seconds=82800)
    """
    try:
        start, end = (
            datetime.combine(each, time(), ZoneInfo(zone)).astimezone(UTC)
            for each in (day, day + timedelta(days=1))
        )
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Invalid(f"time zone {zone} does not exist", "zone") from None
    except OverflowError:
        raise Invalid("this day does not exist in that time zone", "day") from None
    return start, end


def due_tasks(db: Repository, caller: Caller, start: datetime, end: datetime) -> list[Task]:
    """Return the open tasks of all users due from `start` until before `end`, by due date."""
    require_role(caller, "worker", "admin")
    found = (task for bucket in _buckets(start, end) for task in db.iterate(bucket))
    return sorted(found, key=lambda task: (task.listed_at, task.id))


def remind(db: Repository, caller: Caller, start: datetime, end: datetime) -> int:
    """Write reminders of all tasks due in a time range; return the number of new reminders."""
    return sum(_remind_once(db, task) for task in due_tasks(db, caller, start, end))


def my_reminders(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[Reminder]:
    """Return the reminders of the caller, latest due date first."""
    return paging.run(db, RemindersOfUser(user_id=caller.user_id))


def _buckets(start: datetime, end: datetime) -> Iterator[DueTasks]:
    last = min(end, start + MAX_SPAN)
    day = start.astimezone(UTC).date()
    while day <= last.astimezone(UTC).date():
        for shard in range(SHARDS):
            yield DueTasks(day=day, shard=shard, start=start, end=last)
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
