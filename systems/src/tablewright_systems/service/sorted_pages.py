"""Pages of a short list that the store does not sort: the service reads the whole list, sorts it and returns a page.

    return sorted_page(db.all(ServiceCatalogue()), paging, "catalogue", lambda entry: entry.service_type)

The cursor has the sort key of the last item of the page, so that a page neither repeats nor omits items when others are
added or deleted in the meantime. Use it for lists with a natural bound, such as the sessions of a user; a list without
one needs an index that has its order.
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from tablewright import errors, reads
from tablewright_systems.service.paging import Paging

T = TypeVar("T")


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
    keyed.sort(key=lambda each: each[0], reverse=descending)
    if paging.cursor is not None:
        keyed = _after(keyed, _position(paging.cursor, name), descending)
    found = keyed[: paging.limit]
    cursor = _cursor(name, found[-1][0]) if len(keyed) > len(found) else None
    return reads.Page(tuple(item for _, item in found), cursor)


def _after(keyed: list[tuple[Any, T]], position: Any, descending: bool) -> list[tuple[Any, T]]:
    try:
        return [each for each in keyed if (each[0] < position if descending else each[0] > position)]
    except TypeError:
        raise _bad_cursor() from None


def _cursor(name: str, position: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps([name, position]).encode()).decode().rstrip("=")


def _position(cursor: str, name: str) -> Any:
    try:
        padding = "=" * (-len(cursor) % 4)
        found, position = json.loads(base64.b64decode(cursor + padding, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, TypeError, RecursionError):
        raise _bad_cursor() from None
    if found != name:
        raise _bad_cursor()
    return position


def _bad_cursor() -> errors.BadCursor:
    return errors.BadCursor("the cursor is damaged, or belongs to another list")
