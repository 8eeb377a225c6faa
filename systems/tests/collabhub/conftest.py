"""CollabHub in memory, with a frozen clock."""

from collections.abc import Iterator

import pytest

from systems.tests.collabhub.table_contents import START, open_store
from tablewright import Clock, Repository


@pytest.fixture
def clock() -> Clock:
    return Clock(start=START)


@pytest.fixture
def db(clock: Clock) -> Iterator[Repository]:
    with open_store(clock) as hub:
        yield hub
