"""Timelines: what a user created, by time.

GSI1 has each kind in the order of time, and the kinds one behind the other. So each kind is read as a list,
and the lists are merged by what follows the kind in the sort key: the time and the id.
"""

from collections.abc import Collection
from typing import Annotated, Any

from fastapi import Query

from tablewright import Repository, reads
from tablewright_systems.goalsguild.design.goals import Goal, Milestone, Task
from tablewright_systems.goalsguild.design.rooms import Message
from tablewright_systems.goalsguild.design.timelines import (
    Entry,
    Kind,
    MessagesTimeline,
    Timeline,
    TimelineOfKind,
)
from tablewright_systems.goalsguild.design.users import User
from tablewright_systems.service import FIRST_PAGE, Caller, Paging
from tablewright_systems.web import CurrentCaller, Db, MixedEntries, PageRequest, Router

router = Router("Goals")

TIMELINE = MixedEntries(Goal=Goal, Message=Message, Milestone=Milestone, Task=Task)

ENTITIES = MixedEntries(Goal=Goal, Message=Message, Milestone=Milestone, Task=Task, User=User)


def my_timeline(
    db: Repository, caller: Caller, paging: Paging = FIRST_PAGE, kinds: Collection[Kind] = tuple(Kind)
) -> reads.Page[Entry]:
    """Return what the caller created, newest first."""
    lists = [TimelineOfKind(user_id=caller.user_id, entity=kind) for kind in dict.fromkeys(kinds)]
    return paging.run(db, reads.Merged(lists, ignore_prefix=True))


@router.get("/timeline", response_model=TIMELINE.page, name="my_timeline")
def timeline(
    db: Db,
    caller: CurrentCaller,
    paging: PageRequest,
    kinds: Annotated[list[Kind] | None, Query(alias="kind")] = None,
) -> reads.Page[Any]:
    """List what you created, newest first, optionally of some kinds only."""
    return my_timeline(db, caller, paging, kinds or tuple(Kind)).map(TIMELINE.entry)


@router.get("/timeline/by-kind", response_model=ENTITIES.page)
def my_entities(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[Any]:
    """List your profile and what you created, by kind, and each kind oldest first."""
    return paging.run(db, Timeline(user_id=caller.user_id)).map(ENTITIES.entry)


@router.get("/timeline/messages")
def my_messages(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[Message]:
    """List the messages on your timeline, oldest first."""
    return paging.run(db, MessagesTimeline(user_id=caller.user_id))
