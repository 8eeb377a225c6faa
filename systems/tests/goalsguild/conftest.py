"""GoalsGuild in memory."""

from collections.abc import Iterator

import pytest
from tablewright_systems.service import Caller

from systems.tests.goalsguild.fixtures import clock_of, guild, new_user
from tablewright import Clock, Repository


@pytest.fixture
def db() -> Iterator[Repository]:
    with guild() as opened:
        yield opened


@pytest.fixture
def clock(db: Repository) -> Clock:
    return clock_of(db)


@pytest.fixture
def ada(db: Repository) -> Caller:
    return new_user(db, "ada")


@pytest.fixture
def bob(db: Repository) -> Caller:
    return new_user(db, "bob")
