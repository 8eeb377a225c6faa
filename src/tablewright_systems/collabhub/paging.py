"""Paging: pages of one list, of several lists in sequence, and of shards merged to one list."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import dropwhile
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from tablewright import Query, Repository, errors, fields
from tablewright_systems.pagination import ResultPage

T = TypeVar("T")

DEFAULT_LIMIT = 20
_STAMP: TypeAdapter[datetime] = TypeAdapter(fields.Timestamp)


def page(
    db: Repository, pattern: Query[T], limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> ResultPage[T]:
    """Return a page of one list."""
    found = db.run(pattern, limit=limit, cursor=cursor)
    return ResultPage(found.items, found.cursor)


def chained(
    db: Repository, lists: Mapping[str, Query[T]], limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> ResultPage[T]:
    """Return a page of several lists in sequence. The cursor contains the name of the current list."""
    start, inner = _decode_cursor(cursor) if cursor is not None else (next(iter(lists), ""), None)
    if cursor is not None and start not in lists:
        raise errors.BadCursor("the cursor belongs to another list")
    items: list[T] = []
    for name, pattern in dropwhile(lambda entry: entry[0] != start, lists.items()):
        if len(items) == limit:
            return ResultPage(tuple(items), _encode_cursor(name, None))
        found = db.run(pattern, limit=limit - len(items), cursor=inner)
        items += found
        if found.cursor is not None:
            return ResultPage(tuple(items), _encode_cursor(name, found.cursor))
        inner = None
    return ResultPage(tuple(items))


def merged(
    db: Repository,
    shards: Iterable[Query[T]],
    key: Callable[[T], str],
    limit: int = DEFAULT_LIMIT,
    *,
    after: str | None = None,
    newest_first: bool = False,
) -> ResultPage[T]:
    """Return a page of shards that are each sorted by a key; the cursor is the key of the last item.

    `after` is the key of the last item of the previous page: a range includes its ends, so that item is skipped.
    """
    read_limit = limit + (1 if after is None else 2)
    found = [each for shard in shards for each in db.run(shard, limit=read_limit) if key(each) != after]
    found.sort(key=key, reverse=newest_first)
    items = tuple(found[:limit])
    return ResultPage(items, key(items[-1]) if len(found) > limit else None)


def format_timestamp(timestamp: datetime) -> str:
    """Return a timestamp as it is stored in keys.

    >>> format_timestamp(datetime.fromisoformat("2025-08-08T10:00Z"))
    '2025-08-08T10:00:00.000Z'
    """
    text: str = _STAMP.dump_python(timestamp)
    return text


def parse_timestamp(key: str) -> datetime:
    """Return the timestamp at the start of a cursor's key, or raise BadCursor."""
    try:
        timestamp: datetime = _STAMP.validate_python(key.partition("#")[0])
    except ValidationError:
        raise errors.BadCursor("the cursor is not valid") from None
    return timestamp


def with_named_cursor(page: ResultPage[T], name: str) -> ResultPage[T]:
    """Return the page with a cursor that is valid only for the list of that name."""
    return ResultPage(page.items, None if page.cursor is None else _encode_cursor(name, page.cursor))


def position(cursor: str | None, name: str) -> str | None:
    """Return the key in a cursor of the list of that name."""
    if cursor is None:
        return None
    found, key = _decode_cursor(cursor)
    if found != name or not isinstance(key, str):
        raise errors.BadCursor("the cursor belongs to another list")
    return key


def _encode_cursor(*parts: Any) -> str:
    return urlsafe_b64encode(json.dumps(parts).encode()).decode()


def _decode_cursor(cursor: str) -> list[Any]:
    try:
        parts = json.loads(urlsafe_b64decode(cursor.encode()))
    except (ValueError, RecursionError):
        raise errors.BadCursor("the cursor is not valid") from None
    if not isinstance(parts, list) or len(parts) != 2 or not isinstance(parts[0], str):
        raise errors.BadCursor("the cursor is not valid")
    return parts
