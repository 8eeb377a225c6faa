"""Invitations to an account, by e-mail address.

A user who has signed up gets a pending membership; for others the invitation is stored under the address. It counts
against the account's limit of users at once, so that accepting it cannot fail for that limit.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from tablewright import Repository, reads, writes
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    AccountsOfUser,
    ExpiredInvitations,
    ExpiredMemberships,
    Invitation,
    InvitationsByEmail,
    InvitationsOfAccount,
    InvitationTo,
    Membership,
    MembershipStatus,
    Permissions,
    UserAccount,
)
from tablewright_systems.listbackup.design.users import User, UserByEmail, UserById
from tablewright_systems.listbackup.design.vocabulary import Email, NewEmail, Right
from tablewright_systems.listbackup.service import alerts, audit, limits
from tablewright_systems.listbackup.service.access import (
    Area,
    active_account,
    active_user,
    get_account,
    require_can_grant,
    require_right,
)
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.memberships import require_rank
from tablewright_systems.service import FIRST_PAGE, Caller, Conflict, Gone, NotFound, sorted_page
from tablewright_systems.web import CurrentCaller, Db, MixedEntries, PageRequest, Router, problems

router = Router("Memberships")

OpenInvitation = UserAccount | Invitation
INVITATIONS = MixedEntries(membership=UserAccount, invitation=Invitation)
"""A user who has signed up has a pending membership, an unknown address has an invitation."""
LIFETIME = timedelta(days=14)
"""How long an invitation can be accepted."""
GONE = Gone("the invitation was revoked, has expired or is already accepted")


@router.post("/accounts/{account_id}/invitations", status_code=201, reply=INVITATIONS)
def invite(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    email: NewEmail,
    role: AccountRole = AccountRole.MEMBER,
    permissions: Permissions | None = None,
) -> OpenInvitation:
    """Invite the user of an e-mail address: a user gets a pending membership, other people an invitation."""
    access = require_right(db, caller, account_id, Area.USERS, Right.CREATE)
    require_rank(access, role)
    access = require_can_grant(db, access, permissions or Permissions(), role)
    invited = _new_invitation(db, caller, account_id, email, role, permissions or Permissions())
    taken = Conflict("this address is already invited or belongs to a member", "email")
    created, *_ = db.transact(
        writes.Create(invited, otherwise=taken),
        *access.grounds,
        limits.use(access.account, users=1),
        audit.record(caller, invited, Action.INVITE, after=invited),
        *alerts.invited(db, access, invited),
    )
    assert isinstance(created, UserAccount | Invitation)
    return created


@router.get("/accounts/{account_id}/invitations")
def invitations_of(db: Db, caller: CurrentCaller, account_id: str) -> InvitationsOfAccount:
    """List an account's invitations by e-mail address."""
    require_right(db, caller, account_id, Area.USERS, Right.READ)
    return InvitationsOfAccount(account_id=account_id)


@router.get("/invitations", reply=INVITATIONS, name="own_invitations")
def page_of_own_invitations(
    db: Db, caller: CurrentCaller, paging: PageRequest = FIRST_PAGE
) -> reads.Page[OpenInvitation]:
    """List the invitations that the caller can accept."""

    def order(invited: OpenInvitation) -> tuple[str, bool]:
        return invited.account_id, isinstance(invited, Invitation)

    return sorted_page(own_invitations(db, caller), paging, "invitations", order)


def own_invitations(db: Repository, caller: Caller) -> list[OpenInvitation]:
    """Return the invitations that the caller can accept, by user id and by address."""
    active_user(db, caller)
    pending = [
        membership
        for membership in db.iterate(AccountsOfUser(user_id=caller.user_id))
        if membership.status is MembershipStatus.PENDING
    ]
    email = caller.email
    by_address = db.iterate(InvitationsByEmail(email=email)) if email else ()
    return [invited for invited in (*pending, *by_address) if not _has_expired(db, invited)]


@router.post("/invitations/{account_id}/acceptance", status_code=201, responses=problems(404, 410))
def accept(db: Db, caller: CurrentCaller, account_id: str) -> UserAccount:
    """Accept an invitation to an account."""
    user = active_user(db, caller)
    account = active_account(db, account_id)
    pending, invitation = _find_open(db, caller, account_id)
    offered = pending or invitation
    if offered is None:
        raise NotFound(f"invitation to account {account_id}")
    if _has_expired(db, offered):
        raise GONE
    membership = UserAccount(
        user_id=caller.user_id,
        account_id=account_id,
        role=offered.role,
        permissions=offered.permissions,
        invited_by=offered.invited_by,
        joined_at=db.now(),
        status=MembershipStatus.ACTIVE,
    )
    actions = [*_acceptance_writes(membership, pending, invitation), *_set_first_account(user, account_id)]
    owners = int(membership.role is AccountRole.OWNER)
    surplus = -1 if pending and invitation else 0
    if owners or surplus:
        actions.append(limits.use(account, owners=owners, users=surplus))
    activity = audit.record(caller, membership, Action.JOIN, before=pending, after=membership)
    db.transact(*actions, activity)
    return membership


@router.delete("/invitations/{account_id}", status_code=204, responses=problems(404, 409, 410))
def decline(db: Db, caller: CurrentCaller, account_id: str) -> None:
    """Decline an invitation to an account."""
    active_user(db, caller)
    pending, invitation = _find_open(db, caller, account_id)
    _withdraw(db, caller, account_id, [invited for invited in (pending, invitation) if invited is not None])


@router.delete(
    "/accounts/{account_id}/invitations/{email}",
    status_code=204,
    responses=problems(404, 409, 410),
)
def revoke(db: Db, caller: CurrentCaller, account_id: str, email: Email) -> None:
    """Revoke an invitation."""
    access = require_right(db, caller, account_id, Area.USERS, Right.DELETE)
    user = db.run(UserByEmail(email=email))
    pending = _pending(db, user.user_id, account_id) if user else None
    invitation = db.run(InvitationTo(email=email, account_id=account_id))
    open_invitations = [invited for invited in (pending, invitation) if invited is not None]
    require_rank(access, *(invited.role for invited in open_invitations))
    _withdraw(db, caller, account_id, open_invitations, access.grounds)


def withdraw_expired(db: Repository) -> int:
    """Withdraw the invitations that have expired, so that they no longer count; return how many."""
    now = db.now()
    expired: list[OpenInvitation] = [
        *db.iterate(ExpiredMemberships(now=now), unknown="skip"),
        *db.iterate(ExpiredInvitations(now=now), unknown="skip"),
    ]
    for invited in expired:
        with suppress(Gone, NotFound):  # accepted or revoked by another request, or the account was deleted
            _withdraw(db, None, invited.account_id, [invited])
    return len(expired)


def _has_expired(db: Repository, invited: OpenInvitation) -> bool:
    return invited.expires_at is not None and invited.expires_at <= db.now()


def _new_invitation(
    db: Repository,
    caller: Caller,
    account_id: str,
    email: str,
    role: AccountRole,
    permissions: Permissions,
) -> OpenInvitation:
    values: dict[str, Any] = {
        "account_id": account_id,
        "role": role,
        "permissions": permissions,
        "invited_by": caller.user_id,
        "expires_at": db.now() + LIFETIME,
    }
    user = db.run(UserByEmail(email=email))
    return Invitation(email=email, **values) if user is None else UserAccount(user_id=user.user_id, **values)


def _pending(db: Repository, user_id: str, account_id: str) -> UserAccount | None:
    membership = db.run(Membership(user_id=user_id, account_id=account_id))
    return membership if membership and membership.status is MembershipStatus.PENDING else None


def _find_open(
    db: Repository, caller: Caller, account_id: str
) -> tuple[UserAccount | None, Invitation | None]:
    """Return the caller's pending membership and invitation by address; both exist if invited before sign-up."""
    pending = _pending(db, caller.user_id, account_id)
    email = caller.email
    return pending, db.run(InvitationTo(email=email, account_id=account_id)) if email else None


def _acceptance_writes(
    membership: UserAccount, pending: UserAccount | None, invitation: Invitation | None
) -> list[writes.Write]:
    actions: list[writes.Write] = []
    if invitation is not None:
        actions.append(_removal(invitation))
    if pending is None:
        return [*actions, writes.Create(membership, otherwise=GONE)]
    accepted = writes.Update(
        Membership(user_id=membership.user_id, account_id=membership.account_id),
        set={"status": membership.status, "joined_at": membership.joined_at, "expires_at": None},
        when=(UserAccount.status == MembershipStatus.PENDING) & (UserAccount.role == membership.role),
        otherwise=GONE,
    )
    return [*actions, accepted]


def _removal(invited: OpenInvitation) -> writes.Write:
    """Return the write that deletes an open invitation, on condition that it is still open."""
    if isinstance(invited, Invitation):
        return writes.Delete(invited, when=Invitation.role == invited.role, otherwise=GONE)
    return writes.Delete(invited, when=UserAccount.status == MembershipStatus.PENDING, otherwise=GONE)


def _set_first_account(user: User, account_id: str) -> list[writes.Write]:
    """Return the write that makes this the primary account of a user who has none."""
    if user.account_id is not None:
        return []
    return [writes.Update(UserById(user_id=user.user_id), set={"account_id": account_id})]


def _withdraw(
    db: Repository,
    caller: Caller | None,
    account_id: str,
    open_invitations: list[OpenInvitation],
    grounds: Sequence[writes.Write] = (),
) -> None:
    if not open_invitations:
        raise NotFound(f"open invitation to account {account_id}")
    db.transact(
        *map(_removal, open_invitations),
        limits.use(get_account(db, account_id), users=-len(open_invitations)),
        audit.record(caller, open_invitations[0], Action.REVOKE),
        *grounds,
    )
