"""ListBackup in memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.listbackup.design import design
from tablewright_systems.listbackup.design.accounts import Account, Plan
from tablewright_systems.listbackup.development import build
from tablewright_systems.listbackup.proofs.fixtures import STAFF, new_owner
from tablewright_systems.service.callers import Caller
from tablewright_systems.web.authentication import LocalIssuer

from systems.tests.listbackup.api_client import ApiClient, NewOwner
from systems.tests.listbackup.backup_setup import BackupSetup
from systems.tests.listbackup.faulty_store import START
from tablewright import Clock, Repository, connect


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
def db(clock: Clock) -> Iterator[Repository]:
    with connect(design, environment="main", clock=clock) as repository:
        yield repository


@pytest.fixture
def ada(db: Repository) -> tuple[Caller, Account]:
    """An owner and the owner's account."""
    return new_owner(db)


@pytest.fixture
def caller(ada: tuple[Caller, Account]) -> Caller:
    return ada[0]


@pytest.fixture
def account_id(ada: tuple[Caller, Account]) -> str:
    return ada[1].account_id


@pytest.fixture
def issuer() -> LocalIssuer:
    return LocalIssuer()


@pytest.fixture
def client(db: Repository, issuer: LocalIssuer) -> Iterator[TestClient]:
    with TestClient(build(db, issuer)) as opened:
        yield opened


@pytest.fixture
def create_owner(db: Repository, client: TestClient, issuer: LocalIssuer) -> NewOwner:
    def made(plan: Plan = Plan.ENTERPRISE) -> tuple[ApiClient, Account]:
        caller, account = new_owner(db, plan)
        return ApiClient(client, issuer, caller), account

    return made


@pytest.fixture
def staff(client: TestClient, issuer: LocalIssuer) -> ApiClient:
    return ApiClient(client, issuer, STAFF)


@pytest.fixture
def setup(db: Repository, caller: Caller, account_id: str, clock: Clock, tmp_path: Path) -> BackupSetup:
    """A worker on fake platforms, with a folder for archives."""
    return BackupSetup.on(db, caller, account_id, clock, tmp_path / "archives")
