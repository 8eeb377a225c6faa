"""Pages: the result of a read of many items."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, Generic, Literal, TypeVar, overload

from tablewright.deferred_dataclasses import dataclass
from tablewright.errors import UnknownItem

T = TypeVar("T")
U = TypeVar("U")
Unknown = Literal["raise", "skip"]
"""What an iteration does with items that are not what the pattern returns."""


@dataclass(frozen=True, slots=True)
class Page(Sequence[T], Generic[T]):
    """Entities in their order, and a cursor for the next page.

    >>> page = Page(("a", "b"), cursor=None)
    >>> list(page), page[0], len(page)
    (['a', 'b'], 'a', 2)
    """

    items: tuple[T, ...]
    cursor: str | None = None
    """Pass it to the next run of the same pattern with the same parameters; None on the last page."""
    unknown: tuple[UnknownItem, ...] = ()
    """Items that the read found and that are not what the pattern returns."""
    consumed: float = 0.0
    """Consumed capacity units."""

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        return self.items[place]

    def map(self, convert: Callable[[T], U]) -> "Page[U]":
        """Return the page with each entity converted: `page.map(UserView.of)`.

        >>> Page((1, 2), cursor="next").map(str)
        Page(items=('1', '2'), cursor='next', unknown=(), consumed=0.0)
        """
        return Page(tuple(convert(item) for item in self.items), self.cursor, self.unknown, self.consumed)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)


@dataclass(slots=True)
class PageBuilder:
    """A page under construction."""

    items: list[Any] = field(default_factory=list)
    unknown: list[UnknownItem] = field(default_factory=list)
    consumed: float = 0.0

    def page(self, cursor: str | None = None) -> Page[Any]:
        """Return the page."""
        return Page(tuple(self.items), cursor, tuple(self.unknown), self.consumed)


def known_items(page: Page[T], unknown: Unknown) -> tuple[T, ...]:
    """Return the entities of a page; raise the first unknown item unless unknown items are skipped."""
    if page.unknown and unknown == "raise":
        raise page.unknown[0]
    return page.items


def page_of(result: Page[T] | T | None) -> Page[T]:
    """Return the result of any read as a page: a single entity is a page of one, None is an empty page."""
    if isinstance(result, Page):
        return result
    return Page(() if result is None else (result,))
