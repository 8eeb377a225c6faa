"""Connections: which members may read and describe them, and which workers report their use."""

import pytest
from tablewright_systems.listbackup.design.connections import ConnectionMetadata, ConnectionStatus
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.proofs.fixtures import STAFF, api_key_source, new_member, new_owner
from tablewright_systems.listbackup.service import connections
from tablewright_systems.service import Caller, Conflict, Forbidden, NotFound

from tablewright import Repository

ABOUT = ConnectionMetadata(account_name="Shop", account_id="acct_1")


@pytest.fixture
def connection_id(db: Repository, caller: Caller, account_id: str) -> str:
    return api_key_source(db, caller, account_id).connection_id or ""


def test_a_connection_is_described(db: Repository, caller: Caller, connection_id: str) -> None:
    assert connections.describe_connection(db, caller, connection_id, ABOUT).metadata == ABOUT
    assert connections.get_connection(db, connection_id).metadata == ABOUT


def test_other_accounts_do_not_learn_that_a_connection_exists(db: Repository, connection_id: str) -> None:
    eve, _ = new_owner(db)
    with pytest.raises(NotFound, match=f"connection {connection_id} was not found"):
        connections.read_connection(db, eve, connection_id)


def test_readers_do_not_describe_connections(
    db: Repository, caller: Caller, account_id: str, connection_id: str
) -> None:
    reader = new_member(db, caller, account_id, AccountRole.READONLY)
    assert connections.read_connection(db, reader, connection_id).connection_id == connection_id
    with pytest.raises(Forbidden):
        connections.describe_connection(db, reader, connection_id, ABOUT)


def test_workers_report_use_and_errors(db: Repository, caller: Caller, connection_id: str) -> None:
    with pytest.raises(Forbidden):
        connections.record_use(db, caller, connection_id)
    assert connections.record_use(db, STAFF, connection_id).last_used_at == db.now()
    connections.record_error(db, STAFF, connection_id, "the key is revoked")
    assert connections.get_connection(db, connection_id).status is ConnectionStatus.ERROR
    with pytest.raises(Conflict, match="does not exist or is not active"):
        connections.record_use(db, STAFF, connection_id)
    with pytest.raises(Conflict, match="the connection is error"):
        connections.record_error(db, STAFF, connection_id, "again")
