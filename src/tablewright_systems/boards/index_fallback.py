"""Read through indexes; in development only, scan the table when an index is missing (133).

A store is in development when it was connected with `environment="development"`. There, a table that lacks an index, or
is still building it, is scanned instead: the same entities, in the same order, all on one page. In other environments,
and for any other error, the error is raised. Uniqueness never depends on these reads: claims enforce it.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from tablewright import Find, Query, Repository, Scan, errors, reads
from tablewright_systems.boards import design
from tablewright_systems.service.paging import FIRST_PAGE, Paging

T = TypeVar("T")

DEVELOPMENT = "development"
_NO_INDEX = (
    "The table does not have the specified index",
    "Cannot read from backfilling global secondary index",
)


class _Fallback(NamedTuple):
    """A pattern that reads the same entities without the index, and their order."""

    pattern: type[Scan[Any] | Query[Any]]
    order: Callable[[Any], Any] = lambda entity: 0


_FALLBACKS: Mapping[type[Find[Any] | Query[Any]], _Fallback] = {
    design.ProfileByUserName: _Fallback(design.ProfileByUserNameScanned),
    design.BoardsOfOwner: _Fallback(
        design.BoardsOfOwnerScanned, order=lambda board: (board.created_at, board.board_id)
    ),
    design.BoardByName: _Fallback(design.BoardByNameScanned),
    design.BoardsOfUser: _Fallback(
        design.BoardsOfUserScanned, order=lambda membership: (membership.joined_at, membership.board_id)
    ),
    design.RequestsOfUser: _Fallback(
        design.RequestsOfUserScanned, order=lambda request: (request.created_at, request.board_id)
    ),
    design.ServicesOfBoard: _Fallback(
        design.ServicesOfBoardNow, order=lambda service: (service.service_type, service.service_id)
    ),
    design.ServicesOfBoardByType: _Fallback(
        design.ServicesOfBoardByTypeNow, order=lambda service: service.service_id
    ),
    design.BoardOfService: _Fallback(design.BoardOfServiceScanned),
}


def read_page(db: Repository, pattern: Query[T], paging: Paging = FIRST_PAGE) -> reads.Page[T]:
    """Read one page of a pattern."""
    try:
        return paging.run(db, pattern)
    except errors.ValidationError as error:
        return reads.Page(tuple(_without_index(db, pattern, error)))


def read_all(db: Repository, pattern: Query[T]) -> list[T]:
    """Read all pages of a pattern."""
    try:
        return db.all(pattern)
    except errors.ValidationError as error:
        return _without_index(db, pattern, error)


def read_one(db: Repository, pattern: Find[T]) -> T | None:
    """Read the entity that a pattern finds, or None."""
    try:
        return db.run(pattern)
    except errors.ValidationError as error:
        several = _without_index(db, pattern, error)
    if len(several) > 1:
        raise errors.SeveralFound(type(pattern).__name__)
    return several[0] if several else None


def _without_index(db: Repository, pattern: Find[T] | Query[T], error: errors.ValidationError) -> list[T]:
    if db.context.environment != DEVELOPMENT or not error.message.startswith(_NO_INDEX):
        raise error
    fallback = _FALLBACKS[type(pattern)]
    return sorted(
        db.all(fallback.pattern(**dict(pattern))), key=fallback.order, reverse=type(pattern).descending
    )
