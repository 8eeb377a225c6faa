"""The change feed (003:9): what the stream tells of tasks becomes the progress of their goals.

The stream tells everything at least once. What an event did is noted in the transaction that did it, so that it is done
exactly once; a goal that is gone meanwhile is not brought back.
"""

from tablewright import Repository, errors, events, writes
from tablewright_systems.authentication import Caller
from tablewright_systems.goalsguild.design.goals import Handled, ProgressOfGoal, Task
from tablewright_systems.goalsguild.service.deeds import require_role

CONSUMER = "progress"


def follow_progress(
    db: Repository, caller: Caller, consumer: str = CONSUMER, *, create: bool | None = None
) -> int:
    """Bring all goals up to date with what the stream tells by now; how many events there were.

    `create` makes the table where positions in the stream are kept; in an embedded database that is done anyway.
    """
    require_role(caller, "worker")

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
