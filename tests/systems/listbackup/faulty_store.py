"""Many at once, on a store that may misbehave: what came of each, and what is left in the tables."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, ParamSpec, TypeVar

from tablewright import Clock, Entity, Faults, Repository, connect, errors
from tablewright_systems.api_errors import ApiError
from tablewright_systems.listbackup.design import design
from tests.systems.races import race

P = ParamSpec("P")
T = TypeVar("T")

START = 1_790_000_000
BUSY = {"throttling": 0.15, "conflicts": 0.15}
BROKEN = {"internal_errors": 0.15, "conflicts": 0.1}
Action = Callable[[], object]


def race_all(*actions: Action, must_overlap: bool = True) -> list[object]:
    """What each action returned, or how it was refused; they all start at the same moment."""
    expected = (ApiError, errors.WriteError, errors.TransactionFailed)
    return race(*actions, expected=expected, must_overlap=must_overlap)


def count_errors(outcomes: list[object]) -> Counter[type]:
    """How often each kind of refusal came."""
    return Counter(type(outcome) for outcome in outcomes if isinstance(outcome, Exception))


def retry_until_known(act: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """What a client does that is told that nobody knows, or to come later: ask again."""
    while True:
        try:
            return act(*given, **named)
        except (errors.OutcomeUnknown, errors.ProvisionedThroughputExceeded, errors.InternalFailure):
            continue


@contextmanager
def faulty_store(clock: Clock | None = None, **faults: Any) -> Iterator[Repository]:
    """ListBackup on an engine that misbehaves."""
    chosen = Faults(**faults)
    with connect(design, environment="main", clock=clock or Clock(START), faults=chosen) as db:
        yield db


def items_of(db: Repository, entity: type[Entity]) -> list[dict[str, Any]]:
    """Every item of an entity's table, as it is stored."""
    request: dict[str, Any] = {"TableName": db.context.table_name(entity.layout.table)}
    found: list[dict[str, Any]] = []
    while True:
        reply = db.connection.call("Scan", request)
        found += reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return found
        request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]


def let_expire(db: Repository, clock: Clock, span: timedelta) -> None:
    """Let time pass, and let TTL delete what has expired."""
    clock.advance(span)
    engine: Any = db.connection
    engine.sweep()
