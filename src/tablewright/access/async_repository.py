"""The async repository: the methods of `Repository`, awaited."""

from __future__ import annotations  # see `repository`

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from tablewright.access.context import Context
from tablewright.access.create_tables import missing_tables_error
from tablewright.access.encryption.key_rotation import AsyncKeyAdministration
from tablewright.access.explain import Explanation, explained
from tablewright.access.method_names import MethodNames
from tablewright.access.otherwise import Otherwise
from tablewright.access.procedures import Procedure, RetryCounts, retry_counts, run_async
from tablewright.access.reads.combined import Chained, Merged
from tablewright.access.reads.compiled_reads import CompiledReads, Readable, get_or_raise
from tablewright.access.reads.nearest_read import Match
from tablewright.access.reads.pages import Page, Row, Unknown, known_items, page_of
from tablewright.access.streams.stream_consumers import AsyncStreamConsumers
from tablewright.access.tuple_results import AsyncTupleResults
from tablewright.access.writes import batch, entity_writes
from tablewright.access.writes.flow_retries import retrying
from tablewright.access.writes.values import (
    Add,
    Delete,
    DeletionReport,
    Move,
    Put,
    TargetLike,
    Update,
    Upsert,
    When,
    Write,
)
from tablewright.connections import Connection, Embedded
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.field_changes import Change
from tablewright.design.patterns import BatchGet, Find, Get, Nearest, Pattern, Query, Scan
from tablewright.errors import ResourceNotFound

if TYPE_CHECKING:
    from tablewright.connections.async_connection import AsyncConnection

T = TypeVar("T")
R = TypeVar("R")
E = TypeVar("E", bound=Entity)


class AsyncRepository(MethodNames, AsyncTupleResults):
    """A repository for async code; `connect(...).aio` returns one."""

    def __init__(self, design: Design, connection: Connection, context: Context) -> None:
        from tablewright.connections.async_connection import async_connection

        self.design = design
        self.context = context
        self.connection: AsyncConnection = async_connection(connection)
        self.keys = AsyncKeyAdministration(context, self._run)
        self.streams = AsyncStreamConsumers(
            design, context, self._run, creates=isinstance(connection, Embedded)
        )
        self._sync_connection = connection
        self.retrying = retrying
        self._reads = CompiledReads(context)

    @overload
    async def run(self, pattern: Get[T] | Find[T], *, include_expired: bool = False) -> T | None: ...
    @overload
    async def run(self, pattern: BatchGet[T], *, include_expired: bool = False) -> Page[T]: ...
    @overload
    async def run(
        self, pattern: Nearest[T], *, limit: int | None = None, include_expired: bool = False
    ) -> Page[Match[T]]: ...
    @overload
    async def run(
        self,
        pattern: Query[T] | Scan[T] | Merged[T] | Chained[T],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Page[T]: ...
    async def run(
        self,
        pattern: Readable,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Any:
        """As `Repository.run`."""
        return await self._run(self._reads.of(pattern).run(pattern, limit, cursor, include_expired))

    async def get_or_raise(
        self, pattern: Get[T] | Find[T], *, otherwise: Otherwise | None = None, include_expired: bool = False
    ) -> T:
        """As `Repository.get_or_raise`."""
        read = self._reads.of(pattern)
        entity: T = await self._run(get_or_raise(read, pattern, otherwise, include_expired))
        return entity

    async def iterate(
        self,
        pattern: Query[T] | Scan[T] | BatchGet[T] | Merged[T] | Chained[T],
        *,
        include_expired: bool = False,
        unknown: Unknown = "raise",
    ) -> AsyncIterator[T]:
        """As `Repository.iterate`: `async for user in db.iterate(...)`."""
        pages = self._reads.pages(pattern, include_expired)
        while not pages.is_finished:
            page: Page[T] = await self._run(pages.next_page())
            for entity in known_items(page, unknown):
                yield entity

    async def all(
        self,
        pattern: Query[T] | Scan[T] | BatchGet[T] | Merged[T] | Chained[T],
        *,
        include_expired: bool = False,
        unknown: Unknown = "raise",
    ) -> list[T]:
        """As `Repository.all`."""
        entities = self.iterate(pattern, include_expired=include_expired, unknown=unknown)
        return [entity async for entity in entities]

    @overload
    async def rows(
        self, pattern: Nearest[Any], *, limit: int | None = None, include_expired: bool = False
    ) -> Page[Match[Row]]: ...
    @overload
    async def rows(
        self,
        pattern: Get[Any] | Find[Any] | Query[Any] | Scan[Any] | BatchGet[Any] | Merged[Any] | Chained[Any],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Page[Row]: ...
    @overload
    async def rows(
        self, pattern: Pattern[Any], *, limit: int | None = None, include_expired: bool = False
    ) -> Page[Any]: ...
    async def rows(
        self,
        pattern: Readable,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Page[Any]:
        """As `Repository.rows`."""
        read = self._reads.rows_of(pattern)
        return page_of(await self._run(read.run(pattern, limit, cursor, include_expired)))

    async def explain(
        self, request: Readable | Sequence[Get[Any]] | Write, *, limit: int | None = None
    ) -> Explanation:
        """As `Repository.explain`."""
        return await self._run(explained(self._reads, self.context, request, limit))

    async def create(self, entity: E, *, otherwise: Otherwise | None = None) -> E:
        """As `Repository.create`."""
        return await self._run(entity_writes.create(self.context, entity, otherwise))

    async def put(self, entity: E, *, otherwise: Otherwise | None = None) -> E:
        """As `Repository.put`."""
        return await self._run(entity_writes.put(self.context, entity, otherwise))

    async def update(
        self,
        target: TargetLike[E],
        *changes: Change,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - DynamoDB's own word
        remove: Iterable[str] = (),
        add: Mapping[str, Any] | None = None,
        when: When = None,
        version: int | None = None,
        otherwise: Otherwise | None = None,
    ) -> E:
        """As `Repository.update`."""
        write = Update(
            target,
            *changes,
            set=set,
            remove=remove,
            add=add,
            when=when,
            version=version,
            otherwise=otherwise,
        )
        return await self._run(entity_writes.update(self.context, write))

    async def upsert(
        self,
        entity: E,
        *changes: Change,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - DynamoDB's own word
        remove: Iterable[str] = (),
        add: Mapping[str, Any] | None = None,
        when: When = None,
        otherwise: Otherwise | None = None,
    ) -> E:
        """As `Repository.upsert`."""
        write = Upsert(entity, *changes, set=set, remove=remove, add=add, when=when, otherwise=otherwise)
        return await self._run(entity_writes.upsert(self.context, write))

    async def add(
        self, target: TargetLike[E], /, *changes: Change, otherwise: Any = None, **amounts: Any
    ) -> E:
        """As `Repository.add`."""
        return await self._run(
            entity_writes.update(self.context, Add(target, *changes, otherwise=otherwise, **amounts))
        )

    async def delete(
        self,
        target: TargetLike[E],
        *,
        when: When = None,
        version: int | None = None,
        otherwise: Otherwise | None = None,
    ) -> bool:
        """As `Repository.delete`."""
        return await self._run(
            entity_writes.delete(self.context, Delete(target, when, version, otherwise=otherwise))
        )

    async def delete_with_owned(
        self, target: TargetLike[E], *, on_progress: Callable[[DeletionReport], None] | None = None
    ) -> DeletionReport:
        """Delete an entity with what it owns: the entities whose `fields.OwnedBy` refers to it, and what these own.

        What is owned is deleted first, so that nothing is orphaned when the process ends at any point; the same call
        continues. `on_progress` is called with the report after each step. See `DeletionReport`.
        """
        from tablewright.access.writes.owned_deletion import delete_with_owned

        return await self._run(delete_with_owned(self.context, self.design, target, on_progress))

    async def move(
        self,
        target: TargetLike[E],
        /,
        *,
        when: When = None,
        version: int | None = None,
        otherwise: Otherwise | None = None,
        **to: Any,
    ) -> E:
        """As `Repository.move`."""
        return await self._run(
            entity_writes.move(self.context, Move(target, to, when, version, otherwise=otherwise))
        )

    async def batch(self, writes: Iterable[Put[Any] | Delete[Any]]) -> None:
        """As `Repository.batch`."""
        await self._run(batch.batch(self.context, writes))

    def now(self) -> datetime:
        """As `Repository.now`."""
        return self.context.timestamp()

    @staticmethod
    def retry_counts() -> RetryCounts:
        """Return how often requests of this process were repeated or given up; see `Repository.retry_counts`."""
        return retry_counts()

    async def close(self) -> None:
        """Close the async connection and the connection that it was made from."""
        await self.connection.close()
        self._sync_connection.close()

    async def _run(self, procedure: Procedure[R]) -> R:
        from asyncio import sleep  # imported here, so that sync programs do not load asyncio

        try:
            return await run_async(procedure, self.connection.call, sleep)
        except ResourceNotFound as error:
            missing = missing_tables_error(self.context, self.design.tables, self._sync_connection, error)
            raise await run_async(missing, self.connection.call, sleep) from error

    def __repr__(self) -> str:
        return f"<async {self.design.name} on {self._sync_connection!r}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
