"""A console of the design of goals: it has streams, copies, locks and secrets; its clock is frozen."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tablewright import Clock, Repository, connect, keyrings
from tablewright.console.open_designs import OpenDesign
from tests.access.streams.goals import START, design, main
from tests.console.sample_console import ConsoleClient


def open_goals(*, writable: bool = True, reveal: bool = False, recovery: bool = False) -> OpenDesign:
    """Open the design in memory; `recovery` enables point-in-time recovery of its main table."""
    db: Repository[Any] = connect(design, secrets=keyrings.MemoryKeys(), clock=Clock(START))
    if recovery:
        specification = {"PointInTimeRecoveryEnabled": True}
        request = {"TableName": main.name, "PointInTimeRecoverySpecification": specification}
        db.connection.call("UpdateContinuousBackups", request)
    return OpenDesign(db, "Goals", "memory", "tests.access.streams.goals:design", writable, reveal)


@contextmanager
def goals_console(**options: Any) -> Iterator[ConsoleClient]:
    """Open the design, and a client of its console; the options are those of `open_goals`."""
    opened = open_goals(**options)
    with opened.db:
        yield ConsoleClient(opened)
