"""A console of the design of goals: it has streams, copies, locks and secrets; its clock is frozen."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tablewright import Clock, Repository, connect, keyrings
from tablewright.console.open_designs import OpenDesign
from tests.access.streams.goals import START, design, main
from tests.console.sample_console import ConsoleClient


@contextmanager
def goals_console(
    *, writable: bool = True, reveal: bool = False, recovery: bool = False
) -> Iterator[ConsoleClient]:
    """Open the design in memory; `recovery` enables point-in-time recovery of its main table."""
    db: Repository[Any] = connect(design, secrets=keyrings.MemoryKeys(), clock=Clock(START))
    if recovery:
        specification = {"PointInTimeRecoveryEnabled": True}
        request = {"TableName": main.name, "PointInTimeRecoverySpecification": specification}
        db.connection.call("UpdateContinuousBackups", request)
    opened = OpenDesign(db, "Goals", "memory", "tests.access.streams.goals:design", writable, reveal)
    with db:
        yield ConsoleClient(opened)
