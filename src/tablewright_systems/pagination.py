"""Pagination: one page of a list, as a service returns it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class ResultPage(Generic[T]):
    """One page of results, in order; `cursor` continues with the next page, and is None on the last one.

    >>> list(ResultPage((1, 2), "more").map(str))
    ['1', '2']
    """

    items: tuple[T, ...]
    cursor: str | None = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def map(self, convert: Callable[[T], U]) -> "ResultPage[U]":
        """Return this page with each item converted."""
        return ResultPage(tuple(convert(item) for item in self.items), self.cursor)
