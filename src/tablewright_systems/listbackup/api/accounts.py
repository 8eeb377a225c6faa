"""Accounts over HTTP: themselves, their hierarchy, their plans, their end."""

from itertools import islice
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from tablewright_systems.http_api import MAX_PAGE_SIZE, CurrentCaller, Cursor, Db, Limit, PageReply
from tablewright_systems.listbackup.api.bodies import Body
from tablewright_systems.listbackup.design.accounts import (
    Account,
    AccountMetadata,
    AccountStatus,
    AccountType,
    BillingInfo,
    Plan,
)
from tablewright_systems.listbackup.design.vocabulary import Id, Part
from tablewright_systems.listbackup.service.access import get_account, require_staff
from tablewright_systems.listbackup.service.accounts import accounts, closing, hierarchy, limits
from tablewright_systems.listbackup.service.sources import encryption_keys

router = APIRouter(tags=["accounts"])

Name = Annotated[str, Field(min_length=1, max_length=200)]


class NewChild(Body):
    """An account below another."""

    account_name: Name
    account_type: AccountType


class AccountChanges(Body):
    """What is changed of an account."""

    account_name: Name | None = None
    metadata: AccountMetadata | None = None


class NewParent(Body):
    """Where an account is to be."""

    parent_account_id: Id


class ChosenPlan(Body):
    """What an account pays for."""

    plan: Plan


class StatusOfAccount(Body):
    """Whether anything may be done in an account."""

    status: AccountStatus


class Round(Part):
    """Whether that was the last round of a work that takes several."""

    finished: bool


@router.get("/accounts/roots")
def root_accounts(db: Db, caller: CurrentCaller, limit: Limit = MAX_PAGE_SIZE) -> list[Account]:
    """Some accounts without a parent. For the platform's staff."""
    return list(islice(accounts.root_accounts(db, caller), limit))


@router.get("/accounts/{account_id}")
def read_account(db: Db, caller: CurrentCaller, account_id: str) -> Account:
    """An account."""
    return accounts.read_account(db, caller, account_id)


@router.patch("/accounts/{account_id}")
def change_account(db: Db, caller: CurrentCaller, account_id: str, body: AccountChanges) -> Account:
    """Rename an account, or say more about it."""
    return accounts.change_account(db, caller, account_id, **body.given())


@router.get("/accounts/{account_id}/children")
def read_children(db: Db, caller: CurrentCaller, account_id: str) -> list[Account]:
    """The accounts right below one."""
    return hierarchy.children(db, caller, account_id)


@router.post("/accounts/{account_id}/children", status_code=201)
def create_child(db: Db, caller: CurrentCaller, account_id: str, body: NewChild) -> Account:
    """Found an account below another."""
    return hierarchy.create_child(
        db, caller, account_id, account_name=body.account_name, account_type=body.account_type
    )


@router.get("/accounts/{account_id}/subtree")
def read_subtree(
    db: Db, caller: CurrentCaller, account_id: str, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[Account]:
    """An account and all below it, from the top down."""
    page = db.run(hierarchy.subtree(db, caller, account_id), limit=limit, cursor=cursor)
    return PageReply.map(page, accounts.without_billing)


@router.put("/accounts/{account_id}/parent")
def move_account(db: Db, caller: CurrentCaller, account_id: str, body: NewParent) -> Account:
    """Put an account, and all below it, below another."""
    return hierarchy.move_account(db, caller, account_id, body.parent_account_id)


@router.post("/accounts/{account_id}/moves")
def finish_move(db: Db, caller: CurrentCaller, account_id: str) -> Round:
    """Go on with a move that did not come to its end, in the tree of a root. For the platform's workers."""
    require_staff(caller, "worker")
    return Round(finished=hierarchy.finish_move(db, account_id))


@router.put("/accounts/{account_id}/plan")
def change_plan(db: Db, caller: CurrentCaller, account_id: str, body: ChosenPlan) -> Account:
    """Choose a plan, and with it limits."""
    return limits.change_plan(db, caller, account_id, body.plan)


@router.put("/accounts/{account_id}/billing")
def change_billing(db: Db, caller: CurrentCaller, account_id: str, body: BillingInfo) -> Account:
    """Say where the bills go."""
    return accounts.change_billing(db, caller, account_id, body)


@router.put("/accounts/{account_id}/status")
def set_status(db: Db, caller: CurrentCaller, account_id: str, body: StatusOfAccount) -> Account:
    """Suspend an account, or let it go on. For the platform's staff."""
    return accounts.set_status(db, caller, account_id, body.status)


@router.post("/accounts/{account_id}/keys", status_code=204)
def rotate_key(db: Db, caller: CurrentCaller, account_id: str) -> None:
    """Seal the account's secrets by a new key from now on."""
    encryption_keys.rotate_key(db, caller, account_id)


@router.delete("/accounts/{account_id}")
def close_account(db: Db, caller: CurrentCaller, account_id: str) -> Account:
    """Close an account: it takes nothing more, and all that belongs to it goes."""
    return closing.close_account(db, caller, account_id)


@router.post("/accounts/{account_id}/closing")
def finish_closing(db: Db, caller: CurrentCaller, account_id: str) -> Round:
    """One round of deleting what belongs to a closed account. For the platform's workers."""
    require_staff(caller, "worker")
    get_account(db, account_id)
    return Round(finished=closing.finish_closing(db, account_id))
