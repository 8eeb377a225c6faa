"""Fixtures that the tests of streams share."""

from collections.abc import Iterator

import pytest

from tablewright import Clock, Repository, connect
from tests.access.streams.goals import START, design


@pytest.fixture
def clock() -> Clock:
    """A frozen clock."""
    return Clock(START)


@pytest.fixture
def db(clock: Clock) -> Iterator[Repository]:
    """The design of goals, in memory."""
    with connect(design, clock=clock) as db:
        yield db


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that the code under test would have made."""
    taken: list[float] = []
    monkeypatch.setattr("time.sleep", taken.append)
    return taken
