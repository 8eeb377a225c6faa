"""Repositories: a design, connected.

Thin: every method builds a procedure (see reads and transactions) and holds it. `asynchronous` has its async half.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Self, TypeVar, overload

from tablewright.access.async_repository import AsyncRepository
from tablewright.access.calls.procedures import Procedure, run_sync
from tablewright.access.context import Context
from tablewright.access.encryption.key_administration import KeyAdministration
from tablewright.access.explain import Explanation, explained
from tablewright.access.reads.field_rows import Row
from tablewright.access.reads.pages import Page, Unknown, page_of, required
from tablewright.access.reads.pattern_reads import Reads
from tablewright.access.streams.stream_consumers import StreamConsumers
from tablewright.access.writes import batch, transact
from tablewright.access.writes.targets import Target
from tablewright.access.writes.values import Delete, Move, Put, Update, When, Write
from tablewright.connections import Connection, Embedded
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.patterns.patterns import BatchGet, Find, Get, Pattern, Query, Scan

T = TypeVar("T")
R = TypeVar("R")
E = TypeVar("E", bound=Entity)


class Repository:
    """A design on a store; `connect(...)` makes one. Safe to use from many threads."""

    def __init__(self, design: Design, connection: Connection, context: Context) -> None:
        self.design = design
        self.connection = connection
        self.context = context
        self.keys = KeyAdministration(context, self._run)
        self.streams = StreamConsumers(design, context, self._run, creates=isinstance(connection, Embedded))
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
        return run_sync(self._reads.of(pattern).run(pattern, limit, cursor, include_expired), self._call)

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
            page: Page[T] = run_sync(read.run(pattern, None, cursor, include_expired), self._call)
            yield from required(page, unknown)
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
        return page_of(self._run(read.run(pattern, limit, cursor, include_expired)))

    def create(self, entity: E) -> E:
        """Write an entity that must not exist yet, and claim its unique values; the entity as it was written."""
        return self._run(transact.create(self.context, entity))

    def put(self, entity: E) -> E:
        """Write an entity, whether it exists or not; the entity as it was written."""
        return self._run(transact.put(self.context, entity))

    def update(
        self,
        target: Target[E],
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - DynamoDB's own word
        remove: Iterable[str] = (),
        add: Mapping[str, Any] | None = None,
        when: When = None,
        version: int | None = None,
    ) -> E:
        """Change some fields of an entity that exists; the entity as it is now.

        `set` gives fields new values (None removes them), `remove` takes fields away, `add` adds to numbers and sets.
        `when` must hold of the entity as it is, `version` must be its version.
        """
        write = Update(target, set or {}, remove, add or {}, when, version)
        return self._run(transact.update(self.context, write))

    def add(self, target: Target[E], /, **amounts: Any) -> E:
        """Add to numbers of an entity that exists: `db.add(role, applicant_count=1)`; the entity as it is now."""
        return self._run(transact.update(self.context, Update(target, add=amounts)))

    def delete(self, target: Target[E], *, when: When = None, version: int | None = None) -> bool:
        """Remove an entity with its copies and locks; whether there was one. With `when` it must be there.

        When a reply was lost and it had to be sent again, False may be said of what it removed itself.
        """
        return self._run(transact.delete(self.context, Delete(target, when, version)))

    def move(self, target: Target[E], /, *, when: When = None, version: int | None = None, **to: Any) -> E:
        """Change the primary key of an entity: `db.move(task, board_id="b2")`; the entity as it is now."""
        return self._run(transact.move(self.context, Move(target, to, when, version)))

    def transact(self, *writes: Write) -> tuple[Entity | None, ...]:
        """Do all writes or none; for each, the entity as it stands then, where that is known."""
        return self._run(transact.transact(self.context, *writes))

    def batch(self, writes: Iterable[Put[Any] | Delete[Any]]) -> None:
        """Do many puts and deletes, fast, each for itself: for entities that are one item and nothing else."""
        self._run(batch.batch(self.context, writes))

    def explain(self, request: Pattern[Any] | Write, *, limit: int | None = None) -> Explanation:
        """What a run or a write would ask, of which index, and what it would cost; it is not done."""
        return self._run(explained(self._reads, self.context, request, limit))

    @property
    def aio(self) -> AsyncRepository:
        """The same repository for async code; close it with `await db.close()`, or use `async with`."""
        return AsyncRepository(self.design, self.connection, self.context)

    def now(self) -> datetime:
        """The time by this repository's clock, in UTC and whole milliseconds, as timestamps are stored."""
        return self.context.timestamp()

    def close(self) -> None:
        """Let go of the connection; closing twice does no harm."""
        self.connection.close()

    def _run(self, procedure: Procedure[R]) -> R:
        return run_sync(procedure, self._call, time.sleep)

    def __repr__(self) -> str:
        return f"<{self.design.name} on {self.connection!r}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
