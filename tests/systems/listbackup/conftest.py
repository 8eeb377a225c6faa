"""ListBackup in memory."""

from collections.abc import Iterator

import pytest

from tablewright import Clock, Repository, connect
from tablewright_systems.identities import Caller
from tablewright_systems.listbackup.design import design
from tablewright_systems.listbackup.design.accounts import Account
from tablewright_systems.listbackup.proofs.cast import founder
from tests.systems.listbackup.crowds import START


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
def db(clock: Clock) -> Iterator[Repository]:
    with connect(design, environment="main", clock=clock) as repository:
        yield repository


@pytest.fixture
def ada(db: Repository) -> tuple[Caller, Account]:
    """Somebody with an account of their own."""
    return founder(db)


@pytest.fixture
def caller(ada: tuple[Caller, Account]) -> Caller:
    return ada[0]


@pytest.fixture
def account_id(ada: tuple[Caller, Account]) -> str:
    return ada[1].account_id
