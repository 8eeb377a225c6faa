"""Lookups: an entity that was found, or the error that names what was not."""

from typing import Protocol, TypeVar

from tablewright_systems.service.errors import NotFound, PreconditionFailed

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


class Versioned(Protocol):
    """An entity with a version."""

    @property
    def version(self) -> int:
        """Number of its writes."""
        ...


def require_version(entity: Versioned, expected: int | None) -> None:
    """Raise `PreconditionFailed` unless the entity has the version that the client expects; None expects any.

    The write must demand the version of the entity too: a write of the entity itself does.
    """
    if expected is not None and entity.version != expected:
        raise PreconditionFailed
