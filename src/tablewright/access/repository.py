"""The repository: a design connected to a store.

Every method builds a procedure (see `reads` and `writes`) and runs it. `async_repository` has the async methods.
What few programs use is imported at first use.
"""

# Evaluated, annotations such as `Get[T] | Find[T]` would make Pydantic build a model for each.
from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from tablewright.access.context import Context
from tablewright.access.method_names import MethodNames
from tablewright.access.otherwise import Otherwise
from tablewright.access.procedures import Procedure, RetryCounts, retry_counts, run_sync
from tablewright.access.reads.combined import Chained, Merged
from tablewright.access.reads.compiled_reads import CompiledReads, Readable, get_or_raise
from tablewright.access.reads.nearest_read import Match
from tablewright.access.reads.pages import Page, Row, Unknown, known_items, page_of
from tablewright.access.tuple_results import TupleResults
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

T = TypeVar("T")
R = TypeVar("R")
E = TypeVar("E", bound=Entity)
if TYPE_CHECKING:
    from typing_extensions import (
        TypeVar as TypeVarWithDefault,  # Python 3.11 has no defaults of type variables
    )

    from tablewright.access.async_repository import AsyncRepository
    from tablewright.access.encryption.key_rotation import KeyAdministration
    from tablewright.access.explain import Explanation
    from tablewright.access.streams.stream_consumers import StreamConsumers

    ConnectionT = TypeVarWithDefault("ConnectionT", bound=Connection, default=Connection, covariant=True)
else:
    ConnectionT = TypeVar("ConnectionT", covariant=True)


class Repository(MethodNames, TupleResults, Generic[ConnectionT]):
    """A design connected to a store; `connect(...)` returns one. Safe to share between threads.

    Type checkers know the kind of `connection`: `connect(design)` returns a `Repository[Embedded]`, with the
    methods `sweep()` and `client()` of the embedded database. `Repository` without brackets is one on any connection.

    Writes take `otherwise`: the caller's own exception, raised when a precondition of the write fails.

    `retrying` runs a whole flow again when what it has read was changed.
    """

    def __init__(self, design: Design, connection: ConnectionT, context: Context) -> None:
        self.design = design
        self.connection = connection
        self.context = context
        self.retrying = retrying
        self._reads = CompiledReads(context)
        self._call = connection.call

    @cached_property
    def keys(self) -> KeyAdministration:
        """Administers the encryption keys."""
        from tablewright.access.encryption.key_rotation import KeyAdministration

        return KeyAdministration(self.context, self._run)

    @cached_property
    def streams(self) -> StreamConsumers:
        """Delivers stream records to listeners."""
        from tablewright.access.streams.stream_consumers import StreamConsumers

        creates = isinstance(self.connection, Embedded)
        return StreamConsumers(self.design, self.context, self._run, creates=creates)

    @overload
    def run(self, pattern: Get[T] | Find[T], *, include_expired: bool = False) -> T | None: ...
    @overload
    def run(self, pattern: BatchGet[T], *, include_expired: bool = False) -> Page[T]: ...
    @overload
    def run(
        self, pattern: Nearest[T], *, limit: int | None = None, include_expired: bool = False
    ) -> Page[Match[T]]: ...
    @overload
    def run(
        self,
        pattern: Query[T] | Scan[T] | Merged[T] | Chained[T],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Page[T]: ...
    def run(
        self,
        pattern: Readable,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Any:
        """Run a pattern once; return an entity or None for `Get` and `Find`, a page for the others.

        The page of a `Nearest` has an entity and its score in each entry, the nearest first; it has no cursor.

        A page holds `limit` entities if there are as many; fewer, when ten requests do not find them because of a
        filter. Pass its `cursor` to read the next page. Without a limit, a page is the result of one request.
        """
        try:
            return run_sync(self._reads.of(pattern).run(pattern, limit, cursor, include_expired), self._call)
        except ResourceNotFound as error:
            raise self._missing_tables(error) from error

    def get_or_raise(
        self, pattern: Get[T] | Find[T], *, otherwise: Otherwise | None = None, include_expired: bool = False
    ) -> T:
        """Run a `Get` or `Find`; return its entity, or raise `DoesNotExist` with the class and the parameters.

        `otherwise` is raised instead: an exception, an exception class, or a function that returns an exception.
        """
        read = self._reads.of(pattern)
        entity: T = self._run(get_or_raise(read, pattern, otherwise, include_expired))
        return entity

    def iterate(
        self,
        pattern: Query[T] | Scan[T] | BatchGet[T] | Merged[T] | Chained[T],
        *,
        include_expired: bool = False,
        unknown: Unknown = "raise",
    ) -> Iterator[T]:
        """Iterate over all entities, reading the pages as needed; `unknown="skip"` skips unknown items."""
        pages = self._reads.pages(pattern, include_expired)
        while not pages.is_finished:
            page: Page[T] = self._run(pages.next_page())
            yield from known_items(page, unknown)

    def all(
        self,
        pattern: Query[T] | Scan[T] | BatchGet[T] | Merged[T] | Chained[T],
        *,
        include_expired: bool = False,
        unknown: Unknown = "raise",
    ) -> list[T]:
        """Return a list of all entities."""
        return list(self.iterate(pattern, include_expired=include_expired, unknown=unknown))

    @overload
    def rows(
        self, pattern: Nearest[Any], *, limit: int | None = None, include_expired: bool = False
    ) -> Page[Match[Row]]: ...
    @overload
    def rows(
        self,
        pattern: Get[Any] | Find[Any] | Query[Any] | Scan[Any] | BatchGet[Any] | Merged[Any] | Chained[Any],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Page[Row]: ...
    @overload
    def rows(
        self, pattern: Pattern[Any], *, limit: int | None = None, include_expired: bool = False
    ) -> Page[Any]: ...
    def rows(
        self,
        pattern: Readable,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Page[Any]:
        """Run a pattern that reads only some `fields`; return rows."""
        read = self._reads.rows_of(pattern)
        return page_of(self._run(read.run(pattern, limit, cursor, include_expired)))

    def create(self, entity: E, *, otherwise: Otherwise | None = None) -> E:
        """Write an entity that must not exist yet, and claim its unique values; return it as written."""
        return self._run(entity_writes.create(self.context, entity, otherwise))

    def put(self, entity: E, *, otherwise: Otherwise | None = None) -> E:
        """Write an entity, whether it exists or not; return it as written."""
        return self._run(entity_writes.put(self.context, entity, otherwise))

    def update(
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
        """Change some fields of an existing entity: `db.update(user, User.name.set("Ada"))`; return the new entity.

        `fields.of(User.name).set("Ada")` is the same change, and type checkers see it. As mappings, `set` sets fields
        (None removes them), `remove` removes fields, `add` adds to numbers and sets. The condition `when` must hold for
        the stored entity, and `version` must be its version.
        """
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
        return self._run(entity_writes.update(self.context, write))

    def upsert(
        self,
        entity: E,
        *changes: Change,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - DynamoDB's own word
        remove: Iterable[str] = (),
        add: Mapping[str, Any] | None = None,
        when: When = None,
        otherwise: Otherwise | None = None,
    ) -> E:
        """Create an entity if it does not exist; otherwise apply an update to the stored one; return the new entity.

        The changes, `set`, `remove`, `add` and `when` are those of `update`. Without them, the update sets the fields
        that the entity was given. Counters, automatic fields and other fields keep their values; the version is not
        compared.
        """
        write = Upsert(entity, *changes, set=set, remove=remove, add=add, when=when, otherwise=otherwise)
        return self._run(entity_writes.upsert(self.context, write))

    def add(self, target: TargetLike[E], /, *changes: Change, otherwise: Any = None, **amounts: Any) -> E:
        """Add to numbers of an existing entity: `db.add(role, applicant_count=1)`; return the new entity."""
        return self._run(
            entity_writes.update(self.context, Add(target, *changes, otherwise=otherwise, **amounts))
        )

    def delete(
        self,
        target: TargetLike[E],
        *,
        when: When = None,
        version: int | None = None,
        otherwise: Otherwise | None = None,
    ) -> bool:
        """Delete an entity with its copies and locks; return whether it existed.

        With `when`, `version` or `otherwise` it must exist.

        After a lost reply the call is repeated; the result may then be False although this call deleted the entity.
        """
        return self._run(
            entity_writes.delete(self.context, Delete(target, when, version, otherwise=otherwise))
        )

    def delete_with_owned(
        self, target: TargetLike[E], *, on_progress: Callable[[DeletionReport], None] | None = None
    ) -> DeletionReport:
        """Delete an entity with what it owns: the entities whose `fields.OwnedBy` refers to it, and what these own.

        What is owned is deleted first, so that nothing is orphaned when the process ends at any point; the same call
        continues. `on_progress` is called with the report after each step. See `DeletionReport`.
        """
        from tablewright.access.writes.owned_deletion import delete_with_owned

        return self._run(delete_with_owned(self.context, self.design, target, on_progress))

    def move(
        self,
        target: TargetLike[E],
        /,
        *,
        when: When = None,
        version: int | None = None,
        otherwise: Otherwise | None = None,
        **to: Any,
    ) -> E:
        """Change the primary key of an entity: `db.move(task, board_id="b2")`; return the new entity."""
        return self._run(
            entity_writes.move(self.context, Move(target, to, when, version, otherwise=otherwise))
        )

    def batch(self, writes: Iterable[Put[Any] | Delete[Any]]) -> None:
        """Execute many puts and deletes, fast, each on its own: for entities without copies and unique values."""
        self._run(batch.batch(self.context, writes))

    def explain(
        self, request: Readable | Sequence[Get[Any]] | Write, *, limit: int | None = None
    ) -> Explanation:
        """Return the request that a run or a write would send, and its estimated cost, without sending it."""
        from tablewright.access.explain import explained

        return self._run(explained(self._reads, self.context, request, limit))

    @property
    def aio(self) -> AsyncRepository:
        """The same repository for async code; close it with `await db.close()`, or use `async with`."""
        from tablewright.access.async_repository import AsyncRepository

        return AsyncRepository(self.design, self.connection, self.context)

    def now(self) -> datetime:
        """Return the time by this repository's clock, in UTC and whole milliseconds, as timestamps are stored."""
        return self.context.timestamp()

    @staticmethod
    def retry_counts() -> RetryCounts:
        """Return how often requests of this process were repeated or given up, because of throttling and other errors.

        >>> Repository.retry_counts().given_up.get("ProvisionedThroughputExceededException", 0) >= 0
        True
        """
        return retry_counts()

    def close(self) -> None:
        """Close the connection; closing twice has no effect."""
        self.connection.close()

    def _run(self, procedure: Procedure[R]) -> R:
        try:
            return run_sync(procedure, self._call, time.sleep)
        except ResourceNotFound as error:
            raise self._missing_tables(error) from error

    def _missing_tables(self, error: ResourceNotFound) -> ResourceNotFound:
        from tablewright.access.create_tables import missing_tables_error

        named = missing_tables_error(self.context, self.design.tables, self.connection, error)
        return run_sync(named, self._call)

    def __repr__(self) -> str:
        return f"<{self.design.name} on {self.connection!r}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
