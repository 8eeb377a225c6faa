"""ListBackup on an engine with injected faults, and what tests need to examine it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, ParamSpec, TypeVar

from tablewright_systems.listbackup.design import design

from tablewright import Clock, Entity, Faults, Repository, connect, errors

P = ParamSpec("P")
T = TypeVar("T")

START = 1_790_000_000
BUSY = {"throttling": 0.15, "conflicts": 0.15}
BROKEN = {"internal_errors": 0.15, "conflicts": 0.1}


def retry_until_known(act: Callable[P, T], *values: P.args, **named: P.kwargs) -> T:
    """Repeat a call while its outcome is unknown or the store is busy, as a client does."""
    while True:
        try:
            return act(*values, **named)
        except (errors.OutcomeUnknown, errors.ProvisionedThroughputExceeded, errors.InternalFailure):
            continue


@contextmanager
def faulty_store(clock: Clock | None = None, **faults: Any) -> Iterator[Repository]:
    """Open ListBackup on an engine with injected faults."""
    chosen = Faults(**faults)
    with connect(design, environment="main", clock=clock or Clock(START), faults=chosen) as db:
        yield db


def items_of(db: Repository, entity: type[Entity]) -> list[dict[str, Any]]:
    """Return every item of an entity's table, as it is stored."""
    request: dict[str, Any] = {"TableName": db.context.table_name(entity.layout.table)}
    collected: list[dict[str, Any]] = []
    while True:
        reply = db.connection.call("Scan", request)
        collected += reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return collected
        request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]


def let_expire(db: Repository, clock: Clock, span: timedelta) -> None:
    """Advance the clock, and let TTL delete what has expired."""
    clock.advance(span)
    engine: Any = db.connection
    engine.sweep()
