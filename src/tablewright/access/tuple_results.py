"""Calls whose result has one entry for each argument, each with its own type: `get_all` and `transact`.

user, team = db.get_all(UserById(user_id="u1"), TeamById(team_id="t1"))       # User | None, Team | None
created, _ = db.transact(writes.Create(user), writes.Delete(invitation))      # User, None
"""

# Evaluating the types of the overloads would make every import 4 ms slower.
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, TypeVar, overload

from tablewright.access.context import Context
from tablewright.access.procedures import Procedure
from tablewright.access.reads.compiled_reads import CompiledReads, get_all
from tablewright.access.writes import entity_writes
from tablewright.access.writes.values import Write, WriteOf
from tablewright.design.entities.entities import Entity
from tablewright.design.patterns import Get, Pattern

T = TypeVar("T")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")
G = TypeVar("G")
H = TypeVar("H")


class TupleResults(ABC):
    """`get_all` and `transact` of a repository."""

    context: Context
    _reads: CompiledReads

    @overload
    def get_all(self, patterns: Iterable[Get[T]], /, *, include_expired: bool = False) -> list[T | None]: ...
    @overload
    def get_all(self, a: Get[A], /, *, include_expired: bool = False) -> tuple[A | None]: ...
    @overload
    def get_all(
        self, a: Get[A], b: Get[B], /, *, include_expired: bool = False
    ) -> tuple[A | None, B | None]: ...
    @overload
    def get_all(
        self, a: Get[A], b: Get[B], c: Get[C], /, *, include_expired: bool = False
    ) -> tuple[A | None, B | None, C | None]: ...
    @overload
    def get_all(
        self, a: Get[A], b: Get[B], c: Get[C], d: Get[D], /, *, include_expired: bool = False
    ) -> tuple[A | None, B | None, C | None, D | None]: ...
    @overload
    def get_all(
        self, a: Get[A], b: Get[B], c: Get[C], d: Get[D], e: Get[E], /, *, include_expired: bool = False
    ) -> tuple[A | None, B | None, C | None, D | None, E | None]: ...
    @overload
    def get_all(
        self,
        a: Get[A],
        b: Get[B],
        c: Get[C],
        d: Get[D],
        e: Get[E],
        f: Get[F],
        /,
        *,
        include_expired: bool = False,
    ) -> tuple[A | None, B | None, C | None, D | None, E | None, F | None]: ...
    @overload
    def get_all(
        self,
        a: Get[A],
        b: Get[B],
        c: Get[C],
        d: Get[D],
        e: Get[E],
        f: Get[F],
        g: Get[G],
        /,
        *,
        include_expired: bool = False,
    ) -> tuple[A | None, B | None, C | None, D | None, E | None, F | None, G | None]: ...
    @overload
    def get_all(
        self,
        a: Get[A],
        b: Get[B],
        c: Get[C],
        d: Get[D],
        e: Get[E],
        f: Get[F],
        g: Get[G],
        h: Get[H],
        /,
        *,
        include_expired: bool = False,
    ) -> tuple[A | None, B | None, C | None, D | None, E | None, F | None, G | None, H | None]: ...
    @overload
    def get_all(self, *patterns: Get[Any], include_expired: bool = False) -> tuple[Any, ...]: ...
    def get_all(self, *patterns: Any, include_expired: bool = False) -> Any:
        """Read many entities by their keys, of any tables, in few requests; None where there is none.

        `get_all(UserById(user_id="u1"), TeamById(team_id="t1"))` returns a tuple, with the type of each. A list of
        `Get` returns a list. Both are in the order of the patterns. Up to 100 entities are read in one request, each at
        its own point in time. A key that is given twice is read once. When one pattern of a table is `consistent`, all
        of that table are.
        """
        if len(patterns) != 1 or isinstance(patterns[0], Pattern):
            return tuple(self._run(get_all(self._reads, self.context, patterns, include_expired)))
        listed = tuple(patterns[0])
        return self._run(get_all(self._reads, self.context, listed, include_expired))

    @overload
    def transact(self) -> tuple[()]: ...
    @overload
    def transact(self, a: WriteOf[A], /) -> tuple[A]: ...
    @overload
    def transact(self, a: WriteOf[A], b: WriteOf[B], /) -> tuple[A, B]: ...
    @overload
    def transact(self, a: WriteOf[A], b: WriteOf[B], c: WriteOf[C], /) -> tuple[A, B, C]: ...
    @overload
    def transact(
        self, a: WriteOf[A], b: WriteOf[B], c: WriteOf[C], d: WriteOf[D], /
    ) -> tuple[A, B, C, D]: ...
    @overload
    def transact(
        self, a: WriteOf[A], b: WriteOf[B], c: WriteOf[C], d: WriteOf[D], e: WriteOf[E], /
    ) -> tuple[A, B, C, D, E]: ...
    @overload
    def transact(
        self, a: WriteOf[A], b: WriteOf[B], c: WriteOf[C], d: WriteOf[D], e: WriteOf[E], f: WriteOf[F], /
    ) -> tuple[A, B, C, D, E, F]: ...
    @overload
    def transact(
        self,
        a: WriteOf[A],
        b: WriteOf[B],
        c: WriteOf[C],
        d: WriteOf[D],
        e: WriteOf[E],
        f: WriteOf[F],
        g: WriteOf[G],
        /,
    ) -> tuple[A, B, C, D, E, F, G]: ...
    @overload
    def transact(
        self,
        a: WriteOf[A],
        b: WriteOf[B],
        c: WriteOf[C],
        d: WriteOf[D],
        e: WriteOf[E],
        f: WriteOf[F],
        g: WriteOf[G],
        h: WriteOf[H],
        /,
    ) -> tuple[A, B, C, D, E, F, G, H]: ...
    @overload
    def transact(self, *writes: Write) -> tuple[Entity | None, ...]: ...
    def transact(self, *writes: Any) -> tuple[Any, ...]:
        """Execute all writes or none; return the new entity of each write, or None where it is not known.

        It is known of `Create`, `Put` and `Move`. It is None of `Delete`, `Check` and `CheckAbsent`, and of an `Update`
        or `Upsert` that could be sent without reading the entity: DynamoDB does not return it.

        Raise the `otherwise` of the first failed write that has one; without one, `TransactionFailed`.
        """
        return self._run(entity_writes.transact(self.context, *writes))

    @abstractmethod
    def _run(self, procedure: Procedure[R]) -> R:
        """Make the calls of a procedure; return its result."""


class AsyncTupleResults(ABC):
    """`get_all` and `transact` of an async repository."""

    context: Context
    _reads: CompiledReads

    @overload
    async def get_all(
        self, patterns: Iterable[Get[T]], /, *, include_expired: bool = False
    ) -> list[T | None]: ...
    @overload
    async def get_all(self, a: Get[A], /, *, include_expired: bool = False) -> tuple[A | None]: ...
    @overload
    async def get_all(
        self, a: Get[A], b: Get[B], /, *, include_expired: bool = False
    ) -> tuple[A | None, B | None]: ...
    @overload
    async def get_all(
        self, a: Get[A], b: Get[B], c: Get[C], /, *, include_expired: bool = False
    ) -> tuple[A | None, B | None, C | None]: ...
    @overload
    async def get_all(
        self, a: Get[A], b: Get[B], c: Get[C], d: Get[D], /, *, include_expired: bool = False
    ) -> tuple[A | None, B | None, C | None, D | None]: ...
    @overload
    async def get_all(
        self, a: Get[A], b: Get[B], c: Get[C], d: Get[D], e: Get[E], /, *, include_expired: bool = False
    ) -> tuple[A | None, B | None, C | None, D | None, E | None]: ...
    @overload
    async def get_all(
        self,
        a: Get[A],
        b: Get[B],
        c: Get[C],
        d: Get[D],
        e: Get[E],
        f: Get[F],
        /,
        *,
        include_expired: bool = False,
    ) -> tuple[A | None, B | None, C | None, D | None, E | None, F | None]: ...
    @overload
    async def get_all(
        self,
        a: Get[A],
        b: Get[B],
        c: Get[C],
        d: Get[D],
        e: Get[E],
        f: Get[F],
        g: Get[G],
        /,
        *,
        include_expired: bool = False,
    ) -> tuple[A | None, B | None, C | None, D | None, E | None, F | None, G | None]: ...
    @overload
    async def get_all(
        self,
        a: Get[A],
        b: Get[B],
        c: Get[C],
        d: Get[D],
        e: Get[E],
        f: Get[F],
        g: Get[G],
        h: Get[H],
        /,
        *,
        include_expired: bool = False,
    ) -> tuple[A | None, B | None, C | None, D | None, E | None, F | None, G | None, H | None]: ...
    @overload
    async def get_all(self, *patterns: Get[Any], include_expired: bool = False) -> tuple[Any, ...]: ...
    async def get_all(self, *patterns: Any, include_expired: bool = False) -> Any:
        """As `Repository.get_all`."""
        if len(patterns) != 1 or isinstance(patterns[0], Pattern):
            return tuple(await self._run(get_all(self._reads, self.context, patterns, include_expired)))
        listed = tuple(patterns[0])
        return await self._run(get_all(self._reads, self.context, listed, include_expired))

    @overload
    async def transact(self) -> tuple[()]: ...
    @overload
    async def transact(self, a: WriteOf[A], /) -> tuple[A]: ...
    @overload
    async def transact(self, a: WriteOf[A], b: WriteOf[B], /) -> tuple[A, B]: ...
    @overload
    async def transact(self, a: WriteOf[A], b: WriteOf[B], c: WriteOf[C], /) -> tuple[A, B, C]: ...
    @overload
    async def transact(
        self, a: WriteOf[A], b: WriteOf[B], c: WriteOf[C], d: WriteOf[D], /
    ) -> tuple[A, B, C, D]: ...
    @overload
    async def transact(
        self, a: WriteOf[A], b: WriteOf[B], c: WriteOf[C], d: WriteOf[D], e: WriteOf[E], /
    ) -> tuple[A, B, C, D, E]: ...
    @overload
    async def transact(
        self, a: WriteOf[A], b: WriteOf[B], c: WriteOf[C], d: WriteOf[D], e: WriteOf[E], f: WriteOf[F], /
    ) -> tuple[A, B, C, D, E, F]: ...
    @overload
    async def transact(
        self,
        a: WriteOf[A],
        b: WriteOf[B],
        c: WriteOf[C],
        d: WriteOf[D],
        e: WriteOf[E],
        f: WriteOf[F],
        g: WriteOf[G],
        /,
    ) -> tuple[A, B, C, D, E, F, G]: ...
    @overload
    async def transact(
        self,
        a: WriteOf[A],
        b: WriteOf[B],
        c: WriteOf[C],
        d: WriteOf[D],
        e: WriteOf[E],
        f: WriteOf[F],
        g: WriteOf[G],
        h: WriteOf[H],
        /,
    ) -> tuple[A, B, C, D, E, F, G, H]: ...
    @overload
    async def transact(self, *writes: Write) -> tuple[Entity | None, ...]: ...
    async def transact(self, *writes: Any) -> tuple[Any, ...]:
        """As `Repository.transact`."""
        return await self._run(entity_writes.transact(self.context, *writes))

    @abstractmethod
    async def _run(self, procedure: Procedure[R]) -> R:
        """Make the calls of a procedure; return its result."""
