"""Proofs of accounts: reading them, their hierarchy, their limits."""

from tablewright_systems.listbackup.design.accounts import (
    SHARDS,
    AccountById,
    AccountByPath,
    AccountsInPath,
    AccountType,
    ChildAccounts,
    Plan,
    RootAccounts,
)
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.design.users import UserById, UserRole
from tablewright_systems.listbackup.proofs.fixtures import (
    STAFF,
    account_tree,
    new_caller,
    new_member,
    new_owner,
    oauth_source,
    reload_account,
)
from tablewright_systems.listbackup.service import accounts, hierarchy, invitations, limits
from tablewright_systems.service import Conflict, Forbidden
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")


@PROOFS("A4")
def child_accounts(context: ProofContext) -> None:
    """Get child accounts."""
    ada, top = new_owner(context.db)
    child, *_ = account_tree(context.db, ada, top)
    pattern = ChildAccounts(parent_account_id=top.account_id)
    context.eventually(lambda: len(context.db.run(pattern)) == 1)
    with context.measured():
        children = context.db.all(pattern)
    assert [account.account_id for account in children] == [child.account_id]


@PROOFS("A5")
def accounts_in_path(context: ProofContext) -> None:
    """Get accounts in path: a whole subtree, and no other accounts."""
    ada, top = new_owner(context.db)
    below = account_tree(context.db, ada, top)
    account_tree(context.db, ada, top)
    pattern = AccountsInPath(root_account_id=top.account_id, path_prefix=below[0].account_path)
    context.eventually(lambda: len(context.db.run(pattern)) == 3)
    with context.measured():
        subtree = context.db.all(pattern)
    assert [account.account_id for account in subtree] == [lower.account_id for lower in below]


@PROOFS("A15")
def account_by_id(context: ProofContext) -> None:
    """Get account by ID."""
    _, top = new_owner(context.db)
    with context.measured():
        account = context.db.run(AccountById(account_id=top.account_id))
    assert account == top


@PROOFS("A16")
def account_by_path(context: ProofContext) -> None:
    """Get the account at an exact path."""
    ada, top = new_owner(context.db)
    child, *_ = account_tree(context.db, ada, top)
    pattern = AccountByPath(account_path=child.account_path)
    context.eventually(lambda: context.db.run(pattern))
    with context.measured():
        account = context.db.run(pattern)
    assert account is not None
    assert account.account_id == child.account_id


@PROOFS("A50")
def root_accounts(context: ProofContext) -> None:
    """Get root accounts: those without a parent."""
    ada, top = new_owner(context.db)
    child, *_ = account_tree(context.db, ada, top)

    def roots() -> set[str]:
        shards = (context.db.iterate(RootAccounts(shard=shard)) for shard in range(SHARDS))
        return {account.account_id for shard in shards for account in shard}

    context.eventually(lambda: top.account_id in roots())
    with context.measured():
        listed = roots()
    assert child.account_id not in listed
    assert top.parent_account_id is None


@PROOFS("F2")
def hierarchy_of_accounts(context: ProofContext) -> None:
    """Found a root, create children, move a subtree below an account and to the top; cycles are impossible."""
    ada, top = new_owner(context.db)
    _, division, location = account_tree(context.db, ada, top)
    other, *_ = account_tree(context.db, ada, top)
    assert (location.level, location.account_path) == (3, f"{division.account_path}{location.account_id}/")
    with expect_error(Conflict, field="parentAccountId"):
        hierarchy.move_account(context.db, ada, division.account_id, location.account_id)
    with expect_error(Conflict, field="accountType"):
        hierarchy.move_account(context.db, ada, other.account_id, division.account_id)
    with context.measured():
        hierarchy.move_account(context.db, ada, division.account_id, other.account_id)
    context.eventually(lambda: hierarchy.finish_move(context.db, top.account_id))
    assert reload_account(context.db, location).account_path == (
        f"{other.account_path}{division.account_id}/{location.account_id}/"
    )
    assert reload_account(context.db, top).moving is None
    eve = new_member(context.db, ada, division.account_id, AccountRole.ADMIN)
    with expect_error(Forbidden):
        hierarchy.move_to_top(context.db, eve, division.account_id)
    hierarchy.move_to_top(context.db, ada, division.account_id)
    context.eventually(lambda: hierarchy.finish_move(context.db, division.account_id))
    assert reload_account(context.db, location).account_path == (
        f"/{division.account_id}/{location.account_id}/"
    )
    second = accounts.found_account(
        context.db, ada, account_name="Second", account_type=AccountType.SUBSIDIARY
    )
    assert (second.level, second.root_account_id, second.owners) == (0, second.account_id, 1)
    context.db.update(UserById(user_id=eve.user_id), set={"role": UserRole.READONLY})
    with expect_error(Forbidden):
        accounts.found_account(context.db, eve, account_name="Eve's", account_type=AccountType.SUBSIDIARY)


@PROOFS("F6")
def limits_of_plans(context: ProofContext) -> None:
    """The limits of a plan hold for sources, users and storage, and members cannot choose the plan."""
    ada, account = new_owner(context.db, Plan.FREE)
    for _ in range(account.limits.sources):
        oauth_source(context.db, ada, account.account_id)
    with context.measured(), expect_error(Conflict, field="sources"):
        oauth_source(context.db, ada, account.account_id)
    with expect_error(Conflict, field="storage"):
        context.db.transact(limits.use(account, storage=account.limits.storage + 1))
    for _ in range(account.limits.users - 1):
        invitations.invite(context.db, ada, account.account_id, str(new_caller().email))
    with expect_error(Conflict, field="users"):
        invitations.invite(context.db, ada, account.account_id, str(new_caller().email))
    with expect_error(Forbidden):
        limits.change_plan(context.db, ada, account.account_id, Plan.ENTERPRISE)
    limits.change_plan(context.db, STAFF, account.account_id, Plan.STARTER)
    oauth_source(context.db, ada, account.account_id)
    assert reload_account(context.db, account).sources_used == 3
    assert account.account_type is AccountType.CONGLOMERATE
