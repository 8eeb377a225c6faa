"""Timelines: what a user created, by time.

GSI1 has each kind in the order of time, and the kinds one behind the other. So each kind is read as a list,
and the lists are merged by what follows the kind in the sort key: the time and the id.
"""

from collections.abc import Collection

from tablewright import Repository, reads
from tablewright_systems.goalsguild.design.timelines import Entry, Kind, TimelineOfKind
from tablewright_systems.service import FIRST_PAGE, Caller, Paging


def my_timeline(
    db: Repository, caller: Caller, paging: Paging = FIRST_PAGE, kinds: Collection[Kind] = tuple(Kind)
) -> reads.Page[Entry]:
    """Return what the caller created, newest first."""
    lists = [TimelineOfKind(user_id=caller.user_id, entity=kind) for kind in dict.fromkeys(kinds)]
    return paging.run(db, reads.Merged(lists, ignore_prefix=True))
