"""For all systems: races overlap, errors are declared, passwords are cheap, and retries are quick."""

from collections.abc import Iterator

import pytest
from tablewright_systems.goalsguild.service import logins

from systems.tests.declared_errors import only_declared_errors
from systems.tests.races import meeting_before_writes
from tablewright.access.calls import backoff


@pytest.fixture(autouse=True, scope="session")
def races_overlap() -> Iterator[None]:
    with meeting_before_writes():
        yield


@pytest.fixture(autouse=True, scope="session")
def errors_are_declared() -> Iterator[None]:
    with only_declared_errors():
        yield


@pytest.fixture(autouse=True)
def passwords_are_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logins, "_COST", {"n": 2, "r": 1, "p": 1})


@pytest.fixture(autouse=True)
def retries_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Injected faults are random: they do not end sooner when a retry waits for longer."""
    monkeypatch.setattr(backoff, "SHORTEST", backoff.SHORTEST / 10)
    monkeypatch.setattr(backoff, "LONGEST", backoff.LONGEST / 10)
