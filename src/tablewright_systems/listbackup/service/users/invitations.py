"""Invitations: a seat in an account, offered to an e-mail address.

Who has signed up gets a pending membership; for others the invitation waits under their address. A seat counts from the
invitation on, so that accepting cannot fail for want of room.
"""

from tablewright import Repository, writes
from tablewright_systems.api_errors import Conflict, Gone, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    AccountsOfUser,
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
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.service.access import (
    Area,
    active_account,
    active_user,
    admit,
    found_account,
    require_gift,
)
from tablewright_systems.listbackup.service.accounts import limits
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.store_errors import refusing
from tablewright_systems.listbackup.service.users.memberships import require_rank

Offer = UserAccount | Invitation


def invite(
    db: Repository,
    caller: Caller,
    account_id: str,
    email: str,
    role: AccountRole = AccountRole.MEMBER,
    permissions: Permissions | None = None,
) -> Offer:
    """Offer a seat in an account to whoever has an e-mail address."""
    access = admit(db, caller, account_id, Area.USERS, Right.CREATE)
    require_rank(access, role)
    require_gift(db, access, permissions or Permissions(), role)
    offer = _offer(db, caller, account_id, email, role, permissions or Permissions())
    taken = Conflict("that address is invited already, or is a member's", "email")
    told = audit.record(caller, account_id, ResourceType.USER, _whom(offer), Action.INVITE, after=offer)
    with refusing({UserAccount: taken, Invitation: taken, **limits.refusal(db, account_id, "users")}):
        written = db.transact(writes.Create(offer), limits.use(access.account, users=1), told)
    assert isinstance(written[0], UserAccount | Invitation)
    return written[0]


def invitations_of(db: Repository, caller: Caller, account_id: str) -> InvitationsOfAccount:
    """The pattern that finds whom an account has invited by address; for those who see its users."""
    admit(db, caller, account_id, Area.USERS, Right.READ)
    return InvitationsOfAccount(account_id=account_id)


def offers(db: Repository, caller: Caller) -> list[Offer]:
    """The invitations that the caller can accept, by user and by address."""
    active_user(db, caller.user_id)
    pending = [
        each
        for each in db.iterate(AccountsOfUser(user_id=caller.user_id))
        if each.status is MembershipStatus.PENDING
    ]
    email = caller.email
    return [*pending, *(db.iterate(InvitationsByEmail(email=email)) if email else ())]


def accept(db: Repository, caller: Caller, account_id: str) -> UserAccount:
    """Take the seat that is offered; once."""
    user = active_user(db, caller.user_id)
    account = active_account(db, account_id)
    pending, invitation = _open(db, caller, account_id)
    offered = pending or invitation
    if offered is None:
        raise NotFound(f"invitation to account {account_id}")
    seat = UserAccount(
        user_id=caller.user_id,
        account_id=account_id,
        role=offered.role,
        permissions=offered.permissions,
        invited_by=offered.invited_by,
        joined_at=db.now(),
        status=MembershipStatus.ACTIVE,
    )
    steps = [*_taking(seat, pending, invitation), *_first_account(user, account_id)]
    owners = int(seat.role is AccountRole.OWNER)
    surplus = -1 if pending and invitation else 0
    if owners or surplus:
        steps.append(limits.use(account, owners=owners, users=surplus))
    told = audit.record(
        caller, account_id, ResourceType.USER, caller.user_id, Action.JOIN, before=pending, after=seat
    )
    gone = Gone("the invitation was taken back, or is accepted already")
    with refusing({UserAccount: gone, Invitation: gone}):
        db.transact(*steps, told)
    return seat


def decline(db: Repository, caller: Caller, account_id: str) -> None:
    """Give the seat back that was offered."""
    pending, invitation = _open(db, caller, account_id)
    _withdraw(db, caller, account_id, [each for each in (pending, invitation) if each is not None])


def revoke(db: Repository, caller: Caller, account_id: str, email: str) -> None:
    """Take an invitation back."""
    admit(db, caller, account_id, Area.USERS, Right.DELETE)
    user = db.run(UserByEmail(email=email))
    pending = _pending(db, user.user_id, account_id) if user else None
    invitation = db.run(InvitationTo(email=email, account_id=account_id))
    _withdraw(db, caller, account_id, [each for each in (pending, invitation) if each is not None])


def _offer(
    db: Repository,
    caller: Caller,
    account_id: str,
    email: str,
    role: AccountRole,
    permissions: Permissions,
) -> Offer:
    user = db.run(UserByEmail(email=email))
    if user is None:
        return Invitation(
            email=email,
            account_id=account_id,
            role=role,
            permissions=permissions,
            invited_by=caller.user_id,
        )
    return UserAccount(
        user_id=user.user_id,
        account_id=account_id,
        role=role,
        permissions=permissions,
        invited_by=caller.user_id,
    )


def _whom(offer: Offer) -> str:
    return offer.email if isinstance(offer, Invitation) else offer.user_id


def _pending(db: Repository, user_id: str, account_id: str) -> UserAccount | None:
    found = db.run(Membership(user_id=user_id, account_id=account_id))
    return found if found and found.status is MembershipStatus.PENDING else None


def _open(db: Repository, caller: Caller, account_id: str) -> tuple[UserAccount | None, Invitation | None]:
    """What is offered to the caller, as a user and by the address; both, when it was offered before they signed up."""
    pending = _pending(db, caller.user_id, account_id)
    email = caller.email
    return pending, db.run(InvitationTo(email=email, account_id=account_id)) if email else None


def _taking(
    seat: UserAccount, pending: UserAccount | None, invitation: Invitation | None
) -> list[writes.Write]:
    steps: list[writes.Write] = []
    if invitation is not None:
        steps.append(writes.Delete(invitation, when=Invitation.role == invitation.role))
    if pending is None:
        return [*steps, writes.Create(seat)]
    taken = writes.Update(
        Membership(user_id=seat.user_id, account_id=seat.account_id),
        set={"status": seat.status, "joined_at": seat.joined_at},
        when=(UserAccount.status == MembershipStatus.PENDING) & (UserAccount.role == seat.role),
    )
    return [*steps, taken]


def _first_account(user: User, account_id: str) -> list[writes.Write]:
    """Who has no primary account gets the first that they join."""
    if user.account_id is not None:
        return []
    return [writes.Update(UserById(user_id=user.user_id), set={"account_id": account_id})]


def _withdraw(db: Repository, caller: Caller, account_id: str, found: list[Offer]) -> None:
    if not found:
        raise NotFound(f"open invitation to account {account_id}")
    steps: list[writes.Write] = []
    for offer in found:
        match offer:
            case Invitation():
                steps.append(writes.Delete(offer, when=Invitation.role == offer.role))
            case UserAccount():
                steps.append(writes.Delete(offer, when=UserAccount.status == MembershipStatus.PENDING))
    told = audit.record(caller, account_id, ResourceType.USER, _whom(found[0]), Action.REVOKE)
    gone = Gone("the invitation was taken back, or is accepted already")
    with refusing({UserAccount: gone, Invitation: gone}):
        db.transact(*steps, limits.use(found_account(db, account_id), users=-len(found)), told)
