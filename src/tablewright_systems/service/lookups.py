"""Lookups: an entity that was found, or the error that names what was not."""

from typing import TypeVar

from tablewright_systems.service.errors import NotFound

T = TypeVar("T")


def require_found(found: T | None, resource: str) -> T:
    """Return what a read found, or raise `NotFound`.

    >>> require_found(None, "board b1")
    Traceback (most recent call last):
    tablewright_systems.service.errors.NotFound: board b1 was not found
    """
    if found is None:
        raise NotFound(resource)
    return found
