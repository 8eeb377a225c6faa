"""Accounts: reading, changing, hierarchy, plans, closing."""

from typing import Annotated

from fastapi import Query
from pydantic import Field

from tablewright_systems.listbackup.api.names import Name
from tablewright_systems.listbackup.design.accounts import (
    Account,
    AccountMetadata,
    AccountStatus,
    AccountType,
    BillingInfo,
    Plan,
)
from tablewright_systems.listbackup.design.vocabulary import Id
from tablewright_systems.listbackup.service import accounts, closing, hierarchy, limits
from tablewright_systems.service import sorted_page
from tablewright_systems.web import (
    Body,
    CountReply,
    CurrentCaller,
    Db,
    PageReply,
    PageRequest,
    Router,
    problems,
)

router = Router("Accounts", "Accounts in their hierarchy.")

Path = Annotated[str, Query(pattern=r"^/([^#/\s]+/)+$", max_length=1000)]


class NewChild(Body):
    """A new child account."""

    account_name: Name
    account_type: AccountType = Field(examples=["location"])


class NewAccount(Body):
    """A new account at the top of its own hierarchy."""

    account_name: Name
    account_type: AccountType = AccountType.CONGLOMERATE


class AccountChanges(Body):
    """Changes of an account."""

    account_name: Name | None = None
    metadata: AccountMetadata | None = None


class NewParent(Body):
    """The new parent of an account."""

    parent_account_id: Id


class ChosenPlan(Body):
    """The new plan of an account."""

    plan: Plan


class StatusOfAccount(Body):
    """The new status of an account."""

    status: AccountStatus


@router.get("/accounts/roots")
def root_accounts(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Account]:
    """List accounts without a parent, oldest first. For the platform's staff."""
    return PageReply.of(paging.run(db, accounts.root_accounts(db, caller)))


@router.get("/accounts/by-path", responses=problems(404))
def account_by_path(db: Db, caller: CurrentCaller, path: Path) -> Account:
    """Get the account at a path, such as `/<root id>/<account id>/`."""
    return hierarchy.account_by_path(db, caller, path)


@router.post("/accounts", status_code=201)
def found_account(db: Db, caller: CurrentCaller, body: NewAccount) -> Account:
    """Create an account at the top of a new hierarchy, owned by the caller."""
    return accounts.found_account(db, caller, **dict(body))


@router.get("/accounts/{account_id}")
def read_account(db: Db, caller: CurrentCaller, account_id: str) -> Account:
    """Get an account."""
    return accounts.read_account(db, caller, account_id)


@router.patch("/accounts/{account_id}")
def change_account(db: Db, caller: CurrentCaller, account_id: str, body: AccountChanges) -> Account:
    """Rename an account, or change its metadata."""
    return accounts.change_account(db, caller, account_id, **body.given())


@router.get("/accounts/{account_id}/children")
def read_children(db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest) -> PageReply[Account]:
    """List the direct children of an account by name."""
    children = hierarchy.children(db, caller, account_id)
    name = f"children of {account_id}"
    return PageReply.of(
        sorted_page(children, paging, name, lambda child: (child.account_name, child.account_id))
    )


@router.post("/accounts/{account_id}/children", status_code=201)
def create_child(db: Db, caller: CurrentCaller, account_id: str, body: NewChild) -> Account:
    """Create a child account."""
    return hierarchy.create_child(db, caller, account_id, **dict(body))


@router.get("/accounts/{account_id}/subtree")
def read_subtree(db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest) -> PageReply[Account]:
    """List an account and all its descendants, from the top down."""
    page = paging.run(db, hierarchy.subtree(db, caller, account_id))
    return PageReply.map(page, accounts.without_billing)


@router.put("/accounts/{account_id}/parent")
def move_account(db: Db, caller: CurrentCaller, account_id: str, body: NewParent) -> Account:
    """Move an account with all its descendants below another account."""
    return hierarchy.move_account(db, caller, account_id, body.parent_account_id)


@router.delete("/accounts/{account_id}/parent")
def move_to_top(db: Db, caller: CurrentCaller, account_id: str) -> Account:
    """Move an account with all its descendants to the top of a hierarchy of its own."""
    return hierarchy.move_account(db, caller, account_id, None)


@router.put("/accounts/{account_id}/plan")
def change_plan(db: Db, caller: CurrentCaller, account_id: str, body: ChosenPlan) -> Account:
    """Change the plan of an account, and with it the limits. For platform admins and the billing service."""
    return limits.change_plan(db, caller, account_id, body.plan)


@router.put("/accounts/{account_id}/billing")
def change_billing(db: Db, caller: CurrentCaller, account_id: str, body: BillingInfo) -> Account:
    """Change the billing information."""
    return accounts.change_billing(db, caller, account_id, body)


@router.put("/accounts/{account_id}/status")
def set_status(db: Db, caller: CurrentCaller, account_id: str, body: StatusOfAccount) -> Account:
    """Suspend or reactivate an account. For the platform's staff."""
    return accounts.set_status(db, caller, account_id, body.status)


@router.post("/accounts/{account_id}/keys", status_code=204)
def rotate_key(db: Db, caller: CurrentCaller, account_id: str) -> None:
    """Create a new encryption key for the account's secrets; new secrets use it."""
    accounts.rotate_key(db, caller, account_id)


@router.post("/encryption-keys/reencryption", responses=problems())
def reencrypt(db: Db, caller: CurrentCaller) -> CountReply:
    """Encrypt again with the newest key of each account what older keys encrypted. For workers.

    The reply has the number of items.
    """
    return CountReply(count=accounts.reencrypt(db, caller))


@router.delete("/accounts/{account_id}")
def close_account(db: Db, caller: CurrentCaller, account_id: str) -> Account:
    """Close an account. It accepts no more changes, and all its data is deleted."""
    return closing.close_account(db, caller, account_id)
