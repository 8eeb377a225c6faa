"""GoalsGuild in memory."""

from collections.abc import Iterator

import pytest

from tablewright import Clock, Repository
from tablewright_systems.service import Caller
from tests.systems.goalsguild.fixtures import clock_of, guild, new_user


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
