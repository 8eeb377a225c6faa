"""Listings: some of many, as a service gives them to whoever asked."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """Some of many, in order; `cursor` continues it, and is None at the end.

    >>> list(Listing((1, 2), "more").made(str))
    ['1', '2']
    """

    items: tuple[T, ...]
    cursor: str | None = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def made(self, make: Callable[[T], U]) -> "Listing[U]":
        """The same, each shown in another form."""
        return Listing(tuple(make(each) for each in self.items), self.cursor)
