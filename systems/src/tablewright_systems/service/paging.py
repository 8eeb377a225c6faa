"""Paging: which page of a list the client requests. Services take it whole, and run a pattern with it.

def members(db: Repository, caller: Caller, board_id: str, paging: Paging = FIRST_PAGE) -> reads.Page[Membership]:
    require_member(db, caller, board_id)
    return paging.run(db, MembersOfBoard(board_id=board_id))

A short list that the store does not sort is read whole, sorted, and returned as a page by `sorted_page`:

    return sorted_page(db.all(ServiceCatalogue()), paging, "catalogue", lambda entry: entry.service_type)

Its cursor has the sort key of the last item of the page, so that a page neither repeats nor omits items when others are
added or deleted in the meantime. Use it for lists with a natural bound, such as the sessions of a user; a list without
one needs an index that has its order.

The open end of a time range always has the same value, because cursors depend on it.
"""

import base64
import binascii
import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypedDict, TypeVar

from tablewright import Query, Repository, Scan, errors, reads
from tablewright_systems.service.errors import Invalid

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


class TimeRange(TypedDict):
    """From start to end, both included."""

    start: datetime
    end: datetime


ALL_TIME = TimeRange(start=datetime(1970, 1, 1, tzinfo=UTC), end=datetime(9999, 12, 31, tzinfo=UTC))


def time_range(start: datetime | None, end: datetime | None) -> TimeRange:
    """Return the range; an end that is None is open. Raise `Invalid` if the range ends before it starts."""
    chosen = TimeRange(start=start or ALL_TIME["start"], end=end or ALL_TIME["end"])
    if chosen["start"] > chosen["end"]:
        raise Invalid("end is before start", "end")
    return chosen


def sorted_page(
    items: Iterable[T], paging: Paging, name: str, order: Callable[[T], Any], *, descending: bool = False
) -> reads.Page[T]:
    """Return the requested page of a list.

    `name` distinguishes the list from others: a cursor of another list is rejected. `order` returns the sort key of an
    item, made of JSON values; two items with equal keys need an ID in it.

    >>> page = sorted_page(["b", "c", "a"], Paging(2), "letters", str)
    >>> list(page), list(sorted_page(["b", "c", "a"], Paging(2, page.cursor), "letters", str))
    (['a', 'b'], ['c'])
    """
    keyed = [(json.loads(json.dumps(order(item))), item) for item in items]
    keyed.sort(key=lambda pair: pair[0], reverse=descending)
    if paging.cursor is not None:
        keyed = _after(keyed, _position(paging.cursor, name), descending)
    shown = keyed[: paging.limit]
    cursor = _cursor(name, shown[-1][0]) if len(keyed) > len(shown) else None
    return reads.Page(tuple(item for _, item in shown), cursor)


def _after(keyed: list[tuple[Any, T]], position: Any, descending: bool) -> list[tuple[Any, T]]:
    try:
        return [pair for pair in keyed if (pair[0] < position if descending else pair[0] > position)]
    except TypeError:
        raise _bad_cursor() from None


def _cursor(name: str, position: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps([name, position]).encode()).decode().rstrip("=")


def _position(cursor: str, name: str) -> Any:
    try:
        padding = "=" * (-len(cursor) % 4)
        list_name, position = json.loads(base64.b64decode(cursor + padding, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, TypeError, RecursionError):
        raise _bad_cursor() from None
    if list_name != name:
        raise _bad_cursor()
    return position


def _bad_cursor() -> errors.BadCursor:
    return errors.BadCursor("the cursor is damaged, or belongs to another list")
