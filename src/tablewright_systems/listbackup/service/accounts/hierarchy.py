"""The hierarchy of accounts: children, subtrees, and moving one of them.

A move is one transaction that puts the account below its new parent and marks the roots of both trees, and then a walk
that gives every descendant its new path. While a root is marked, its tree takes no other change, so that the walk meets
a tree that stands still; whoever finds a mark may finish the walk. Counters of children tell whether an index has shown
all of them yet.
"""

from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import Any

from tablewright import Repository, writes
from tablewright_systems.api_errors import ApiError, Conflict
from tablewright_systems.authentication import Caller
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
from tablewright_systems.listbackup.service.access import enter, found_account, require_role
from tablewright_systems.listbackup.service.accounts import accounts
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.store_errors import refusing

BUSY = "the hierarchy is changing at this moment; try again"


@dataclass(slots=True)
class _Edit:
    """What happens to one account in a change of the hierarchy; an account may have several parts in it."""

    set: dict[str, Any] = field(default_factory=dict)
    add: dict[str, int] = field(default_factory=dict)
    when: list[Any] = field(default_factory=list)


class Edits:
    """Changes of several accounts, to be made in one transaction: one write for each."""

    def __init__(self) -> None:
        self._edits: dict[str, _Edit] = {}

    def of(self, account_id: str) -> _Edit:
        """What happens to an account."""
        return self._edits.setdefault(account_id, _Edit())

    def count_child(self, parent_id: str, amount: int) -> None:
        """One child more, or fewer."""
        self.of(parent_id).add["children"] = amount

    def still(self, root_id: str) -> None:
        """Only while nothing is being moved in a tree."""
        self.of(root_id).when.append(Account.moving == None)  # noqa: E711 - a condition

    def steps(self) -> list[writes.Write]:
        """One for each account; one that only has conditions is checked."""
        return [self._write(account_id, edit) for account_id, edit in self._edits.items()]

    def _write(self, account_id: str, edit: _Edit) -> writes.Write:
        target = AccountById(account_id=account_id)
        when = reduce(and_, edit.when) if edit.when else None
        if edit.set or edit.add:
            return writes.Update(target, set=edit.set, add=edit.add, when=when)
        return writes.Check(target, when)


def create_child(
    db: Repository, caller: Caller, parent_id: str, *, account_name: str, account_type: AccountType
) -> Account:
    """A new account below another, owned by the caller."""
    parent = require_role(db, caller, parent_id, AccountRole.OWNER, AccountRole.ADMIN).account
    _require_deeper(account_type, parent)
    child = accounts.new_account(account_name, account_type, caller.user_id, parent)
    edits = Edits()
    edits.still(parent.root_account_id)
    edits.count_child(parent_id, +1)
    _stands(edits, parent)
    with refusing({Account: Conflict(BUSY, "parentAccountId")}):
        db.transact(*edits.steps(), *accounts.founding(db, caller, child))
    return found_account(db, child.account_id)


def children(db: Repository, caller: Caller, account_id: str) -> list[Account]:
    """The accounts right below one, by their names."""
    enter(db, caller, account_id)
    found = db.all(ChildAccounts(parent_account_id=account_id))
    return sorted(map(accounts.without_bills, found), key=lambda account: account.account_name)


def move_account(db: Repository, caller: Caller, account_id: str, parent_id: str) -> Account:
    """Put an account, and all below it, below another one."""
    moved = require_role(db, caller, account_id, AccountRole.OWNER).account
    parent = require_role(db, caller, parent_id, AccountRole.OWNER, AccountRole.ADMIN).account
    _require_movable(moved, parent)
    after = moved.changed(
        parent_account_id=parent_id,
        account_path=f"{parent.account_path}{account_id}/",
        root_account_id=parent.root_account_id,
        level=parent.level + 1,
    )
    told = audit.record(
        caller, account_id, ResourceType.ACCOUNT, account_id, Action.MOVE, before=moved, after=after
    )
    with refusing({Account: Conflict(BUSY, "parentAccountId")}):
        db.transact(*_moving(moved, after, parent).steps(), told)
    finish_move(db, parent.root_account_id)
    return found_account(db, account_id)


def finish_move(db: Repository, root_id: str) -> bool:
    """Give what is below a moved account its new paths, and let the trees go; False when it must be tried again later.

    It can be stopped anywhere and begun anew by anyone.
    """
    moving = found_account(db, root_id).moving
    if moving is None:
        return True
    top = found_account(db, moving)
    if not _repath(db, top):
        return False
    edits = Edits()
    for root in {top.root_account_id, top.moved_from or root_id}:
        edits.of(root).set["moving"] = None
        edits.of(root).when.append(Account.moving == moving)
    edits.of(moving).set["moved_from"] = None
    with refusing({Account: Conflict(BUSY)}):
        db.transact(*edits.steps())
    return True


def subtree(db: Repository, caller: Caller, account_id: str) -> AccountsInPath:
    """The pattern that finds an account and all below it; for who is a member of it."""
    account = enter(db, caller, account_id).account
    return AccountsInPath(root_account_id=account.root_account_id, path_prefix=account.account_path)


def _stands(edits: Edits, account: Account) -> None:
    """Only while an account is where it was read, and may have children."""
    edits.of(account.account_id).when += [
        Account.account_path == account.account_path,
        Account.status == AccountStatus.ACTIVE,
    ]


def _moving(moved: Account, after: Account, parent: Account) -> Edits:
    edits = Edits()
    for root in {moved.root_account_id, parent.root_account_id}:
        edits.still(root)
        edits.of(root).set["moving"] = moved.account_id
    _stands(edits, moved)
    _stands(edits, parent)
    edits.of(moved.account_id).set |= {
        "parent_account_id": after.parent_account_id,
        "account_path": after.account_path,
        "root_account_id": after.root_account_id,
        "level": after.level,
        "moved_from": moved.root_account_id,
    }
    if moved.parent_account_id is not None:
        edits.count_child(moved.parent_account_id, -1)
    edits.count_child(parent.account_id, +1)
    return edits


def _repath(db: Repository, above: Account) -> bool:
    """Give all below an account their paths; whether all were seen."""
    seen = 0
    complete = True
    for found in db.iterate(ChildAccounts(parent_account_id=above.account_id)):
        child = found_account(db, found.account_id)
        if child.parent_account_id != above.account_id:
            continue  # the index is behind: it has moved away
        seen += 1
        placed = {
            "account_path": f"{above.account_path}{child.account_id}/",
            "root_account_id": above.root_account_id,
            "level": above.level + 1,
        }
        if any(getattr(child, name) != value for name, value in placed.items()):
            child = db.update(AccountById(account_id=child.account_id), set=placed)
        complete = _repath(db, child) and complete
    return complete and seen == above.children


def _require_deeper(kind: AccountType, parent: Account) -> None:
    if kind.depth <= parent.account_type.depth:
        raise Conflict(f"a {kind.value} cannot be below a {parent.account_type.value}", "accountType")


def _require_movable(moved: Account, parent: Account) -> None:
    problem: ApiError | None = None
    if parent.account_path.startswith(moved.account_path):
        problem = Conflict("an account cannot be below itself", "parentAccountId")
    elif moved.parent_account_id == parent.account_id:
        problem = Conflict("it is there already", "parentAccountId")
    if problem is not None:
        raise problem
    _require_deeper(moved.account_type, parent)
