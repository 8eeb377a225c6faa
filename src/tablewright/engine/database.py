"""The database: one gate for every request, whether it comes from Python or over the wire."""

import contextlib
import logging
import os
from collections.abc import Callable
from typing import Any, TypeVar

from tablewright.engine.backups.buckets import Buckets
from tablewright.engine.backups.jobs import job_records
from tablewright.engine.backups.jobs.job_kinds import work_of
from tablewright.engine.backups.jobs.job_runner import PATIENCE, Jobs
from tablewright.engine.faults.fault_sessions import Unreliability
from tablewright.engine.faults.injector import Faults
from tablewright.engine.operations import Access, Operation, find_operation
from tablewright.engine.sessions import Reading, Writing
from tablewright.engine.staged_replies import StagedAnswer, Staging, Write, failed
from tablewright.engine.state.catalog import JOURNAL, RECORDS, STANDING, Catalog
from tablewright.engine.state.clock import Clock
from tablewright.engine.state.sequence_numbers import Sequences
from tablewright.engine.state.tallies import Tallies
from tablewright.engine.sweeper import PERIOD, Sweeper, needs_sweeping, sweep
from tablewright.errors import (
    ConditionalCheckFailed,
    InternalFailure,
    ResourceNotFound,
    ServiceError,
    SpaceMissing,
    StoreError,
    TablewrightError,
    TransactionCanceled,
    UnknownOperation,
    ValidationError,
)
from tablewright.storage import Store, Transaction, View
from tablewright.values.stored_items import NotJson, parse_body, require_json, to_json, to_python

T = TypeVar("T")

_log = logging.getLogger("tablewright.engine")


class Database:
    """An embedded DynamoDB over one store."""

    def __init__(
        self,
        store: Store,
        clock: Clock | None = None,
        region: str = "us-east-1",
        faults: Faults | None = None,
        sweep_every: float = PERIOD,
        buckets: str | os.PathLike[str] | None = None,
    ) -> None:
        self.store = store
        self.buckets = Buckets.beside(store.path, buckets)
        self.clock = clock or Clock()
        self.region = region
        self.address = f"dynamodb.{region}.amazonaws.com"
        """Where requests go, as DescribeEndpoints shows it; a server puts its own here."""
        self.catalog = Catalog()
        self._unreliability = None if faults is None else Unreliability(faults, self)
        self.tallies = Tallies()
        self.sequences = Sequences(RECORDS)
        self.positions = Sequences(JOURNAL)
        """Where changes stand in the journals of their tables."""
        self.sweeper = Sweeper(self, sweep_every)
        self.jobs = Jobs(self, work_of)
        store.write(self._prepare)
        store.after_undo(self._recover)
        if self.read(needs_sweeping):
            self.sweeper.start()
        if self.read(lambda tx: any(True for _ in job_records.each(tx.rows, "job"))):
            self.jobs.wake()

    def _recover(self, view: View) -> None:
        """Writes were undone: the tables and tallies in memory may be ahead of the store."""
        self.tallies.forget_all()
        self.catalog.load(view)

    def _prepare(self, tx: Transaction) -> None:
        for space in STANDING:
            if not tx.has_space(space):
                tx.create_space(space)
        try:
            self.catalog.load(tx)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise self.store.damaged(error) from error

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run a request given as a dictionary; the reply is a dictionary, binary values are `bytes`."""
        try:
            return to_python(self.reply(operation, request))
        except ConditionalCheckFailed as refusal:
            refusal.item = to_python({"Item": refusal.item})["Item"]
            raise
        except TransactionCanceled as refusal:
            refusal.reasons = [to_python(reason) for reason in refusal.reasons]
            raise
        except NotJson as error:
            raise self.store.damaged(error) from error

    def call_json(self, operation: str, body: bytes) -> tuple[int, bytes]:
        """Run a request given as JSON bytes; the answer is an HTTP status and JSON bytes, also for a refusal."""
        return self._call_json(operation, body, self.store.write)

    def stage_json(self, operation: str, body: bytes) -> StagedAnswer:
        """As `call_json`, but a write waits for the next `flush`: for a server that commits for many at once."""
        staging = Staging(self.store)
        status, reply = self._call_json(operation, body, staging.write)
        return StagedAnswer(status, reply, staging.group)

    def call_json_in_turn(self, operation: str, body: bytes, write: Write) -> tuple[int, bytes]:
        """As `call_json`, but `write` says when the write has its turn: for a server that reads beside its writers."""
        return self._call_json(operation, body, write)

    def flush(self) -> None:
        """Make everything staged durable; each staged answer knows whether it was."""
        with contextlib.suppress(StoreError):
            self.store.flush()

    def _call_json(self, operation: str, body: bytes, write: Write) -> tuple[int, bytes]:
        try:
            return 200, to_json(self.reply(operation, parse_body(body), write))
        except ServiceError as error:
            return error.status, to_json(error.body())
        except TablewrightError as error:
            return failed(error)

    def reply(self, operation: str, request: dict[str, Any], write: Write | None = None) -> dict[str, Any]:
        """Run a request; stored items in the reply are still as they rest."""
        found = find_operation(operation)
        if found is None:
            raise UnknownOperation()
        staged = write or self.store.write
        if self._unreliability is None:
            answer = self._answer(found, request, staged)
        else:
            injector = self._unreliability.injector
            answer = injector.answer(operation, request, lambda spoiled: self._answer(found, spoiled, staged))
        if found.plans_job and write is None:
            self.jobs.settle(PATIENCE)
        return answer

    def _answer(self, operation: Operation, request: dict[str, Any], write: Write) -> dict[str, Any]:
        try:
            operation.shape.check(request)
            try:
                ask = operation.parse(request)
            except ValidationError as refusal:
                raise operation.layer.worded(refusal, request) from None
            return self._perform(operation, ask, write)
        except ServiceError:
            # A member of the wrong JSON type outranks every other complaint, but is looked for only now.
            operation.shape.require_type(request)
            raise
        except SpaceMissing:
            raise ResourceNotFound("Requested resource not found") from None
        except TablewrightError:
            raise
        except NotJson as error:
            raise self.store.damaged(error) from error
        except Exception as error:
            # What no JSON could carry, or has the wrong type, may break anything before it is looked for.
            require_json(request)
            operation.shape.require_type(request)
            _log.exception("%s failed", operation.name)
            raise InternalFailure("The request processing has failed because of an unknown error") from error

    def _perform(self, operation: Operation, ask: Any, write: Write) -> dict[str, Any]:
        run: Callable[..., dict[str, Any]] = operation.run
        access: Access = ask.mode if operation.mode == "asked" else operation.mode
        match access:
            case "read":
                return self.store.read(lambda rows: run(self._reading(rows, ask), ask))
            case "snapshot":
                return self.store.snapshot(lambda rows: run(self._reading(rows, ask), ask))
            case "write":
                reply = write(lambda rows: run(self._writing(rows), ask))
                if operation.plans_job:
                    self.jobs.wake()
                return reply

    def _reading(self, rows: View, ask: Any) -> Reading:
        return Reading(self, rows) if self._unreliability is None else self._unreliability.reading(rows, ask)

    def _writing(self, rows: Transaction) -> Writing:
        return Writing(self, rows) if self._unreliability is None else self._unreliability.writing(rows)

    def read(self, work: Callable[[Reading], T]) -> T:
        """Do some reading that no request asked for."""
        return self.store.read(lambda rows: work(Reading(self, rows)))

    def write(self, work: Callable[[Writing], T]) -> T:
        """Do some writing that no request asked for."""
        return self.store.write(lambda rows: work(self._writing(rows)))

    def sweep(self) -> int:
        """Delete expired items and aged stream records now; how many items were deleted."""
        return sweep(self)

    def close(self) -> None:
        """Make everything durable and let the file go."""
        self.jobs.stop()
        self.sweeper.stop()
        self.store.close()
