"""Group commit: many writers, one flush to disk.

Writers take turns on the one writing connection, all inside one open transaction. Whoever finishes with nobody left
in line commits for everyone before it; the others wait for that. So a lone writer commits at once, and sixteen
writers share a flush. Nobody is answered before the transaction that holds its work is on disk, and that includes
refusals: a refusal may rest on a neighbour's write that is not durable yet.
"""

import contextlib
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import apsw

from tablewright.errors import ServiceError, StoreError
from tablewright.storage.rows import Transaction, View

T = TypeVar("T")

# A group is closed at this size even while others wait, so that the first in it is not kept for long.
LARGEST_GROUP = 256


class Group:
    """The writes that one commit makes durable, or one failure undoes."""

    __slots__ = ("_settled", "failure", "size")

    def __init__(self) -> None:
        self.size = 0
        self.failure: StoreError | None = None
        self._settled: threading.Event | None = None

    def promise(self) -> None:
        """Called before leaving a group open for somebody else to commit."""
        if self._settled is None:
            self._settled = threading.Event()

    def settle(self, failure: StoreError | None = None) -> None:
        """The group is durable, or failed as a whole."""
        self.failure = failure
        if self._settled is not None:
            self._settled.set()

    def wait(self) -> None:
        """Return when the group is durable; raise when it failed."""
        if self._settled is not None:
            self._settled.wait()
        if self.failure is not None:
            raise self.failure


class Staged(Generic[T]):
    """The outcome of a piece of work, not to be told to anybody before its group is durable."""

    __slots__ = ("_refusal", "_result", "group")

    def __init__(self, group: Group, result: T | None, refusal: ServiceError | None) -> None:
        self.group = group
        self._result = result
        self._refusal = refusal

    def outcome(self) -> T:
        """The result, or the refusal, once it is durable."""
        self.group.wait()
        return self.tentative()

    def tentative(self) -> T:
        """The result, or the refusal, as it will be if the group does not fail."""
        if self._refusal is not None:
            raise self._refusal
        return self._result  # type: ignore[return-value]


class Writers:
    """The line of writers before one connection."""

    def __init__(self, connection: apsw.Connection, explain: Callable[[apsw.Error], StoreError]) -> None:
        self._transaction = Transaction(connection)
        self._explain = explain
        self._turn = threading.Lock()
        self._line: set[object] = set()
        self._group: Group | None = None
        self.after_undo: Callable[[View], None] = lambda view: None

    def run(self, work: Callable[[Transaction], T]) -> T:
        """Do the work inside a transaction and return when it is durable."""
        return self._take_turn(work, commit=True).outcome()

    def peek(self, work: Callable[[Transaction], T]) -> T:
        """Read between two writers, where readers have no connection of their own."""
        with self._turn:
            return work(self._transaction)

    def glance(self, work: Callable[[Transaction], T]) -> T | None:
        """Read what is committed before anybody can write more; None where that would mean to wait."""
        if not self._turn.acquire(blocking=False):
            return None
        try:
            return work(self._transaction) if self._group is None else None
        finally:
            self._turn.release()

    def stage(self, work: Callable[[Transaction], T]) -> Staged[T]:
        """Do the work but leave the commit to a later `flush` or `run`: for callers who gather a batch themselves."""
        return self._take_turn(work, commit=False)

    def flush(self) -> None:
        """Make everything staged so far durable."""
        with self._turn:
            group = self._group
            if group is not None:
                self._commit(group)
        if group is not None:
            group.wait()

    def close(self) -> None:
        """Commit what is staged, then let the connection go."""
        try:
            self.flush()
        finally:
            with self._turn:
                self._transaction.connection.close()

    def _take_turn(self, work: Callable[[Transaction], T], *, commit: bool) -> Staged[T]:
        me = object()
        try:
            self._line.add(me)
            with self._turn:
                self._line.discard(me)
                group = self._join()
                try:
                    return self._attempt(work, group)
                finally:
                    if self._group is group:  # else it failed, and is settled
                        self._pass_on(group, commit=commit)
        except BaseException:
            self._leave(me)
            raise

    def _leave(self, one: object) -> None:
        """Step out of line, by Ctrl-C perhaps: what was left to this writer to commit must not wait for ever."""
        self._line.discard(one)
        if not self._line:
            with contextlib.suppress(StoreError):
                self.flush()

    def _pass_on(self, group: Group, *, commit: bool) -> None:
        """Commit the group, or leave it to whoever is next in line."""
        if commit and (not self._line or group.size >= LARGEST_GROUP):
            self._commit(group)
        else:
            group.promise()

    def _join(self) -> Group:
        group = self._group
        if group is None:
            try:
                self._transaction.execute("BEGIN IMMEDIATE")
            except apsw.Error as error:
                raise self._explain(error) from error
            group = self._group = Group()
        group.size += 1
        return group

    def _attempt(self, work: Callable[[Transaction], T], group: Group) -> Staged[T]:
        before = self._transaction.changes
        try:
            return Staged(group, work(self._transaction), None)
        except ServiceError as refusal:
            if self._transaction.changes != before:
                self._abandon(group, StoreError(f"a write was refused half way and undone: {refusal}"))
            return Staged(group, None, refusal)
        except apsw.Error as error:
            self._abandon(group, self._explain(error))
            raise self._explain(error) from error
        except BaseException:
            if self._transaction.changes != before:
                self._abandon(group, StoreError("a write failed half way and was undone"))
            raise

    def _commit(self, group: Group) -> None:
        try:
            self._transaction.execute("COMMIT")
        except apsw.Error as error:
            self._abandon(group, self._explain(error))
        else:
            self._group = None
            group.settle()

    def _abandon(self, group: Group, failure: StoreError) -> None:
        """Undo the whole group. SQLite may have done so already, when the disk was full."""
        if self._transaction.connection.in_transaction:
            self._transaction.execute("ROLLBACK")
        self._group = None
        # A store that cannot even be read any more says so at the next call.
        with contextlib.suppress(apsw.Error):
            self.after_undo(self._transaction)
        group.settle(failure)
