"""Proofs of connections."""

from tablewright_systems.listbackup.design.connections import (
    ConnectionById,
    ConnectionsOfAccount,
    ConnectionsOfAccountTo,
    ConnectionsOfUser,
    ConnectionsOfUserTo,
)
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.proofs.fixtures import SECRET, api_key_source, new_member, new_owner
from tablewright_systems.verification import ProofContext, Proofs

PROOFS = Proofs("listbackup")


@PROOFS("A26")
def connection_by_id(context: ProofContext) -> None:
    """Get a connection by its id: it refers to the secret, and does not contain it."""
    ada, account = new_owner(context.db)
    source = api_key_source(context.db, ada, account.account_id)
    with context.measured():
        found = context.db.run(ConnectionById(connection_id=str(source.connection_id)))
    assert found is not None
    assert found.credentials is not None
    assert found.credentials.source_id == source.source_id
    assert SECRET not in found.model_dump_json()


@PROOFS("A27")
def connections_of_account(context: ProofContext) -> None:
    """Get the connections of an account, to all platforms or to one."""
    ada, account = new_owner(context.db)
    for platform in ("stripe", "keap", "stripe"):
        api_key_source(context.db, ada, account.account_id, platform)
    everything = ConnectionsOfAccount(account_id=account.account_id)
    context.eventually(lambda: len(context.db.all(everything)) == 3)
    with context.measured():
        found = context.db.all(ConnectionsOfAccountTo(account_id=account.account_id, platform="stripe"))
    assert [each.platform for each in found] == ["stripe", "stripe"]


@PROOFS("A28")
def connections_of_user(context: ProofContext) -> None:
    """Get the connections that a user made, in all accounts."""
    ada, account = new_owner(context.db)
    bob = new_member(context.db, ada, account.account_id, AccountRole.ADMIN)
    api_key_source(context.db, ada, account.account_id, "keap")
    for platform in ("stripe", "keap"):
        api_key_source(context.db, bob, account.account_id, platform)
    everything = ConnectionsOfUser(user_id=bob.user_id)
    context.eventually(lambda: len(context.db.all(everything)) == 2)
    with context.measured():
        found = context.db.all(ConnectionsOfUserTo(user_id=bob.user_id, platform="keap"))
    assert [(each.user_id, each.platform) for each in found] == [(bob.user_id, "keap")]
