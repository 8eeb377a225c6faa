"""Repositories: a design, connected. `Repository` makes its calls, `AsyncRepository` awaits them.

Both are thin: every method builds a conversation (see reads and writes) and holds it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, overload

from tablewright.access.contexts import Context
from tablewright.access.conversations import Conversation, hold, hold_async
from tablewright.access.explain import Explanation, explain
from tablewright.access.pages import Page
from tablewright.access.reads import Reads
from tablewright.access.rows import Row
from tablewright.connections import Connection
from tablewright.connections.asynchronous import AsyncConnection, asynchronous
from tablewright.design.designs import Design
from tablewright.design.patterns import BatchGet, Find, Get, Pattern, Query, Scan

T = TypeVar("T")
R = TypeVar("R")
Unknown = Literal["raise", "skip"]
"""What streaming does about items that are not what the pattern returns."""


class Repository:
    """A design on a store; `connect(...)` makes one. Safe to use from many threads."""

    def __init__(self, design: Design, connection: Connection, context: Context) -> None:
        self.design = design
        self.connection = connection
        self.context = context
        self._reads = Reads(context)
        self._call = connection.call

    @overload
    def run(self, pattern: Get[T] | Find[T], *, include_expired: bool = False) -> T | None: ...
    @overload
    def run(self, pattern: BatchGet[T], *, include_expired: bool = False) -> Page[T]: ...
    @overload
    def run(
        self,
        pattern: Query[T] | Scan[T],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Page[T]: ...
    def run(
        self,
        pattern: Pattern[Any],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Any:
        """Run a pattern once: an entity or None for `Get` and `Find`, a page for the others.

        A page holds `limit` entities if there are so many, fewer when a filter is so strict that ten requests do not
        bring them together; it goes on at its `cursor`. Without a limit it is what one request brings.
        """
        return hold(self._reads.of(pattern).run(pattern, limit, cursor, include_expired), self._call)

    def iterate(
        self,
        pattern: Query[T] | Scan[T] | BatchGet[T],
        *,
        include_expired: bool = False,
        unknown: Unknown = "raise",
    ) -> Iterator[T]:
        """Every entity, page after page, as they are asked for; unknown items are raised, or skipped if you say so."""
        cursor = None
        read = self._reads.of(pattern)
        while True:
            page: Page[T] = hold(read.run(pattern, None, cursor, include_expired), self._call)
            yield from _required(page, unknown)
            cursor = page.cursor
            if cursor is None:
                return

    def all(
        self,
        pattern: Query[T] | Scan[T] | BatchGet[T],
        *,
        include_expired: bool = False,
        unknown: Unknown = "raise",
    ) -> list[T]:
        """Every entity, in a list."""
        return list(self.iterate(pattern, include_expired=include_expired, unknown=unknown))

    def rows(
        self,
        pattern: Pattern[Any],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Page[Row]:
        """Only the pattern's `fields`: a part of an entity, so a row and no entity."""
        read = self._reads.rows_of(pattern)
        return _page_of(self._hold(read.run(pattern, limit, cursor, include_expired)))

    def explain(self, pattern: Pattern[Any], *, limit: int | None = None) -> Explanation:
        """What a run would ask, of which index, and what it would cost; nothing is sent."""
        reads = self._reads
        return explain((reads.rows_of if pattern.fields else reads.of)(pattern), pattern, limit)

    @property
    def aio(self) -> "AsyncRepository":
        """The same repository for async code; close it with `await db.close()`, or use `async with`."""
        return AsyncRepository(self)

    def close(self) -> None:
        """Let go of the connection; closing twice does no harm."""
        self.connection.close()

    def _hold(self, conversation: Conversation[R]) -> R:
        return hold(conversation, self._call, time.sleep)

    def __repr__(self) -> str:
        return f"<{self.design.name} on {self.connection!r}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncRepository:
    """A repository whose methods are awaited; `connect(...).aio` makes one."""

    def __init__(self, repository: Repository) -> None:
        self.design = repository.design
        self.context = repository.context
        self._repository = repository
        self._reads = Reads(repository.context)
        self.connection: AsyncConnection = asynchronous(repository.connection)

    @overload
    async def run(self, pattern: Get[T] | Find[T], *, include_expired: bool = False) -> T | None: ...
    @overload
    async def run(self, pattern: BatchGet[T], *, include_expired: bool = False) -> Page[T]: ...
    @overload
    async def run(
        self,
        pattern: Query[T] | Scan[T],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Page[T]: ...
    async def run(
        self,
        pattern: Pattern[Any],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Any:
        """As `Repository.run`."""
        return await self._hold(self._reads.of(pattern).run(pattern, limit, cursor, include_expired))

    async def iterate(
        self,
        pattern: Query[T] | Scan[T] | BatchGet[T],
        *,
        include_expired: bool = False,
        unknown: Unknown = "raise",
    ) -> AsyncIterator[T]:
        """As `Repository.iterate`: `async for user in db.iterate(...)`."""
        cursor = None
        read = self._reads.of(pattern)
        while True:
            page: Page[T] = await self._hold(read.run(pattern, None, cursor, include_expired))
            for entity in _required(page, unknown):
                yield entity
            cursor = page.cursor
            if cursor is None:
                return

    async def all(
        self,
        pattern: Query[T] | Scan[T] | BatchGet[T],
        *,
        include_expired: bool = False,
        unknown: Unknown = "raise",
    ) -> list[T]:
        """Every entity, in a list."""
        found = self.iterate(pattern, include_expired=include_expired, unknown=unknown)
        return [entity async for entity in found]

    async def rows(
        self,
        pattern: Pattern[Any],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Page[Row]:
        """As `Repository.rows`."""
        read = self._reads.rows_of(pattern)
        return _page_of(await self._hold(read.run(pattern, limit, cursor, include_expired)))

    def explain(self, pattern: Pattern[Any], *, limit: int | None = None) -> Explanation:
        """As `Repository.explain`; nothing is sent, so nothing is awaited."""
        return self._repository.explain(pattern, limit=limit)

    async def close(self) -> None:
        """Let go of the connections, this one and the one it was made from."""
        await self.connection.close()
        self._repository.close()

    async def _hold(self, conversation: Conversation[R]) -> R:
        return await hold_async(conversation, self.connection.call, asyncio.sleep)

    def __repr__(self) -> str:
        return f"<async {self._repository!r}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _required(page: Page[T], unknown: Unknown) -> tuple[T, ...]:
    if page.unknown and unknown == "raise":
        raise page.unknown[0]
    return page.items


def _page_of(found: Any) -> Page[Row]:
    """A single row, or none, as a page."""
    if isinstance(found, Page):
        return found
    return Page(() if found is None else (found,))
