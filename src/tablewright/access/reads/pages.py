"""Pages: what a read of many brings back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar, overload

from tablewright.errors import UnknownItem

T = TypeVar("T")
Unknown = Literal["raise", "skip"]
"""What streaming does about items that are not what the pattern returns."""


@dataclass(frozen=True, slots=True)
class Page(Sequence[T], Generic[T]):
    """Entities in their order, and how to go on.

    >>> page = Page(("a", "b"), cursor=None)
    >>> list(page), page[0], len(page)
    (['a', 'b'], 'a', 2)
    """

    items: tuple[T, ...]
    cursor: str | None = None
    """Give it to the next run of the same pattern with the same parameters; None at the end."""
    unknown: tuple[UnknownItem, ...] = ()
    """Items that were met and are not what the pattern returns."""
    consumed: float = 0.0
    """Capacity units that it took."""

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        return self.items[place]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)


def required(page: Page[T], unknown: Unknown) -> tuple[T, ...]:
    """The entities of a page, unless it met something unknown and that is not to be skipped."""
    if page.unknown and unknown == "raise":
        raise page.unknown[0]
    return page.items


def page_of(found: Page[T] | T | None) -> Page[T]:
    """What a read brought, also where it is a single one, or none, as a page."""
    if isinstance(found, Page):
        return found
    return Page(() if found is None else (found,))
