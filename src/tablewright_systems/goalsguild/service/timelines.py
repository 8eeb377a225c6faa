"""Timelines: what a user created, by time.

GSI1 has each kind in the order of time, and the kinds one behind the other. So every kind is read from where the last
page ended, and what was read is merged. A cursor is the place of the last entry: its time and its id.
"""

import base64
import binascii
from collections.abc import Collection
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import TypeAlias

from tablewright import Repository, errors
from tablewright_systems.authentication import Caller
from tablewright_systems.goalsguild.design.rooms import Message
from tablewright_systems.goalsguild.design.timelines import (
    Entry,
    Kind,
    KindBefore,
    MessagesTimeline,
    TimelineOfKind,
)
from tablewright_systems.goalsguild.service.transactions import read
from tablewright_systems.pagination import ResultPage

Place: TypeAlias = tuple[datetime, str]


def my_timeline(
    db: Repository,
    caller: Caller,
    *,
    kinds: Collection[Kind] = tuple(Kind),
    limit: int = 20,
    cursor: str | None = None,
) -> ResultPage[Entry]:
    """Return what the caller created, newest first."""
    before = _place_at(cursor) if cursor else None
    found = [_newest(db, caller.user_id, kind, before, limit + 1) for kind in dict.fromkeys(kinds)]
    entries = tuple(islice(merge(*found, key=_place_of, reverse=True), limit + 1))
    shown = entries[:limit]
    return ResultPage(shown, _cursor(shown[-1]) if len(entries) > limit else None)


def my_messages(
    db: Repository, caller: Caller, *, limit: int = 20, cursor: str | None = None
) -> ResultPage[Message]:
    """Return the messages on the timeline of the caller, oldest first."""
    return read(db, MessagesTimeline(user_id=caller.user_id), limit, cursor)


def _newest(db: Repository, user_id: str, kind: Kind, before: Place | None, limit: int) -> list[Entry]:
    if before is None:
        return list(db.run(TimelineOfKind(user_id=user_id, entity=kind), limit=limit))
    time, last = before
    pattern = KindBefore(user_id=user_id, entity=kind, created_at=time, id=last)
    return [entry for entry in db.run(pattern, limit=limit + 1) if _place_of(entry) < before]


def _place_of(entry: Entry) -> Place:
    return entry.created_at, entry.id


def _cursor(entry: Entry) -> str:
    time, last = _place_of(entry)
    return base64.urlsafe_b64encode(f"{time.isoformat()} {last}".encode()).decode()


def _place_at(cursor: str) -> Place:
    try:
        time, last = base64.urlsafe_b64decode(cursor).decode().split(" ")
        place = datetime.fromisoformat(time), last
    except (ValueError, binascii.Error):
        raise errors.BadCursor("invalid cursor; start again without a cursor") from None
    if place[0].tzinfo is None or not last:
        raise errors.BadCursor("invalid cursor; start again without a cursor")
    return place
