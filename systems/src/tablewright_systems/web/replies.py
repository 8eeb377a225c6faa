"""Replies that several endpoints send."""

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from pydantic import Field

from tablewright_systems.service.paging import MAX_LIMIT
from tablewright_systems.service.schemas import View

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class _Paged(Protocol[T_co]):
    """A page that a query or a service returns."""

    def __iter__(self) -> Any: ...

    @property
    def cursor(self) -> str | None: ...


class ListReply(View, Generic[T]):
    """A whole list: what one request has created, claimed or changed."""

    items: list[T] = Field(max_length=MAX_LIMIT)


class CountReply(View):
    """A number of resources."""

    count: int


class PageReply(View, Generic[T]):
    """One page of a list."""

    items: list[T]
    cursor: str | None = Field(description="Pass it to get the next page; null on the last page.")

    @classmethod
    def of(cls, page: _Paged[T]) -> "PageReply[T]":
        """Build a reply from a page."""
        return cls(items=list(page), cursor=page.cursor)

    @classmethod
    def map(cls, page: _Paged[Any], convert: Callable[[Any], T]) -> "PageReply[T]":
        """Build a reply from a page, with each item converted."""
        return cls(items=[convert(item) for item in page], cursor=page.cursor)
