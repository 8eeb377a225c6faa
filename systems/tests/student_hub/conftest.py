"""Student Hub in memory, at the time of the document's examples."""

from collections.abc import Iterator

import pytest
from tablewright_systems.student_hub.design import design

from systems.tests.student_hub.fixtures import START
from tablewright import Clock, Repository, connect


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
def db(clock: Clock) -> Iterator[Repository]:
    with connect(design, environment="main", clock=clock) as repository:
        yield repository
