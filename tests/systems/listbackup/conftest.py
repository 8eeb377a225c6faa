"""ListBackup in memory."""

from collections.abc import Iterator

import pytest

from tablewright import Clock, Repository, connect
from tablewright_systems.listbackup.design import design
from tests.systems.listbackup.crowds import START


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
def db(clock: Clock) -> Iterator[Repository]:
    with connect(design, environment="main", clock=clock) as repository:
        yield repository
