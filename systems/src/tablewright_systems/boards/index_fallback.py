"""Read through indexes; in development only, read without them when an index is missing (R16).

A store is in development when it was connected with `environment="development"`, as `tablewright-systems up` does.
There, a table that lacks an index, or is still building it, is scanned instead: the same entities, in the same order,
all on one page. In other environments, and for any other error, the error is raised. Uniqueness never depends on
these reads: claims enforce it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

from tablewright import Entity, Find, Get, Query, Repository, Scan, errors, reads, writes
from tablewright_systems.boards import design
from tablewright_systems.service import FIRST_PAGE, Paging, erase_all

T = TypeVar("T")
E = TypeVar("E", bound=Entity)

DEVELOPMENT = "development"
_NO_INDEX = (
    "The table does not have the specified index",
    "Cannot read from backfilling global secondary index",
)

_FALLBACKS: Mapping[type[Find[Any] | Query[Any]], Callable[[Any], Scan[Any] | Query[Any]]] = {
    design.ProfilesByUserName: lambda pattern: design.AllProfiles(),
    design.BoardsOfOwner: lambda pattern: design.AllBoards(),
    design.BoardsByName: lambda pattern: design.AllBoards(),
    design.BoardsOfUser: lambda pattern: design.AllMemberships(),
    design.RequestsOfUser: lambda pattern: design.AllRequests(),
    design.ServicesOfBoard: lambda pattern: design.ServicesOfBoardNow(board_id=pattern.board_id),
    design.ServicesOfBoardByType: lambda pattern: design.ServicesOfBoardNow(board_id=pattern.board_id),
    design.BoardOfService: lambda pattern: design.AllServices(),
}
"""For each pattern that reads an index, one that finds at least the same entities without it."""

_ORDER: Mapping[type[Entity], tuple[str, str]] = {
    design.UserProfile: ("created_at", "user_id"),
    design.Board: ("created_at", "board_id"),
    design.BoardMembership: ("joined_at", "board_id"),
    design.BoardJoinRequest: ("created_at", "board_id"),
    design.BoardServiceSetting: ("service_type", "service_id"),
}
"""Fields by which the indexes order the entities of each class."""


def read_page(db: Repository, pattern: Query[T], paging: Paging = FIRST_PAGE) -> reads.Page[T]:
    """Read one page of a pattern."""
    try:
        return paging.run(db, pattern)
    except errors.ValidationError as error:
        return reads.Page(tuple(_without_index(db, pattern, error)))


def read_all(db: Repository, pattern: Query[T], *, unknown: Literal["raise", "skip"] = "raise") -> list[T]:
    """Read all pages of a pattern; `unknown` is what to do with rows that cannot be read."""
    try:
        return db.all(pattern, unknown=unknown)
    except errors.ValidationError as error:
        return _without_index(db, pattern, error)


def erase_rows(db: Repository, pattern: Query[Any]) -> None:
    """Delete all rows of a pattern, also those that cannot be read."""
    try:
        erase_all(db, pattern)
    except errors.ValidationError as error:
        db.batch(map(writes.Delete, _without_index(db, pattern, error)))


def read_one(db: Repository, pattern: Find[T]) -> T | None:
    """Read the entity that a pattern finds, or None."""
    try:
        return db.run(pattern)
    except errors.ValidationError as error:
        entities = _without_index(db, pattern, error)
    if len(entities) > 1:
        raise errors.SeveralFound(type(pattern).__name__)
    return entities[0] if entities else None


def read_oldest(db: Repository, pattern: Query[E], by_key: Callable[[E], Get[E]]) -> E | None:
    """Read the oldest entity of a pattern from the table: an index can show values that have changed since."""
    for row in sorted(read_all(db, pattern), key=_order):
        current = db.run(by_key(row))
        if current is not None and _matches(current, pattern):
            return current
    return None


def _without_index(db: Repository, pattern: Find[T] | Query[T], error: errors.ValidationError) -> list[T]:
    if db.context.environment != DEVELOPMENT or not error.message.startswith(_NO_INDEX):
        raise error
    entities = db.all(_FALLBACKS[type(pattern)](pattern), unknown="skip")
    matching = [entity for entity in entities if _matches(entity, pattern)]
    return sorted(matching, key=_order, reverse=type(pattern).descending)


def _matches(entity: Any, pattern: Find[Any] | Query[Any]) -> bool:
    return all(getattr(entity, name) == value for name, value in pattern)


def _order(entity: Any) -> list[Any]:
    return [getattr(entity, name) for name in _ORDER[type(entity)]]
