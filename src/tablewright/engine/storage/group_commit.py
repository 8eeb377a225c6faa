"""Group commit: many writers, one flush to disk.

Writers take turns on the one writing connection, all inside one open transaction. A writer that finishes while no
other is queued commits for all writers of the group; the others wait for that commit. So a single writer commits at
once, and sixteen writers share a flush. No writer gets its result before the transaction is on disk. This includes
errors: an error may depend on another writer's change that is not durable yet.
"""

import contextlib
import threading
from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar

import apsw

from tablewright.engine.storage.rows import Place, ReadView, Transaction
from tablewright.errors import ServiceError, StoreError

T = TypeVar("T")

# A group is committed at this size even while writers are queued, so that its first writer does not wait long.
MAX_GROUP_SIZE = 256


class Group:
    """The writes that one commit makes durable, or one failure undoes."""

    __slots__ = ("_settled", "failure", "size")

    def __init__(self) -> None:
        self.size = 0
        self.failure: StoreError | None = None
        self._settled: threading.Event | None = None

    def leave_open(self) -> None:
        """Prepare for a commit by another thread; called before this thread leaves the group uncommitted."""
        if self._settled is None:
            self._settled = threading.Event()

    def settle(self, failure: StoreError | None = None) -> None:
        """Record that the group is durable, or that it failed as a whole."""
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
    """The outcome of a piece of work, taken once; it must not leave the process before its group is durable."""

    __slots__ = ("_error", "_result", "group")

    def __init__(self, group: Group, result: T | None, error: ServiceError | None) -> None:
        self.group = group
        self._result = result
        self._error = error

    def outcome(self) -> T:
        """Wait until the group is durable; return the result or raise the error."""
        self.group.wait()
        return self.tentative()

    def tentative(self) -> T:
        """Return the result or raise the error, before the group is durable."""
        if self._error is not None:
            self._raise_error()
        return self._result  # type: ignore[return-value]

    def _raise_error(self) -> NoReturn:
        """Raise the error and forget it: an error refers to the frames it passed, and these to this object.

        Only the garbage collector would free such a cycle, and with it the whole request.
        """
        error, self._error = self._error, ServiceError("the outcome was taken twice")
        try:
            raise error  # type: ignore[misc]
        finally:
            del error


class Writers:
    """The queue of writers of one connection."""

    def __init__(
        self,
        connection: apsw.Connection,
        explain: Callable[[apsw.Error], StoreError],
        require_present: Callable[[], None] = lambda: None,
        readers: dict[int, Place] | None = None,
    ) -> None:
        self._transaction = Transaction(connection, readers)
        self._explain = explain
        self._require_present = require_present
        self._turn = threading.Lock()
        self._queue: set[object] = set()
        self._group: Group | None = None
        self.after_undo: Callable[[ReadView], None] = lambda view: None
        self.after_commit: Callable[[], None] | None = None

    def run(self, work: Callable[[Transaction], T]) -> T:
        """Run the work in a transaction; return when it is durable."""
        return self._take_turn(work, commit=True).outcome()

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Read between two writers: for readers without a connection of their own."""
        with self._turn:
            return work(self._transaction)

    def read_committed(self, work: Callable[[Transaction], T]) -> T | None:
        """Read while everything is committed and no writer runs; return None instead of waiting."""
        if not self._turn.acquire(blocking=False):
            return None
        try:
            return work(self._transaction) if self._group is None else None
        finally:
            self._turn.release()

    def read_after_commit(self, work: Callable[[Transaction], T]) -> T | None:
        """Commit what is staged, then read before the next writer; return None when the commit failed."""
        with self._turn:
            if self._group is not None:
                self._commit(self._group)
            return work(self._transaction) if self._group is None else None

    def stage(self, work: Callable[[Transaction], T]) -> Staged[T]:
        """Run the work but leave the commit to a later `flush` or `run`: for callers that batch their commits."""
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
        """Commit what is staged, then close the connection."""
        try:
            self.flush()
        finally:
            with self._turn:
                self._transaction.connection.close()

    def _take_turn(self, work: Callable[[Transaction], T], *, commit: bool) -> Staged[T]:
        ticket = object()
        try:
            self._queue.add(ticket)
            with self._turn:
                self._queue.discard(ticket)
                group = self._join()
                try:
                    return self._attempt(work, group)
                finally:
                    if self._group is group:  # otherwise it failed, and is settled
                        self._commit_or_leave(group, commit=commit)
        except BaseException:
            self._leave_queue(ticket)
            raise

    def _leave_queue(self, ticket: object) -> None:
        """Leave the queue, by Ctrl-C for example, and commit what other writers left for this one to commit."""
        self._queue.discard(ticket)
        if not self._queue:
            with contextlib.suppress(StoreError):
                self.flush()

    def _commit_or_leave(self, group: Group, *, commit: bool) -> None:
        """Commit the group, or leave it to the next writer in the queue."""
        if commit and (not self._queue or group.size >= MAX_GROUP_SIZE):
            self._commit(group)
        else:
            group.leave_open()

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
        except ServiceError as error:
            if self._transaction.changes != before:
                self._undo(
                    group, StoreError(f"a write failed after its first change and was undone: {error}")
                )
            return Staged(group, None, error)
        except apsw.Error as error:
            self._undo(group, self._explain(error))
            raise self._explain(error) from error
        except BaseException:
            # SQLite itself ends the transaction after some errors.
            if self._transaction.changes != before or not self._transaction.connection.in_transaction:
                self._undo(group, StoreError("a write failed after its first change and was undone"))
            raise

    def _commit(self, group: Group) -> None:
        try:
            self._transaction.execute("COMMIT")
        except apsw.Error as error:
            self._undo(group, self._explain(error))
            return
        self._group = None
        self._transaction.committed()
        if self.after_commit is not None:
            self.after_commit()
        try:
            # After the commit: a file that is still there now has everything that was committed.
            self._require_present()
        except StoreError as failure:
            group.settle(failure)
        else:
            group.settle()

    def _undo(self, group: Group, failure: StoreError) -> None:
        """Undo the whole group. SQLite may have done so already, when the disk was full."""
        if self._transaction.connection.in_transaction:
            self._transaction.execute("ROLLBACK")
        self._transaction.undone()
        self._group = None
        # A store that cannot be read any more raises at the next call.
        with contextlib.suppress(apsw.Error, StoreError):
            self.after_undo(self._transaction)
        group.settle(failure)
