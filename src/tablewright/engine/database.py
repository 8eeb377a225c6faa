"""The database: an embedded DynamoDB over one store.

Every request, from Python, boto3 or the network, enters through `Database.execute`. `call`, `call_json`,
`call_json_in_turn` and `stage_json` only translate its request and reply.

Staged replies: ready before their writes are durable, for a server that commits many requests at once.
"""

import contextlib
import logging
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tablewright.dynamodb.clock import Clock
from tablewright.dynamodb.values.stored_items import (
    NotJson,
    parse_body,
    require_json,
    to_json,
    to_json_in_pieces,
    to_python,
)
from tablewright.engine import feature_list as feature_list  # registers the features
from tablewright.engine.bulk_access import BulkAccess
from tablewright.engine.core.buckets.buckets import Buckets
from tablewright.engine.core.damage import locate
from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.job_runner import REPLY_WAIT, Jobs, job_function
from tablewright.engine.core.operations import Access, Operation, find_operation, unknown_operation
from tablewright.engine.core.request_observers import Observer, RequestObservers
from tablewright.engine.core.sessions import (
    EFFECTS,
    INTERCEPTIONS,
    QUESTIONS,
    Authorizer,
    Interception,
    LongRead,
    Reading,
    Sessions,
)
from tablewright.engine.core.state.engine_state import EngineState
from tablewright.engine.core.state.row_batches import is_one_batch
from tablewright.engine.core.state.shared_counter import SharedCounter
from tablewright.engine.core.state.sweep_timer import PERIOD
from tablewright.engine.core.sweeper import CLOSINGS, needs_sweeping, sweep, sweep_task
from tablewright.engine.storage import FreeSpace, Group, Store, Transaction
from tablewright.engine.storage.store import Durability
from tablewright.errors import (
    ConditionalCheckFailed,
    InternalFailure,
    ResourceNotFound,
    ServiceError,
    SpaceMissing,
    StoreDamaged,
    StoreError,
    TablewrightError,
    TransactionCanceled,
    UsageError,
    ValidationError,
)

Work = Callable[[Transaction], dict[str, Any]]
Write = Callable[[Work], dict[str, Any]]


def failed(error: TablewrightError) -> tuple[int, bytes]:
    """The reply when the store failed. The log has the details, which name files of this machine."""
    if not isinstance(error, StoreError):
        return 500, to_json(InternalFailure(str(error)).body())
    _log.error("%s", error)
    return 500, to_json(InternalFailure(error.public).body())


class StagedReply(NamedTuple):
    """A reply that depends on the commit of `group`; a reply without a group may be sent at once."""

    status: int
    body: bytes
    group: Group | None

    def settled(self) -> tuple[int, bytes]:
        """The reply to send after the group was committed or undone."""
        failure = self.group and self.group.failure
        return failed(failure) if failure else (self.status, self.body)


class Staging:
    """Stages the write of one request."""

    __slots__ = ("_store", "group")

    def __init__(self, store: Store) -> None:
        self._store = store
        self.group: Group | None = None

    def write(self, work: Work) -> dict[str, Any]:
        """Run the work, and keep the group that will make it durable."""
        staged = self._store.stage(work)
        self.group = staged.group
        return staged.tentative()


_log = logging.getLogger("tablewright.engine")


class Database:
    """An embedded DynamoDB over one store."""

    def __init__(
        self,
        store: Store,
        clock: Clock | None = None,
        region: str = "us-east-1",
        faults: Any = None,
        sweep_every: float = PERIOD,
        buckets: str | os.PathLike[str] | None = None,
    ) -> None:
        directory = Buckets.beside(store.path, buckets).root
        self.state = EngineState(store, clock or Clock(), region, directory, sweep_every)
        self._store = store
        self.state.effects = EFFECTS
        self._own_sessions = Sessions(self.state)
        self._interception: Interception | None = None
        self._observers: RequestObservers | None = None
        self._observing = threading.Lock()
        self.sessions = self._own_sessions
        self.jobs = Jobs(self.sessions, job_function)
        if faults is not None:
            self.faults = faults
        self.state.wake_jobs = lambda: self.jobs.wake()
        try:
            self._start()
        except BaseException:
            store.close()  # otherwise the file would stay locked, and could not be opened again
            raise

    def _start(self) -> None:
        """Load the state, and continue the work that was not finished when the store was closed."""
        self.state.load()
        self.state.sweep_timer.task = sweep_task(self.sessions)
        if self._store.path is not None or self._holds(needs_sweeping):
            self.state.sweep_timer.start()
        if self._holds(lambda tx: any(True for _ in job_records.documents(tx.rows, "job"))):
            self.jobs.wake()

    def _holds(self, question: Callable[[Reading], bool]) -> bool:
        """The reply to a question about stored rows; True when they are damaged, so that only their users fail."""
        try:
            return self.sessions.read(question)
        except StoreDamaged as error:
            _log.error("%s", error)
            return True

    @property
    def clock(self) -> Clock:
        """The clock of this database."""
        return self.state.clock

    @property
    def faults(self) -> Any:
        """The faults that are injected; None when there are none."""
        return None if self._interception is None else self._interception.setting

    @faults.setter
    def faults(self, faults: Any) -> None:
        if faults is not None and not INTERCEPTIONS.parts:
            raise UsageError("faults are not implemented by this engine")
        interception = None if faults is None else INTERCEPTIONS.parts[0](self._own_sessions, faults)
        sessions = self._own_sessions if interception is None else interception.sessions
        self.state.sweep_timer.task = sweep_task(sessions)  # first: the timer ends when its sessions are gone
        self.jobs.use(sessions)
        self._interception, self.sessions = interception, sessions

    def observe(self, observer: Observer) -> Callable[[], None]:
        """Call `observer` after each request; return a function that ends it."""
        with self._observing:
            observers = self._observers.observers if self._observers else ()
            self._observers = RequestObservers((*observers, observer))

        def end() -> None:
            with self._observing:
                left = self._observers.observers if self._observers else ()
                kept = tuple(other for other in left if other is not observer)
                self._observers = RequestObservers(kept) if kept else None

        return end

    @property
    def region(self) -> str:
        """The region that ARNs show."""
        return self.state.region

    @property
    def path(self) -> Path | None:
        """The data file; None in memory."""
        return self._store.path

    @property
    def durability(self) -> Durability:
        """The durability of commits."""
        return self._store.durability

    @property
    def bucket_directory(self) -> Path | None:
        """The directory whose folders stand for S3 buckets; None when there is none."""
        return self.state.bucket_directory

    @property
    def address(self) -> str:
        """The `host:port` that DescribeEndpoints shows."""
        return self.state.address

    def serve_at(self, address: str) -> None:
        """Set the `host:port` that DescribeEndpoints shows."""
        self.state.address = address

    def call(self, operation: str, request: dict[str, Any], by: Authorizer | None = None) -> dict[str, Any]:
        """Run a request given as a dictionary; in the reply, a dictionary too, binary values are `bytes`.

        With `by`, the policies of that caller and of the resources must allow the request; without, all is allowed.
        """
        try:
            return to_python(self.execute(operation, request, by=by))
        except ConditionalCheckFailed as error:
            error.item = to_python({"Item": error.item})["Item"]
            raise
        except TransactionCanceled as error:
            error.reasons = [to_python(reason) for reason in error.reasons]
            raise
        except NotJson as error:
            raise self._store.damaged(error) from error

    def call_json(self, operation: str, body: bytes, by: Authorizer | None = None) -> tuple[int, bytes]:
        """Run a request given as JSON; return an HTTP status and JSON, for an error too."""
        return self._call_json(operation, body, self._store.write, by=by)

    def call_json_in_turn(
        self,
        operation: str,
        body: bytes,
        turn: Callable[[], AbstractContextManager[object]],
        by: Authorizer | None = None,
    ) -> tuple[int, bytes]:
        """As `call_json`, for a large request: other threads run in between, and it writes inside of `turn()`."""

        def write(work: Work) -> dict[str, Any]:
            with turn():
                return self._store.write(work)

        # Imported only when such a body arrives.
        from tablewright.dynamodb.values.large_json import free_in_pieces

        parsed: list[dict[str, Any]] = []

        def parse(body: bytes) -> dict[str, Any]:
            parsed.append(parse_body(body))
            return parsed[0]

        try:
            return self._call_json(operation, body, write, parse, by)
        finally:
            free_in_pieces(parsed)

    def read_json(self, operation: str, body: bytes, by: Authorizer | None = None) -> tuple[int, bytes]:
        """As `call_json`, for a long read: other threads run while the reply is built and freed."""
        from tablewright.dynamodb.values.large_json import free_in_pieces

        replies: list[dict[str, Any]] = []

        def show(reply: dict[str, Any]) -> bytes:
            replies.append(reply)
            return to_json_in_pieces(reply)

        try:
            return self._call_json(operation, body, self._store.write, by=by, show=show)
        finally:
            free_in_pieces(replies)

    def stage_json(self, operation: str, body: bytes, by: Authorizer | None = None) -> StagedReply:
        """As `call_json`, but a write is durable only after `flush`: for a server that commits many at once."""
        staging = Staging(self._store)
        status, reply = self._call_json(operation, body, staging.write, by=by)
        return StagedReply(status, reply, staging.group)

    def flush(self) -> None:
        """Make everything staged durable; each staged reply knows whether its commit failed."""
        with contextlib.suppress(StoreError):
            self._store.flush()

    def _call_json(
        self,
        operation: str,
        body: bytes,
        write: Write,
        parse: Callable[[bytes], dict[str, Any]] = parse_body,
        by: Authorizer | None = None,
        show: Callable[[dict[str, Any]], bytes] = to_json,
    ) -> tuple[int, bytes]:
        try:
            return 200, show(self.execute(operation, parse(body), write, by))
        except ServiceError as error:
            return error.status, to_json(error.body())
        except TablewrightError as error:
            return failed(error)

    def execute(
        self,
        operation: str,
        request: dict[str, Any],
        write: Write | None = None,
        by: Authorizer | None = None,
    ) -> dict[str, Any]:
        """Run a request: the one entrance. Items in the reply are still stored bytes; `write` replaces the store's.

        Without `write`, a request that plans a job waits a few seconds for that job.
        """
        implementation = find_operation(operation)
        if implementation is None:
            raise unknown_operation(operation)
        writer = write or self._store.write
        if self._interception is None and self._observers is None:
            reply = self._reply(implementation, request, writer, by)
        else:
            reply = self._intercepted(implementation, request, writer, by)
        if implementation.plans_job and write is None:
            self.jobs.wait(REPLY_WAIT)
        return reply

    def _intercepted(
        self, operation: Operation, request: dict[str, Any], write: Write, by: Authorizer | None
    ) -> dict[str, Any]:
        """Run a request with faults, and notify the observers."""
        interception, observers = self._interception, self._observers

        def run(changed: dict[str, Any]) -> dict[str, Any]:
            return self._reply(operation, changed, write, by)

        def run_with_faults(changed: dict[str, Any]) -> dict[str, Any]:
            return run(changed) if interception is None else interception.reply(operation.name, changed, run)

        if observers is None:
            return run_with_faults(request)
        return observers.reply(operation.name, request, run_with_faults)

    def _reply(
        self, operation: Operation, request: dict[str, Any], write: Write, by: Authorizer | None
    ) -> dict[str, Any]:
        try:
            operation.shape.check(request)
            try:
                parsed = operation.parse(request)
            except ValidationError as error:
                raise operation.layer.error_for(error, request) from None
            if operation.counts:
                self._count(request["TableName"])
                if operation.prepare is not None:
                    # First: a caller without permission must not make this region ask others.
                    if by is not None:
                        allowed = by.authorized(self.state, operation.name, request, lambda tx, parsed: {})
                        self.sessions.read(lambda tx: allowed(tx, parsed))
                    parsed = operation.prepare(self.state, parsed)
            run = operation.run
            if by is not None:
                run = by.authorized(self.state, operation.name, request, run)
            return self._run(operation, parsed, write, run)
        except ServiceError:
            # A member of the wrong JSON type is reported before every other problem, but is searched for only now.
            operation.shape.require_type(request)
            raise
        except LongRead:
            raise
        except SpaceMissing:
            raise ResourceNotFound("Requested resource not found") from None
        except StoreDamaged as error:
            raise locate(self.state, error) from error
        except TablewrightError:
            raise
        except NotJson as error:
            raise self._store.damaged(error) from error
        except Exception as error:
            # A value that JSON cannot hold, or of the wrong type, can raise anything before it is searched for.
            require_json(request)
            operation.shape.require_type(request)
            _log.exception("%s failed", operation.name)
            raise InternalFailure("The request processing has failed because of an unknown error") from error

    def _count(self, name: str) -> None:
        """Count a table and its indexes concurrently with writers: the next write would count them in its turn."""
        table = self.state.catalog.find(name)
        if table is not None and self.path is not None:
            for space in table.definition["Spaces"].values():
                if self.state.tallies.known(space) is None and not self._store.write(
                    partial(is_one_batch, space=space)
                ):
                    self.sessions.read(partial(Reading.count, space=space, wait=True))

    def _run(
        self, operation: Operation, request: Any, write: Write, run: Callable[..., dict[str, Any]]
    ) -> dict[str, Any]:
        access: Access | Literal["steps"] = request.mode if operation.mode == "by request" else operation.mode
        sessions = self.sessions
        if access == "write":
            return write(lambda rows: run(sessions.writing(rows), request))
        if access == "read":
            read = self._store.read
        elif access == "snapshot":
            read = self._store.snapshot
        else:
            return self._run_in_steps(request, run)
        catalog = self.state.catalog
        while True:
            removals = catalog.removals
            reply = read(lambda rows: run(sessions.reading(rows, request), request))
            # The rows of a table or an index that was deleted meanwhile are removed in steps: the reply may lack some.
            if catalog.removals == removals:
                return reply

    def _run_in_steps(self, request: Any, run: Callable[..., Any]) -> dict[str, Any]:
        """Run an operation that plans its work in one session, and does it in others."""
        catalog, sessions = self.state.catalog, self.sessions
        while True:
            removals = catalog.removals
            work = self._store.read(lambda rows: run(sessions.reading(rows, request), request))
            reply: dict[str, Any] = work(sessions)
            if catalog.removals == removals:
                return reply

    def publish_definitions(self, counter: SharedCounter) -> None:
        """Increase a counter after each commit that changes a definition, for processes that read the same file."""
        published = self.state.catalog.changes

        def publish() -> None:
            nonlocal published
            if self.state.catalog.changes != published:
                published = self.state.catalog.changes
                counter.increase()

        self._store.after_commit(publish)

    def bulk_access(self) -> BulkAccess | None:
        """Return access to many items with few commits; None when faults are injected, as these belong to requests."""
        return BulkAccess(self.sessions) if self._interception is None else None

    def sweep(self) -> int:
        """Delete expired items and old stream records now; return the number of deleted items."""
        return sweep(self.sessions)

    def ask(self, question: str, *arguments: Any, **options: Any) -> Any:
        """Reply to a question about the data that is no operation of DynamoDB."""
        reply = dict(QUESTIONS).get(question)
        if reply is None:
            raise UsageError(f"{question} is not implemented by this engine")
        return self.sessions.snapshot(lambda tx: reply(tx, *arguments, **options))

    def free_space(self) -> FreeSpace:
        """The size of the data file, and how much of it `compact` can release."""
        return self._store.free_space()

    def compact(self, on_progress: Callable[[int, int], None] = lambda released, total: None) -> int:
        """Give free space back to the file system, concurrently with other writers; return the bytes."""
        self.jobs.wait_for_all()  # they remove the rows of deleted tables
        return self._store.compact(on_progress)

    def copy(self, clock: Clock | None = None, faults: Any = None) -> "Database":
        """Return a new database in memory with the tables and items of this one, and a clock and faults of its own."""
        return Database(self._store.copy(), clock, self.region, faults)

    def close(self) -> None:
        """Make everything durable and release the file."""
        self.jobs.stop()
        self.state.sweep_timer.stop()
        for finish in CLOSINGS:
            finish(self.sessions)
        self._store.close()
