"""Progress of goals, counted from the stream of tasks (A23).

The stream delivers events at least once. Each event is recorded in the transaction that counts it, so it is counted
exactly once. A goal that was deleted meanwhile is not restored.
"""

from tablewright import Repository, errors, events, writes
from tablewright_systems.goalsguild.design.goals import Handled, ProgressOfGoal, Task
from tablewright_systems.service import Caller

CONSUMER = "progress"


def update_progress(
    db: Repository, caller: Caller, consumer: str = CONSUMER, *, create: bool | None = None
) -> int:
    """Update the progress of all goals from the stream, and return the number of events.

    `create` creates the table of stream positions; an embedded database always creates it.
    """
    caller.require_role("worker")

    @events.on(Task, "inserted")
    def added(event: events.Inserted[Task]) -> None:
        _count(db, event.id, event.new, tasks=1, done=int(event.new.done))

    @events.on(Task, "modified")
    def done(event: events.Modified[Task]) -> None:
        _count(db, event.id, event.new, tasks=0, done=event.new.done - event.old.done)

    @events.on(Task, "removed")
    def removed(event: events.Removed[Task]) -> None:
        _count(db, event.id, event.old, tasks=-1, done=-int(event.old.done))

    return db.streams.handle(added, done, removed, consumer=consumer, create=create).delivered


def _count(db: Repository, event_id: str, task: Task, **amounts: int) -> None:
    if not any(amounts.values()):
        return
    try:
        db.transact(
            writes.Create(Handled(event_id=event_id)),
            writes.Add(ProgressOfGoal(goal_id=task.goal_id), **amounts),
        )
    except errors.TransactionFailed as failed:
        handled, gone = failed.failures
        if not (isinstance(handled, errors.AlreadyExists) or isinstance(gone, errors.DoesNotExist)):
            raise
