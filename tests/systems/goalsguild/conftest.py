"""A guild in memory."""

from collections.abc import Iterator

import pytest

from tablewright import Clock, Repository
from tablewright_systems.authentication import Caller
from tests.systems.goalsguild.guild import clock_of, guild, joined


@pytest.fixture
def db() -> Iterator[Repository]:
    with guild() as opened:
        yield opened


@pytest.fixture
def clock(db: Repository) -> Clock:
    return clock_of(db)


@pytest.fixture
def ada(db: Repository) -> Caller:
    return joined(db, "ada")


@pytest.fixture
def bob(db: Repository) -> Caller:
    return joined(db, "bob")
