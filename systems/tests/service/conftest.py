"""A shop in memory, with a clock that stands still until a test moves it."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from systems.tests.service.shop import design
from tablewright import Clock, Repository, connect

START = datetime(2026, 3, 1, 10, tzinfo=UTC)


@pytest.fixture
def clock() -> Clock:
    return Clock(start=START)


@pytest.fixture
def db(clock: Clock) -> Iterator[Repository]:
    with connect(design, clock=clock) as db:
        yield db
