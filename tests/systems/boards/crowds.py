"""Many at once: actions that start together, what came of each, and what is left in the tables."""

from collections import Counter
from collections.abc import Callable

from tablewright import Repository, errors
from tablewright_systems.api_errors import ApiError
from tests.systems.races import race

Action = Callable[[], object]


def at_once(*actions: Action) -> list[object]:
    """What each action returned, or how it was refused; they all start at the same moment."""
    return race(*actions, refusals=(ApiError, errors.WriteError))


def refusals(outcomes: list[object]) -> Counter[type]:
    """How often each kind of refusal came."""
    return Counter(type(outcome) for outcome in outcomes if isinstance(outcome, Exception))


def counts(db: Repository) -> dict[str, int]:
    """How many items each table has: entities, claims and locks."""
    return {
        table.name: db.connection.call("Scan", {"TableName": table.name, "ConsistentRead": True})["Count"]
        for table in db.design.tables
    }
