"""Paging: which page of a list the client requests. Services take it whole, and run a pattern with it.

def members(db: Repository, caller: Caller, board_id: str, paging: Paging = FIRST_PAGE) -> reads.Page[Membership]:
    require_member(db, caller, board_id)
    return paging.run(db, MembersOfBoard(board_id=board_id))
"""

import logging
from dataclasses import dataclass
from typing import TypeVar

from tablewright import Query, Repository, Scan, reads

T = TypeVar("T")

log = logging.getLogger(__name__)

DEFAULT_LIMIT = 20
"""Items in a page, unless the client requests another number."""
MAX_LIMIT = 100
"""The most items that a client can request for a page."""


@dataclass(frozen=True, slots=True)
class Paging:
    """The size of a page, and the cursor of the page before; no cursor is the first page."""

    limit: int = DEFAULT_LIMIT
    cursor: str | None = None

    def run(
        self, db: Repository, pattern: Query[T] | Scan[T] | reads.Merged[T] | reads.Chained[T]
    ) -> reads.Page[T]:
        """Read the page of a pattern. Rows that cannot be read are left out, and logged."""
        page = db.run(pattern, limit=self.limit, cursor=self.cursor)
        for unreadable in page.unknown:
            log.warning("left out of a list: %s", unreadable)
        return page


FIRST_PAGE = Paging()
