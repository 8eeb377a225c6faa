"""Parts of requests and replies that several endpoints share."""

from typing import Annotated, Generic, TypeVar

from fastapi import Path

from tablewright_systems.web import View

T = TypeVar("T")

Id = Annotated[str, Path(max_length=128)]


class MixedEntry(View, Generic[T]):
    """An entry of a mixed list, with the name of its kind."""

    kind: str
    entry: T


def with_kind(entry: T) -> MixedEntry[T]:
    """Wrap an entry with the name of its kind."""
    return MixedEntry(kind=type(entry).__name__, entry=entry)
