"""Many at once: actions that start together, what came of each, and what is left in the tables."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from tablewright import Repository, errors
from tablewright_systems.problems import Problem

Action = Callable[[], object]


def at_once(*actions: Action) -> list[object]:
    """What each action returned, or how it was refused; they all start at the same moment."""
    barrier = Barrier(len(actions))

    def run(action: Action) -> object:
        barrier.wait()
        try:
            return action()
        except (Problem, errors.WriteError) as refusal:
            return refusal

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, actions))


def winners(outcomes: list[object]) -> list[object]:
    """What succeeded."""
    return [outcome for outcome in outcomes if not isinstance(outcome, Exception)]


def refusals(outcomes: list[object]) -> Counter[type]:
    """How often each kind of refusal came."""
    return Counter(type(outcome) for outcome in outcomes if isinstance(outcome, Exception))


def counts(db: Repository) -> dict[str, int]:
    """How many items each table has: entities, claims and locks."""
    return {
        table.name: db.connection.call("Scan", {"TableName": table.name, "ConsistentRead": True})["Count"]
        for table in db.design.tables
    }
