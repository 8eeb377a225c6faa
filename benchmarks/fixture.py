"""The pytest fixture `db`: its cost in each test, against creating the tables of the design in each test."""

from collections.abc import Callable, Iterator

from tablewright_systems.collabhub.design import design as collabhub
from tablewright_systems.listbackup.design import design as listbackup
from tablewright_systems.student_hub.design import design as student_hub

from benchmarks.settings import Settings
from benchmarks.timing import ROUNDS, compare, table
from tablewright import Design, connect, embedded

BUDGET_MS = 2.0


def copied(design: Design) -> Callable[[], None]:
    """What the fixture does: copy a prepared database, connect, close."""
    prepared = embedded()
    connect(design, prepared, environment="test")

    def once() -> None:
        with connect(design, prepared.copy(), environment="test", create=False):
            pass

    return once


def created(design: Design) -> Callable[[], None]:
    """A new database, with its tables created again."""

    def once() -> None:
        with connect(design, environment="test"):
            pass

    return once


def report(settings: Settings) -> Iterator[str]:
    """One table for each design."""
    for design in (collabhub, student_hub, listbackup):
        contestants = {"copy of a database": copied(design), "new tables": created(design)}
        results = compare(contestants, 20, settings.rounds(ROUNDS))
        yield table(f"{design.name}: {len(design.tables)} tables", results)
        spent = results[0].microseconds / 1000
        yield f"{spent:.2f} ms a test; budget: {BUDGET_MS:g} ms.\n"
