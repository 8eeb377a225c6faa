"""Reading through indexes; and, in development only, without them (133).

A store is one for development when it was connected with `environment="development"`. There, a table that lacks an
index, or is still building it, is read whole instead: the same entities, in the same order, all on one page. Anywhere
else, and for any other refusal, the refusal stands. What is read so proves nothing about uniqueness: claims do that.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from tablewright import Find, Query, Repository, Scan, errors
from tablewright_systems.boards import design
from tablewright_systems.pagination import ResultPage

T = TypeVar("T")

DEVELOPMENT = "development"
_NO_INDEX = (
    "The table does not have the specified index",
    "Cannot read from backfilling global secondary index",
)


class _Way(NamedTuple):
    """How to read what an index would give."""

    pattern: type[Scan[Any] | Query[Any]]
    order: Callable[[Any], Any] = lambda entity: 0


_WAYS: Mapping[type[Find[Any] | Query[Any]], _Way] = {
    design.ProfileByUserName: _Way(design.ProfileByUserNameScanned),
    design.BoardsOfOwner: _Way(
        design.BoardsOfOwnerScanned, order=lambda board: (board.created_at, board.board_id)
    ),
    design.BoardByName: _Way(design.BoardByNameScanned),
    design.BoardsOfUser: _Way(
        design.BoardsOfUserScanned, order=lambda membership: (membership.joined_at, membership.board_id)
    ),
    design.RequestsOfUser: _Way(
        design.RequestsOfUserScanned, order=lambda request: (request.created_at, request.board_id)
    ),
    design.ServicesOfBoard: _Way(
        design.ServicesOfBoardNow, order=lambda service: (service.service_type, service.service_id)
    ),
    design.ServicesOfBoardByType: _Way(
        design.ServicesOfBoardByTypeNow, order=lambda service: service.service_id
    ),
    design.BoardOfService: _Way(design.BoardOfServiceScanned),
}


def listed(
    db: Repository, pattern: Query[T], limit: int | None = None, cursor: str | None = None
) -> ResultPage[T]:
    """A page of what a pattern finds."""
    try:
        page = db.run(pattern, limit=limit, cursor=cursor)
    except errors.ValidationError as refusal:
        return ResultPage(tuple(_without_index(db, pattern, refusal)))
    return ResultPage(page.items, page.cursor)


def every(db: Repository, pattern: Query[T]) -> list[T]:
    """All that a pattern finds, page after page."""
    try:
        return db.all(pattern)
    except errors.ValidationError as refusal:
        return _without_index(db, pattern, refusal)


def found(db: Repository, pattern: Find[T]) -> T | None:
    """The one that a pattern finds."""
    try:
        return db.run(pattern)
    except errors.ValidationError as refusal:
        several = _without_index(db, pattern, refusal)
    if len(several) > 1:
        raise errors.SeveralFound(type(pattern).__name__)
    return several[0] if several else None


def _without_index(db: Repository, pattern: Find[T] | Query[T], refusal: errors.ValidationError) -> list[T]:
    if db.context.environment != DEVELOPMENT or not refusal.message.startswith(_NO_INDEX):
        raise refusal
    way = _WAYS[type(pattern)]
    return sorted(db.all(way.pattern(**dict(pattern))), key=way.order, reverse=type(pattern).newest_first)
