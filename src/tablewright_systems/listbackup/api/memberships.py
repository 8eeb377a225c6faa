"""Memberships and invitations over HTTP."""

from fastapi import APIRouter, Response

from tablewright_systems.http_api import CurrentCaller, Cursor, Db, Limit, PageReply
from tablewright_systems.listbackup.api.bodies import Body
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    Invitation,
    Permissions,
    UserAccount,
)
from tablewright_systems.listbackup.design.vocabulary import Email
from tablewright_systems.listbackup.service.users import invitations, memberships

router = APIRouter(tags=["memberships"])


class NewInvitation(Body):
    """Who is invited, and as what."""

    email: Email
    role: AccountRole = AccountRole.MEMBER
    permissions: Permissions | None = None


class RoleChange(Body):
    """What a member shall be."""

    role: AccountRole
    permissions: Permissions | None = None


@router.get("/memberships")
def own_memberships(
    db: Db, caller: CurrentCaller, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[UserAccount]:
    """The accounts that the caller is in, or invited to."""
    return PageReply.of(db.run(memberships.own_memberships(db, caller), limit=limit, cursor=cursor))


@router.get("/invitations")
def offers(db: Db, caller: CurrentCaller) -> list[UserAccount | Invitation]:
    """The invitations that the caller can accept."""
    return invitations.own_invitations(db, caller)


@router.post("/invitations/{account_id}/acceptance", status_code=201)
def accept(db: Db, caller: CurrentCaller, account_id: str) -> UserAccount:
    """Accept an invitation to an account."""
    return invitations.accept(db, caller, account_id)


@router.delete("/invitations/{account_id}", status_code=204, response_class=Response)
def decline(db: Db, caller: CurrentCaller, account_id: str) -> None:
    """Decline an invitation to an account."""
    invitations.decline(db, caller, account_id)


@router.get("/accounts/{account_id}/users")
def members_of(
    db: Db, caller: CurrentCaller, account_id: str, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[UserAccount]:
    """The users of an account."""
    return PageReply.of(db.run(memberships.members_of(db, caller, account_id), limit=limit, cursor=cursor))


@router.put("/accounts/{account_id}/users/{user_id}/role")
def change_role(
    db: Db, caller: CurrentCaller, account_id: str, user_id: str, body: RoleChange
) -> UserAccount:
    """Give a member another role, or other permissions."""
    return memberships.change_role(db, caller, account_id, user_id, body.role, body.permissions)


@router.post("/accounts/{account_id}/users/{user_id}/suspension")
def suspend_member(db: Db, caller: CurrentCaller, account_id: str, user_id: str) -> UserAccount:
    """Keep a member out for now."""
    return memberships.suspend_member(db, caller, account_id, user_id)


@router.delete("/accounts/{account_id}/users/{user_id}/suspension")
def reinstate_member(db: Db, caller: CurrentCaller, account_id: str, user_id: str) -> UserAccount:
    """Let a suspended member in again."""
    return memberships.reinstate_member(db, caller, account_id, user_id)


@router.delete("/accounts/{account_id}/users/me", status_code=204, response_class=Response)
def leave(db: Db, caller: CurrentCaller, account_id: str) -> None:
    """Be a member no longer."""
    memberships.leave_account(db, caller, account_id)


@router.delete("/accounts/{account_id}/users/{user_id}", status_code=204, response_class=Response)
def remove_member(db: Db, caller: CurrentCaller, account_id: str, user_id: str) -> None:
    """Take a member out of an account."""
    memberships.remove_member(db, caller, account_id, user_id)


@router.get("/accounts/{account_id}/invitations")
def invitations_of(
    db: Db, caller: CurrentCaller, account_id: str, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[Invitation]:
    """Whom an account has invited by address."""
    return PageReply.of(
        db.run(invitations.invitations_of(db, caller, account_id), limit=limit, cursor=cursor)
    )


@router.post("/accounts/{account_id}/invitations", status_code=201)
def invite(db: Db, caller: CurrentCaller, account_id: str, body: NewInvitation) -> UserAccount | Invitation:
    """Invite whoever has an e-mail address."""
    return invitations.invite(db, caller, account_id, body.email, body.role, body.permissions)


@router.delete("/accounts/{account_id}/invitations/{email}", status_code=204, response_class=Response)
def revoke(db: Db, caller: CurrentCaller, account_id: str, email: Email) -> None:
    """Take an invitation back."""
    invitations.revoke(db, caller, account_id, email)
