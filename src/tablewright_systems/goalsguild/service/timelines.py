"""Timelines: what a user created, by time.

GSI1 has each kind in the order of time, and the kinds one behind the other. So each kind is read as a list,
and the lists are merged by what follows the kind in the sort key: the time and the id.
"""

from collections.abc import Collection

from tablewright import Repository, reads
from tablewright_systems.goalsguild.design.rooms import Message
from tablewright_systems.goalsguild.design.timelines import (
    Entry,
    Kind,
    MessagesTimeline,
    TimelineOfKind,
)
from tablewright_systems.service.callers import Caller


def my_timeline(
    db: Repository,
    caller: Caller,
    *,
    kinds: Collection[Kind] = tuple(Kind),
    limit: int = 20,
    cursor: str | None = None,
) -> reads.Page[Entry]:
    """Return what the caller created, newest first."""
    lists = [TimelineOfKind(user_id=caller.user_id, entity=kind) for kind in dict.fromkeys(kinds)]
    return db.run(reads.Merged(lists, ignore_prefix=True), limit=limit, cursor=cursor)


def my_messages(
    db: Repository, caller: Caller, *, limit: int = 20, cursor: str | None = None
) -> reads.Page[Message]:
    """Return the messages on the timeline of the caller, oldest first."""
    return db.run(MessagesTimeline(user_id=caller.user_id), limit=limit, cursor=cursor)
