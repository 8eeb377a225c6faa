"""Sessions: our own refresh tokens. A token is used once and is replaced by the next of its family.

Every use reads and writes the family item and the user's item consistently: a revoked family is revoked for all its
tokens, also for one that an index does not show yet. A used token is kept until it expires: if it is used again, it was
stolen, and the family is revoked.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from tablewright import Repository, writes
from tablewright_systems.listbackup.design.memberships import Membership, MembershipStatus, UserAccount
from tablewright_systems.listbackup.design.sessions import (
    FamilyById,
    RefreshToken,
    RefreshTokenOf,
    SessionsOfUser,
    TokenFamily,
)
from tablewright_systems.listbackup.design.users import User, UserById, UserStatus
from tablewright_systems.listbackup.design.vocabulary import ResourceType
from tablewright_systems.listbackup.service.access import active_user, require_member
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import ORIGIN, Action
from tablewright_systems.listbackup.service.store_errors import translate_errors
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, NotFound, Unauthenticated

LIFETIME = timedelta(days=30)
GRACE_PERIOD = timedelta(seconds=10)
"""A token used again within this time counts as a repeated request: it is rejected, but the family stays valid."""

ROTATED = "rotated"
REUSED = "reused"


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token for the client, returned only once, and its stored record."""

    token: str
    stored: RefreshToken


def sign_in(db: Repository, caller: Caller, account_id: str) -> IssuedToken:
    """Start a session: a new family with its first token. The identity provider has authenticated the caller."""
    require_member(db, caller, account_id)
    family = TokenFamily(
        token_family=str(uuid4()),
        user_id=caller.user_id,
        account_id=account_id,
        expires_at=db.now() + LIFETIME,
    )
    token, stored = _new_token(db, family)
    login = writes.Update(UserById(user_id=caller.user_id), set={"last_login_at": db.now()}, when=_ACTIVE)
    activity = audit.record(caller, account_id, ResourceType.USER, caller.user_id, Action.LOGIN)
    with translate_errors({User: Forbidden("your user is not active")}):
        db.transact(writes.Create(family), writes.Create(stored), login, activity)
    return IssuedToken(token, stored)


def rotate(db: Repository, token: str) -> IssuedToken:
    """Replace a token by the next one. The token itself identifies the user."""
    used = db.run(RefreshTokenOf(refresh_token=token))
    if used is None or used.expires_at <= db.now():
        raise Unauthenticated("the session has expired; sign in again")
    family = _family(db, used.token_family)
    if used.revoked:
        _reject_reuse(db, used, family)
    user = require_member(db, Caller(used.user_id), used.account_id).user
    if not _is_valid(user, family):
        raise Unauthenticated("the session was ended; sign in again")
    fresh, stored = _new_token(db, family)
    ended = Unauthenticated("the session was ended; sign in again")
    with translate_errors(
        {RefreshToken: _used_just_now(), TokenFamily: ended, User: ended, UserAccount: ended}
    ):
        db.transact(
            writes.Update(
                RefreshTokenOf(refresh_token=token),
                set={"last_used_at": db.now(), **_revoked(db, used.user_id, ROTATED)},
                when=_LIVE_TOKEN,
            ),
            writes.Update(FamilyById(token_family=family.token_family), add={"generation": 1}, when=_LIVE),
            writes.Create(stored),
            writes.Check(
                UserById(user_id=user.user_id),
                _ACTIVE & (User.sessions_valid_after == user.sessions_valid_after),
            ),
            writes.Check(
                Membership(user_id=user.user_id, account_id=used.account_id),
                UserAccount.status == MembershipStatus.ACTIVE,
            ),
        )
    return IssuedToken(fresh, stored)


def sessions(db: Repository, caller: Caller) -> list[RefreshToken]:
    """Return the caller's valid sessions, newest first, each by its current token."""
    user = active_user(db, caller.user_id)
    live = [
        token
        for token in db.iterate(SessionsOfUser(user_id=caller.user_id))
        if not token.revoked and token.expires_at > db.now()
    ]
    heads = db.get_all([FamilyById(token_family=token.token_family) for token in live])
    return [
        token
        for token, head in zip(live, heads, strict=True)
        if head is not None and not head.revoked and _is_valid(user, head)
    ]


def end_session(db: Repository, caller: Caller, token_family: str, reason: str = "signed out") -> None:
    """End one of the caller's sessions."""
    family = db.run(FamilyById(token_family=token_family))
    if family is None or family.user_id != caller.user_id:
        raise NotFound(f"session {token_family}")
    _revoke_family(db, family, caller.user_id, reason)


def end_all_sessions(db: Repository, caller: Caller, reason: str = "signed out everywhere") -> None:
    """End all of the caller's sessions that started until now, whether an index shows them or not."""
    user = active_user(db, caller.user_id)
    db.update(UserById(user_id=user.user_id), set={"sessions_valid_after": db.now()})
    families = {token.token_family for token in db.iterate(SessionsOfUser(user_id=user.user_id))}
    for token_family in families:
        family = db.run(FamilyById(token_family=token_family))
        if family is not None:
            _revoke_family(db, family, caller.user_id, reason)


_ACTIVE = User.status == UserStatus.ACTIVE
_LIVE = TokenFamily.revoked == False  # noqa: E712 - a condition
_LIVE_TOKEN = RefreshToken.revoked == False  # noqa: E712 - a condition


def _new_token(db: Repository, family: TokenFamily) -> tuple[str, RefreshToken]:
    token = secrets.token_urlsafe(32)
    origin = ORIGIN.get()
    stored = RefreshToken(
        refresh_token=token,
        user_id=family.user_id,
        account_id=family.account_id,
        token_family=family.token_family,
        expires_at=min(db.now() + LIFETIME, family.expires_at),
        ip_address=origin.ip_address,
        user_agent=origin.user_agent,
    )
    return token, stored


def _family(db: Repository, token_family: str) -> TokenFamily:
    family = db.run(FamilyById(token_family=token_family))
    if family is None or family.revoked:
        raise Unauthenticated("the session was ended; sign in again")
    return family


def _is_valid(user: User, family: TokenFamily) -> bool:
    return user.sessions_valid_after is None or family.started_at > user.sessions_valid_after


def _reject_reuse(db: Repository, used: RefreshToken, family: TokenFamily) -> None:
    if used.last_used_at is not None and db.now() - used.last_used_at <= GRACE_PERIOD:
        raise _used_just_now()
    _revoke_family(db, family, used.user_id, REUSED)
    raise Unauthenticated("the refresh token was used before; its session is revoked, sign in again")


def _used_just_now() -> Conflict:
    return Conflict("the refresh token was used just now; use the new one from that reply", "refreshToken")


def _revoke_family(db: Repository, family: TokenFamily, by: str, reason: str) -> None:
    activity = audit.record(
        None if reason == REUSED else Caller(by),
        family.account_id,
        ResourceType.SESSION,
        family.token_family,
        Action.REVOKE,
        metadata={"reason": reason},
    )
    ended = _revoked(db, by, reason)
    db.transact(writes.Update(FamilyById(token_family=family.token_family), set=ended), activity)


def _revoked(db: Repository, by: str, reason: str) -> dict[str, Any]:
    return {"revoked": True, "revoked_at": db.now(), "revoked_by": by, "revoked_reason": reason}
