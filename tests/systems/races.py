"""Races: deeds that begin at the same moment, each in a thread of its own."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from tablewright import errors
from tablewright_systems.api_errors import ApiError

Refusals = tuple[type[Exception], ...]

REFUSALS: Refusals = (ApiError, errors.TablewrightError)
"""What is raised on purpose; anything else is a mistake, and ends the race."""


def race(*deeds: Callable[[], Any], refusals: Refusals = REFUSALS) -> list[Any]:
    """What came of each: what it returned, or how it was refused."""
    gate = Barrier(len(deeds))

    def run(deed: Callable[[], Any]) -> Any:
        gate.wait()
        try:
            return deed()
        except refusals as refusal:
            return refusal

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(run, deeds))


def winners(outcomes: Iterable[Any]) -> list[Any]:
    """What succeeded."""
    return [outcome for outcome in outcomes if not isinstance(outcome, Exception)]
