"""Limits: what an account may have at most. Counters stand beside the limits, in the account itself.

A use is a write, to be put into the transaction of what uses the limit: it fails when that would pass the limit, also
when many try at once. The counters are exact because they are never counted, only kept.
"""

from functools import partial, reduce
from operator import and_
from typing import Any

from tablewright import Entity, Repository, writes
from tablewright_systems.api_errors import ApiError, Conflict, Forbidden
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.accounts import (
    Account,
    AccountById,
    AccountStatus,
    Limits,
    Plan,
)
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.service.access import Area, admit, found_account
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.store_errors import Answer, refusing

GIGABYTE = 10**9

LIMITS = {
    Plan.FREE: Limits(sources=2, users=3, storage=GIGABYTE),
    Plan.STARTER: Limits(sources=10, users=10, storage=50 * GIGABYTE),
    Plan.PROFESSIONAL: Limits(sources=50, users=100, storage=500 * GIGABYTE),
    Plan.ENTERPRISE: Limits(sources=1000, users=10_000, storage=10_000 * GIGABYTE),
}

_ACTIVE: Any = Account.status == AccountStatus.ACTIVE


def use(
    account: Account, *, sources: int = 0, users: int = 0, storage: int = 0, owners: int = 0
) -> writes.Update[Account]:
    """Use so much more of an account's limits, or give it back where negative."""
    conditions = []
    for resource, amount in (("sources", sources), ("users", users), ("storage", storage)):
        if amount > 0:
            used, limit = getattr(Account, f"{resource}_used"), getattr(account.limits, resource)
            conditions += [used <= limit - amount, Account.limits == account.limits, _ACTIVE]
    if owners < 0:
        conditions.append(Account.owners > -owners)
    amounts = {"sources_used": sources, "users_used": users, "storage_used": storage, "owners": owners}
    return writes.Update(
        AccountById(account_id=account.account_id),
        add={name: amount for name, amount in amounts.items() if amount},
        when=reduce(and_, conditions) if conditions else None,
    )


def refusal(db: Repository, account_id: str, resource: str) -> dict[type[Entity], Answer]:
    """What to say when a use of "sources", "users", "storage" or "owners" was refused: for `refusing`."""
    return {Account: partial(_why, db, account_id, resource)}


def add_storage(db: Repository, account_id: str, size: int) -> Account:
    """Note that an account stores so many bytes more, or fewer where negative; refused beyond its limit."""
    account = found_account(db, account_id)
    with refusing(refusal(db, account_id, "storage")):
        db.transact(use(account, storage=size))
    return found_account(db, account_id)


def choose_plan(db: Repository, caller: Caller, account_id: str, plan: Plan) -> Account:
    """Change the plan of an account, and its limits; what it has beyond them stays, and nothing is added."""
    before = admit(db, caller, account_id, Area.BILLING, Right.UPDATE).account
    after = before.changed(plan=plan, limits=LIMITS[plan])
    db.transact(
        writes.Update(AccountById(account_id=account_id), set={"plan": plan, "limits": LIMITS[plan]}),
        audit.record(
            caller, account_id, ResourceType.ACCOUNT, account_id, Action.UPDATE, before=before, after=after
        ),
    )
    return found_account(db, account_id)


def _why(db: Repository, account_id: str, resource: str) -> ApiError:
    """The reason, as the account tells it now."""
    account = found_account(db, account_id)
    if resource == "owners":
        return Conflict("the last owner of an account stays its owner", "role")
    if account.status is not AccountStatus.ACTIVE:
        return Forbidden(f"account {account_id} is {account.status.value}")
    limit = getattr(account.limits, resource)
    return Conflict(f"the {account.plan.value} plan has room for {limit} {resource}", resource)
