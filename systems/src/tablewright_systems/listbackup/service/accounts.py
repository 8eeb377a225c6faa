"""Accounts: creating, renaming and suspending them, and the keys of their secrets.

See `hierarchy` for moving them, `closing` for deleting them. All secrets of an account (tokens, credentials, keys of
archives) are encrypted with one data key of the account, which a master key outside encrypts. Deleting the account's
key makes its secrets unreadable, in every backup too.
"""

from typing import Any
from uuid import uuid4

from tablewright import Repository, fields, reads, writes
from tablewright_systems.listbackup.design.accounts import (
    SHARDS,
    Account,
    AccountById,
    AccountMetadata,
    AccountStatus,
    AccountType,
    BillingInfo,
    Plan,
    RootAccounts,
)
from tablewright_systems.listbackup.design.memberships import AccountRole, MembershipStatus, UserAccount
from tablewright_systems.listbackup.design.oauth import OAuthToken
from tablewright_systems.listbackup.design.users import User, UserById, UserRole, UserStatus
from tablewright_systems.listbackup.design.vocabulary import Name, Right
from tablewright_systems.listbackup.service import alerts, audit
from tablewright_systems.listbackup.service.access import (
    Access,
    Area,
    active_user,
    get_account,
    has_right,
    require_admin,
    require_member,
    require_right,
    require_role,
)
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.limits import LIMITS
from tablewright_systems.service import Caller, Conflict, Forbidden
from tablewright_systems.web import CurrentCaller, Db, Router

router = Router("Accounts", "Accounts in their hierarchy.")

USER_CHANGED = Conflict("the user was changed by another request; read it and try again")


def new_account(name: str, kind: AccountType, created_by: str, parent: Account | None = None) -> Account:
    """Build a new account, below a parent or as a root."""
    account_id = str(uuid4())
    return Account(
        account_id=account_id,
        account_name=name,
        account_type=kind,
        limits=LIMITS[Plan.FREE],
        created_by=created_by,
        users_used=1,
        owners=1,
        **position(account_id, parent),
    )


def position(account_id: str, parent: Account | None) -> dict[str, Any]:
    """Return the fields that place an account in the hierarchy, below a parent or at the top."""
    return {
        "parent_account_id": parent.account_id if parent else None,
        "account_path": f"{parent.account_path if parent else '/'}{account_id}/",
        "root_account_id": parent.root_account_id if parent else account_id,
        "level": parent.level + 1 if parent else 0,
    }


@router.post("/accounts", status_code=201)
def found_account(
    db: Db, caller: CurrentCaller, *, account_name: Name, account_type: AccountType = AccountType.CONGLOMERATE
) -> Account:
    """Create an account at the top of a new hierarchy, owned by the caller."""
    # It becomes the primary account of a caller who has none, because the last one was closed or left.
    user = active_user(db, caller)
    if user.role is UserRole.READONLY:
        raise Forbidden("your user is read-only")
    account = new_account(account_name, account_type, caller.user_id)
    first = {"account_id": account.account_id} if user.account_id is None else {}
    unchanged = User.account_id == user.account_id
    target = UserById(user_id=caller.user_id)
    db.transact(
        *creation_writes(db, caller, account),
        writes.Update(target, set=first, when=unchanged, otherwise=USER_CHANGED)
        if first
        else writes.Check(target, User.status == UserStatus.ACTIVE, otherwise=USER_CHANGED),
    )
    return get_account(db, account.account_id)


def creation_writes(db: Repository, caller: Caller, account: Account) -> list[writes.Write]:
    """Return the writes that create an account with the caller as its owner."""
    owner = UserAccount(
        user_id=caller.user_id,
        account_id=account.account_id,
        role=AccountRole.OWNER,
        status=MembershipStatus.ACTIVE,
        joined_at=db.now(),
    )
    activity = audit.record(caller, account, Action.CREATE, after=account)
    return [writes.Create(account), writes.Create(owner), activity]


@router.get("/accounts/roots")
def root_accounts(db: Db, caller: CurrentCaller) -> reads.Merged[Account]:
    """List accounts without a parent, oldest first. For the platform's staff."""
    require_admin(db, caller)
    return reads.Merged([RootAccounts(shard=shard) for shard in range(SHARDS)])


@router.get("/accounts/{account_id}")
def read_account(db: Db, caller: CurrentCaller, account_id: str) -> Account:
    """Get an account."""
    access = require_member(db, caller, account_id)
    return _visible(db, access, access.account)


def without_billing(account: Account) -> Account:
    """Return the account without its billing information, which only members with that right may read."""
    return account.changed(billing_info=BillingInfo())


@router.patch("/accounts/{account_id}")
def change_account(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    *,
    account_name: Name | None = None,
    metadata: AccountMetadata | None = None,
) -> Account:
    """Rename an account, or change its metadata."""
    # Its path consists of ids and does not change.
    access = require_right(db, caller, account_id, Area.SETTINGS, Right.UPDATE)
    values = audit.present(account_name=account_name, metadata=metadata)
    key = AccountById(account_id=account_id)
    return _visible(db, access, audit.change(db, caller, access.account, values, key=key, access=access))


@router.put("/accounts/{account_id}/billing")
def change_billing(db: Db, caller: CurrentCaller, account_id: str, billing: BillingInfo) -> Account:
    """Change the billing information."""
    access = require_right(db, caller, account_id, Area.BILLING, Right.UPDATE)
    notices = alerts.billing_changed(access.account, "The billing information was changed.")
    key, values = AccountById(account_id=account_id), {"billing_info": billing}
    return audit.change(db, caller, access.account, values, *notices, key=key, access=access)


@router.put("/accounts/{account_id}/status", name="set_status")
def set_account_status(db: Db, caller: CurrentCaller, account_id: str, status: AccountStatus) -> Account:
    """Suspend or reactivate an account. For the platform's staff."""
    # Its descendants are suspended with it. A closed account cannot be reactivated.
    require_admin(db, caller)
    return audit.change(
        db,
        caller,
        get_account(db, account_id),
        {"status": status},
        key=AccountById(account_id=account_id),
        when=fields.of(Account.closing_at).is_absent(),
        otherwise=Conflict("the account is closed and is being deleted", "status"),
    )


def _visible(db: Repository, access: Access, account: Account) -> Account:
    return account if has_right(db, access, Area.BILLING, Right.READ) else without_billing(account)


@router.post("/accounts/{account_id}/keys", status_code=204)
def rotate_key(db: Db, caller: CurrentCaller, account_id: str) -> None:
    """Create a new encryption key for the account's secrets; new secrets use it."""
    # Older keys still decrypt what they encrypted, until the job `reencryption` has encrypted it again.
    access = require_role(db, caller, account_id, AccountRole.OWNER)
    activity = audit.record(caller, access.account, Action.UPDATE, event="key")
    db.transact(activity, *access.grounds)
    db.keys.rotate(OAuthToken, account_id=account_id)


def reencrypt(db: Repository) -> int:
    """Encrypt again with the newest key what older keys encrypted; return the number of items."""
    return sum(db.keys.reencrypt(entity) for entity in db.design.entities if entity.layout.secrets)


def shred_keys(db: Repository, account_id: str) -> int:
    """Delete the keys of an account, so that its secrets can never be read again."""
    return db.keys.shred(OAuthToken, account_id=account_id)
