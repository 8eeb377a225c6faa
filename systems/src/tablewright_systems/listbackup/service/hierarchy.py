"""The hierarchy of accounts: children, subtrees, and moving a subtree.

A move is one transaction that puts the account below its new parent, or at the top, and marks the roots of both trees,
followed by a traversal that updates the path of every descendant. While a root is marked, its tree accepts no other
change, so that the traversal sees a constant tree. Any worker may finish the traversal; marked roots are listed. Child
counters show whether an index has returned all children yet.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from functools import reduce
from operator import and_
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from tablewright import Repository, fields, reads, writes
from tablewright_systems.listbackup.design.accounts import (
    SHARDS,
    Account,
    AccountById,
    AccountByPath,
    AccountsInPath,
    AccountStatus,
    AccountType,
    ChildAccounts,
    UnfinishedAccounts,
)
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.design.vocabulary import Id, Name
from tablewright_systems.listbackup.service import accounts, audit
from tablewright_systems.listbackup.service.access import get_account, require_member, require_role
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.service import (
    FIRST_PAGE,
    ApiError,
    Caller,
    Conflict,
    Forbidden,
    NotFound,
    require_found,
    sorted_page,
)
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, problems

router = Router("Accounts")

Path = Annotated[str, Query(pattern=r"^/([^#/\s]+/)+$", max_length=1000)]
BUSY = "the hierarchy is being changed by another request; try again"
MAX_INDEX_LAG = timedelta(hours=1)
"""After this time a traversal trusts the index, and corrects a wrong number of children."""


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

    def require_unchanged(self, account: Account) -> None:
        """Require that an account is active and still has the path that was read."""
        self.of(account.account_id).when += [
            Account.account_path == account.account_path,
            Account.status == AccountStatus.ACTIVE,
        ]

    def to_writes(self, otherwise: Exception) -> list[writes.Write]:
        """Return one write for each account; an account that has only conditions gets a check."""
        return [self._write(account_id, update, otherwise) for account_id, update in self._updates.items()]

    def _write(self, account_id: str, update: _AccountUpdate, otherwise: Exception) -> writes.Write:
        target = AccountById(account_id=account_id)
        when = reduce(and_, update.when) if update.when else None
        if update.set or update.add:
            return writes.Update(target, set=update.set, add=update.add, when=when, otherwise=otherwise)
        return writes.Check(target, when, otherwise=otherwise)


@router.post("/accounts/{account_id}/children", status_code=201)
def create_child(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    *,
    account_name: Name,
    account_type: Annotated[AccountType, Field(examples=["location"])],
) -> Account:
    """Create a child account."""
    access = require_role(db, caller, account_id, AccountRole.OWNER, AccountRole.ADMIN)
    parent = access.account
    _require_lower_type(account_type, parent)
    child = accounts.new_account(account_name, account_type, caller.user_id, parent)
    updates = AccountUpdates()
    updates.require_no_move(parent.root_account_id)
    updates.count_child(account_id, +1)
    updates.require_unchanged(parent)
    db.transact(
        *updates.to_writes(Conflict(BUSY, "parentAccountId")),
        *accounts.creation_writes(db, caller, child),
        *access.grounds,
    )
    return get_account(db, child.account_id)


@router.get("/accounts/{account_id}/children")
def read_children(
    db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest = FIRST_PAGE
) -> reads.Page[Account]:
    """List the direct children of an account by name."""
    require_member(db, caller, account_id)
    children = map(accounts.without_billing, db.all(ChildAccounts(parent_account_id=account_id)))
    name = f"children of {account_id}"
    return sorted_page(children, paging, name, lambda child: (child.account_name, child.account_id))


@router.get("/accounts/by-path", responses=problems(404))
def account_by_path(db: Db, caller: CurrentCaller, path: Path) -> Account:
    """Get the account at a path, such as `/<root id>/<account id>/`."""
    account = require_found(db.run(AccountByPath(account_path=path)), f"account at {path}")
    try:
        return accounts.read_account(db, caller, account.account_id)
    except Forbidden:
        raise NotFound(f"account at {path}") from None


@router.put("/accounts/{account_id}/parent")
def move_account(db: Db, caller: CurrentCaller, account_id: str, parent_account_id: Id) -> Account:
    """Move an account with all its descendants below another account."""
    return _move(db, caller, account_id, parent_account_id)


@router.delete("/accounts/{account_id}/parent")
def move_to_top(db: Db, caller: CurrentCaller, account_id: str) -> Account:
    """Move an account with all its descendants to the top of a hierarchy of its own."""
    return _move(db, caller, account_id, None)


def _move(db: Repository, caller: Caller, account_id: str, parent_id: str | None) -> Account:
    access = require_role(db, caller, account_id, AccountRole.OWNER)
    above = require_role(db, caller, parent_id, AccountRole.OWNER, AccountRole.ADMIN) if parent_id else None
    moved, parent = access.account, above.account if above else None
    _require_movable(moved, parent)
    after = moved.changed(**accounts.position(account_id, parent))
    db.transact(
        *_move_updates(db, moved, after, parent).to_writes(Conflict(BUSY, "parentAccountId")),
        audit.record(caller, moved, Action.MOVE, before=moved, after=after),
        *access.grounds,
        *(above.grounds if above else ()),
    )
    finish_move(db, after.root_account_id)
    return get_account(db, account_id)


def finish_move(db: Repository, root_id: str) -> bool:
    """Update the paths below a moved account and unmark the trees; return False if it must be called again later.

    It can be interrupted at any point and repeated by any worker.
    """
    root = get_account(db, root_id)
    if root.moving is None:
        return True
    top = get_account(db, root.moving)
    is_overdue = root.unfinished_since is None or db.now() - root.unfinished_since >= MAX_INDEX_LAG
    if not _update_paths(db, top, is_overdue):
        return False
    updates = AccountUpdates()
    for tree_id in {top.root_account_id, top.moved_from or root_id}:
        updates.of(tree_id).set |= {"moving": None, "unfinished_since": None}
        updates.of(tree_id).when.append(Account.moving == root.moving)
    updates.of(root.moving).set["moved_from"] = None
    db.transact(*updates.to_writes(Conflict(BUSY)))
    return True


def unfinished_accounts() -> reads.Merged[Account]:
    """Return the read of roots with a move in progress and of closed accounts, the longest waiting first."""
    return reads.Merged([UnfinishedAccounts(shard=shard) for shard in range(SHARDS)])


@router.get("/accounts/{account_id}/subtree")
def read_subtree(
    db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest = FIRST_PAGE
) -> reads.Page[Account]:
    """List an account and all its descendants, from the top down."""
    account = require_member(db, caller, account_id).account
    pattern = AccountsInPath(root_account_id=account.root_account_id, path_prefix=account.account_path)
    return paging.run(db, pattern).map(accounts.without_billing)


def _move_updates(db: Repository, moved: Account, after: Account, parent: Account | None) -> AccountUpdates:
    updates = AccountUpdates()
    for root in {moved.root_account_id, after.root_account_id}:
        updates.require_no_move(root)
        updates.of(root).set |= {"moving": moved.account_id, "unfinished_since": db.now()}
    updates.require_unchanged(moved)
    updates.of(moved.account_id).set |= {
        **accounts.position(moved.account_id, parent),
        "moved_from": moved.root_account_id,
    }
    if moved.parent_account_id is not None:
        updates.count_child(moved.parent_account_id, -1)
    if parent is not None:
        updates.require_unchanged(parent)
        updates.count_child(parent.account_id, +1)
    return updates


def _update_paths(db: Repository, above: Account, is_overdue: bool) -> bool:
    """Update the paths of all descendants; return whether all were found."""
    seen = 0
    complete = True
    for indexed in db.iterate(ChildAccounts(parent_account_id=above.account_id)):
        child = get_account(db, indexed.account_id)
        if child.parent_account_id != above.account_id:
            continue  # the index lags: the child was moved away
        seen += 1
        place = accounts.position(child.account_id, above)
        if any(getattr(child, name) != value for name, value in place.items()):
            child = db.update(AccountById(account_id=child.account_id), set=place)
        complete = _update_paths(db, child, is_overdue) and complete
    if seen != above.children and is_overdue:
        db.update(AccountById(account_id=above.account_id), add={"children": seen - above.children})
        return complete
    return complete and seen == above.children


def _require_lower_type(kind: AccountType, parent: Account) -> None:
    if kind.depth <= parent.account_type.depth:
        raise Conflict(f"a {kind.value} cannot be below a {parent.account_type.value}", "accountType")


def _require_movable(moved: Account, parent: Account | None) -> None:
    problem: ApiError | None = None
    if parent is not None and parent.account_path.startswith(moved.account_path):
        problem = Conflict("an account cannot be below itself", "parentAccountId")
    elif moved.parent_account_id == (parent.account_id if parent else None):
        problem = Conflict("the account is already there", "parentAccountId")
    if problem is not None:
        raise problem
    if parent is not None:
        _require_lower_type(moved.account_type, parent)
