"""The hierarchy of accounts: children, subtrees, and moving a subtree.

A move is one transaction that puts the account below its new parent and marks the roots of both trees, followed by a
traversal that updates the path of every descendant. While a root is marked, its tree accepts no other change, so that
the traversal sees a constant tree. Any worker may finish the traversal. Child counters show whether an index has
returned all children yet.
"""

from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import Any

from tablewright import Repository, fields, writes
from tablewright_systems.listbackup.design.accounts import (
    Account,
    AccountById,
    AccountsInPath,
    AccountStatus,
    AccountType,
    ChildAccounts,
)
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.design.vocabulary import ResourceType
from tablewright_systems.listbackup.service.access import get_account, require_member, require_role
from tablewright_systems.listbackup.service.accounts import accounts
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.store_errors import translate_errors
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import ApiError, Conflict

BUSY = "the hierarchy is being changed by another request; try again"


@dataclass(slots=True)
class _AccountUpdate:
    """The changes of one account in a transaction; an account may be changed for several reasons."""

    set: dict[str, Any] = field(default_factory=dict)
    add: dict[str, int] = field(default_factory=dict)
    when: list[Any] = field(default_factory=list)


class AccountUpdates:
    """Changes of several accounts in one transaction, merged to one write for each account."""

    def __init__(self) -> None:
        self._updates: dict[str, _AccountUpdate] = {}

    def of(self, account_id: str) -> _AccountUpdate:
        """The changes of an account."""
        return self._updates.setdefault(account_id, _AccountUpdate())

    def count_child(self, parent_id: str, amount: int) -> None:
        """Change the number of children."""
        self.of(parent_id).add["children"] = amount

    def require_no_move(self, root_id: str) -> None:
        """Require that no move is in progress in a tree."""
        self.of(root_id).when.append(fields.of(Account.moving).is_absent())

    def to_writes(self) -> list[writes.Write]:
        """Return one write for each account; an account that has only conditions gets a check."""
        return [self._write(account_id, update) for account_id, update in self._updates.items()]

    def _write(self, account_id: str, update: _AccountUpdate) -> writes.Write:
        target = AccountById(account_id=account_id)
        when = reduce(and_, update.when) if update.when else None
        if update.set or update.add:
            return writes.Update(target, set=update.set, add=update.add, when=when)
        return writes.Check(target, when)


def create_child(
    db: Repository, caller: Caller, parent_id: str, *, account_name: str, account_type: AccountType
) -> Account:
    """Create an account below another, owned by the caller."""
    parent = require_role(db, caller, parent_id, AccountRole.OWNER, AccountRole.ADMIN).account
    _require_lower_type(account_type, parent)
    child = accounts.new_account(account_name, account_type, caller.user_id, parent)
    updates = AccountUpdates()
    updates.require_no_move(parent.root_account_id)
    updates.count_child(parent_id, +1)
    _require_unchanged(updates, parent)
    with translate_errors({Account: Conflict(BUSY, "parentAccountId")}):
        db.transact(*updates.to_writes(), *accounts.creation_writes(db, caller, child))
    return get_account(db, child.account_id)


def children(db: Repository, caller: Caller, account_id: str) -> list[Account]:
    """Return the direct children of an account, by name."""
    require_member(db, caller, account_id)
    found = db.all(ChildAccounts(parent_account_id=account_id))
    return sorted(map(accounts.without_billing, found), key=lambda account: account.account_name)


def move_account(db: Repository, caller: Caller, account_id: str, parent_id: str) -> Account:
    """Move an account with all its descendants below another account."""
    moved = require_role(db, caller, account_id, AccountRole.OWNER).account
    parent = require_role(db, caller, parent_id, AccountRole.OWNER, AccountRole.ADMIN).account
    _require_movable(moved, parent)
    after = moved.changed(
        parent_account_id=parent_id,
        account_path=f"{parent.account_path}{account_id}/",
        root_account_id=parent.root_account_id,
        level=parent.level + 1,
    )
    activity = audit.record(
        caller, account_id, ResourceType.ACCOUNT, account_id, Action.MOVE, before=moved, after=after
    )
    with translate_errors({Account: Conflict(BUSY, "parentAccountId")}):
        db.transact(*_move_updates(moved, after, parent).to_writes(), activity)
    finish_move(db, parent.root_account_id)
    return get_account(db, account_id)


def finish_move(db: Repository, root_id: str) -> bool:
    """Update the paths below a moved account and unmark the trees; return False if it must be called again later.

    It can be interrupted at any point and repeated by any worker.
    """
    moving = get_account(db, root_id).moving
    if moving is None:
        return True
    top = get_account(db, moving)
    if not _update_paths(db, top):
        return False
    updates = AccountUpdates()
    for root in {top.root_account_id, top.moved_from or root_id}:
        updates.of(root).set["moving"] = None
        updates.of(root).when.append(Account.moving == moving)
    updates.of(moving).set["moved_from"] = None
    with translate_errors({Account: Conflict(BUSY)}):
        db.transact(*updates.to_writes())
    return True


def subtree(db: Repository, caller: Caller, account_id: str) -> AccountsInPath:
    """Return the pattern that lists an account and all its descendants. For members of the account."""
    account = require_member(db, caller, account_id).account
    return AccountsInPath(root_account_id=account.root_account_id, path_prefix=account.account_path)


def _require_unchanged(updates: AccountUpdates, account: Account) -> None:
    """Require that an account is active and still has the path that was read."""
    updates.of(account.account_id).when += [
        Account.account_path == account.account_path,
        Account.status == AccountStatus.ACTIVE,
    ]


def _move_updates(moved: Account, after: Account, parent: Account) -> AccountUpdates:
    updates = AccountUpdates()
    for root in {moved.root_account_id, parent.root_account_id}:
        updates.require_no_move(root)
        updates.of(root).set["moving"] = moved.account_id
    _require_unchanged(updates, moved)
    _require_unchanged(updates, parent)
    updates.of(moved.account_id).set |= {
        "parent_account_id": after.parent_account_id,
        "account_path": after.account_path,
        "root_account_id": after.root_account_id,
        "level": after.level,
        "moved_from": moved.root_account_id,
    }
    if moved.parent_account_id is not None:
        updates.count_child(moved.parent_account_id, -1)
    updates.count_child(parent.account_id, +1)
    return updates


def _update_paths(db: Repository, above: Account) -> bool:
    """Update the paths of all descendants; return whether all were found."""
    seen = 0
    complete = True
    for found in db.iterate(ChildAccounts(parent_account_id=above.account_id)):
        child = get_account(db, found.account_id)
        if child.parent_account_id != above.account_id:
            continue  # the index lags: the child was moved away
        seen += 1
        position = {
            "account_path": f"{above.account_path}{child.account_id}/",
            "root_account_id": above.root_account_id,
            "level": above.level + 1,
        }
        if any(getattr(child, name) != value for name, value in position.items()):
            child = db.update(AccountById(account_id=child.account_id), set=position)
        complete = _update_paths(db, child) and complete
    return complete and seen == above.children


def _require_lower_type(kind: AccountType, parent: Account) -> None:
    if kind.depth <= parent.account_type.depth:
        raise Conflict(f"a {kind.value} cannot be below a {parent.account_type.value}", "accountType")


def _require_movable(moved: Account, parent: Account) -> None:
    problem: ApiError | None = None
    if parent.account_path.startswith(moved.account_path):
        problem = Conflict("an account cannot be below itself", "parentAccountId")
    elif moved.parent_account_id == parent.account_id:
        problem = Conflict("the account is already below this parent", "parentAccountId")
    if problem is not None:
        raise problem
    _require_lower_type(moved.account_type, parent)
