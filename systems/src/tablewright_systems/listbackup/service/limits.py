"""Limits of an account. The counters are attributes of the account, beside the limits.

`use` returns a write for the transaction that uses the limit: the transaction fails if it would exceed the limit, also
with concurrent writers. Nothing is recounted: each transaction keeps its counter exact.
"""

from functools import reduce
from operator import and_

from tablewright import writes
from tablewright_systems.listbackup.design.accounts import Account, AccountById, AccountStatus, Limits, Plan
from tablewright_systems.listbackup.service import alerts, audit
from tablewright_systems.listbackup.service.access import get_account, require_admin
from tablewright_systems.service import ApiError, Conflict, Forbidden
from tablewright_systems.web import CurrentCaller, Db, Router

router = Router("Accounts")

GIGABYTE = 10**9

LIMITS = {
    Plan.FREE: Limits(sources=2, users=3, storage=GIGABYTE),
    Plan.STARTER: Limits(sources=10, users=10, storage=50 * GIGABYTE),
    Plan.PROFESSIONAL: Limits(sources=50, users=100, storage=500 * GIGABYTE),
    Plan.ENTERPRISE: Limits(sources=1000, users=10_000, storage=10_000 * GIGABYTE),
}

_ACTIVE = Account.status == AccountStatus.ACTIVE


def use(
    account: Account, *, sources: int = 0, users: int = 0, storage: int = 0, owners: int = 0
) -> writes.Update[Account]:
    """Return the write that adds to an account's usage, or reduces it for negative amounts."""
    conditions = []
    rising = {"sources": sources, "users": users, "storage": storage}
    for resource, amount in rising.items():
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
        otherwise=_problem(account, next((name for name, amount in rising.items() if amount > 0), "owners")),
    )


def require_storage(account: Account, size: int = 1) -> None:
    """Raise Conflict if so many bytes exceed an account's storage."""
    if account.storage_used + size > account.limits.storage:
        raise limit_reached(account, "storage")


def limit_reached(account: Account, resource: str) -> Conflict:
    """Return the error of an account that has reached a limit of its plan."""
    limit, unit = getattr(account.limits, resource), "bytes of storage" if resource == "storage" else resource
    message = f"the {account.plan.value} plan of account {account.account_id} allows at most {limit} {unit}"
    return Conflict(f"{message}; delete some or change the plan", resource)


@router.put("/accounts/{account_id}/plan")
def change_plan(db: Db, caller: CurrentCaller, account_id: str, plan: Plan) -> Account:
    """Change the plan of an account, and with it the limits. For platform admins and the billing service."""
    # Resources beyond the new limits stay; no more can be added. Members cannot choose a plan.
    if "billing" not in caller.roles:
        require_admin(db, caller)
    before = get_account(db, account_id)
    notices = alerts.billing_changed(before, f"The plan is now {plan.value}.")
    values = {"plan": plan, "limits": LIMITS[plan]}
    return audit.change(db, caller, before, values, *notices, key=AccountById(account_id=account_id))


def _problem(account: Account, resource: str) -> ApiError:
    """Return the error for a rejected use of "sources", "users", "storage" or "owners"."""
    if resource == "owners":
        return Conflict(
            "an account needs at least one active owner; make another member an owner first", "role"
        )
    if account.status is not AccountStatus.ACTIVE:
        return Forbidden(f"account {account.account_id} is {account.status.value}")
    return limit_reached(account, resource)
