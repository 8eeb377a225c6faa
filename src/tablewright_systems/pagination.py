"""Listings: some of many, as a service gives them to whoever asked."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class ResultPage(Generic[T]):
    """Some of many, in order; `cursor` continues it, and is None at the end.

    >>> list(ResultPage((1, 2), "more").map(str))
    ['1', '2']
    """

    items: tuple[T, ...]
    cursor: str | None = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def map(self, make: Callable[[T], U]) -> "ResultPage[U]":
        """The same, each shown in another form."""
        return ResultPage(tuple(make(each) for each in self.items), self.cursor)
