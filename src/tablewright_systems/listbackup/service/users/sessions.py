"""Sessions: our own refresh tokens. A token is used once and gives way to the next of its family.

Every use goes through the head of the family and the user's own row, both read and written consistently: a family that
is revoked is so for all its tokens, also for one that an index does not show yet. A token that was used already is kept
until it expires: whoever shows it again has stolen it, or was stolen from, and the family ends.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from tablewright import Repository, writes
from tablewright_systems.api_errors import Conflict, Forbidden, NotFound, Unauthenticated
from tablewright_systems.authentication import Caller
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
from tablewright_systems.listbackup.service.access import active_user, enter
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import ORIGIN, Action
from tablewright_systems.listbackup.service.store_errors import refusing

LIFETIME = timedelta(days=30)
GRACE = timedelta(seconds=10)
"""Who shows a spent token so soon is taken for a client that asked twice: it gets nothing, and nobody is thrown out."""

ROTATED = "rotated"
REUSED = "reused"


@dataclass(frozen=True, slots=True)
class Issued:
    """A token for the client, in the only moment when it is known, and what is kept of it."""

    token: str
    kept: RefreshToken


def sign_in(db: Repository, caller: Caller, account_id: str) -> Issued:
    """Begin a session: a new family with its first token. The identity provider has vouched for the caller."""
    enter(db, caller, account_id)
    family = TokenFamily(
        token_family=str(uuid4()),
        user_id=caller.user_id,
        account_id=account_id,
        expires_at=db.now() + LIFETIME,
    )
    token, kept = _next(db, family)
    came = writes.Update(UserById(user_id=caller.user_id), set={"last_login_at": db.now()}, when=_ACTIVE)
    told = audit.record(caller, account_id, ResourceType.USER, caller.user_id, Action.LOGIN)
    with refusing({User: Forbidden("your user is not active")}):
        db.transact(writes.Create(family), writes.Create(kept), came, told)
    return Issued(token, kept)


def rotate(db: Repository, token: str) -> Issued:
    """Change a token for the next one. The token itself says who is asking."""
    spent = db.run(RefreshTokenOf(refresh_token=token))
    if spent is None or spent.expires_at <= db.now():
        raise Unauthenticated("the session is over")
    family = _family(db, spent.token_family)
    if spent.revoked:
        _refuse_reuse(db, spent, family)
    user = enter(db, Caller(spent.user_id), spent.account_id).user
    if not _holds(user, family):
        raise Unauthenticated("the session was ended")
    fresh, kept = _next(db, family)
    over = Unauthenticated("the session was ended")
    with refusing({RefreshToken: _used_just_now(), TokenFamily: over, User: over, UserAccount: over}):
        db.transact(
            writes.Update(
                RefreshTokenOf(refresh_token=token),
                set={"last_used_at": db.now(), **_revoked(db, spent.user_id, ROTATED)},
                when=_LIVE_TOKEN,
            ),
            writes.Update(FamilyById(token_family=family.token_family), add={"generation": 1}, when=_LIVE),
            writes.Create(kept),
            writes.Check(
                UserById(user_id=user.user_id),
                _ACTIVE & (User.sessions_valid_after == user.sessions_valid_after),
            ),
            writes.Check(
                Membership(user_id=user.user_id, account_id=spent.account_id),
                UserAccount.status == MembershipStatus.ACTIVE,
            ),
        )
    return Issued(fresh, kept)


def sessions(db: Repository, caller: Caller) -> list[RefreshToken]:
    """The sessions of the caller that still hold, the newest first; each by the token that it has now."""
    user = active_user(db, caller.user_id)
    live = [
        token
        for token in db.iterate(SessionsOfUser(user_id=caller.user_id))
        if not token.revoked and token.expires_at > db.now()
    ]
    heads = {token.token_family: db.run(FamilyById(token_family=token.token_family)) for token in live}
    return [
        token
        for token in live
        if (head := heads[token.token_family]) is not None and not head.revoked and _holds(user, head)
    ]


def end_session(db: Repository, caller: Caller, token_family: str, reason: str = "signed out") -> None:
    """End one session of the caller."""
    family = db.run(FamilyById(token_family=token_family))
    if family is None or family.user_id != caller.user_id:
        raise NotFound(f"session {token_family}")
    _revoke_family(db, family, caller.user_id, reason)


def end_all_sessions(db: Repository, caller: Caller, reason: str = "signed out everywhere") -> None:
    """End every session of the caller that has begun until now, whether an index shows it or not."""
    user = active_user(db, caller.user_id)
    db.update(UserById(user_id=user.user_id), set={"sessions_valid_after": db.now()})
    families = {token.token_family for token in db.iterate(SessionsOfUser(user_id=user.user_id))}
    for token_family in families:
        family = db.run(FamilyById(token_family=token_family))
        if family is not None:
            _revoke_family(db, family, caller.user_id, reason)


_ACTIVE: Any = User.status == UserStatus.ACTIVE
_LIVE: Any = TokenFamily.revoked == False  # noqa: E712 - a condition
_LIVE_TOKEN: Any = RefreshToken.revoked == False  # noqa: E712 - a condition


def _next(db: Repository, family: TokenFamily) -> tuple[str, RefreshToken]:
    token = secrets.token_urlsafe(32)
    origin = ORIGIN.get()
    kept = RefreshToken(
        refresh_token=token,
        user_id=family.user_id,
        account_id=family.account_id,
        token_family=family.token_family,
        expires_at=min(db.now() + LIFETIME, family.expires_at),
        ip_address=origin.ip_address,
        user_agent=origin.user_agent,
    )
    return token, kept


def _family(db: Repository, token_family: str) -> TokenFamily:
    family = db.run(FamilyById(token_family=token_family))
    if family is None or family.revoked:
        raise Unauthenticated("the session was ended")
    return family


def _holds(user: User, family: TokenFamily) -> bool:
    return user.sessions_valid_after is None or family.started_at > user.sessions_valid_after


def _refuse_reuse(db: Repository, spent: RefreshToken, family: TokenFamily) -> None:
    if spent.last_used_at is not None and db.now() - spent.last_used_at <= GRACE:
        raise _used_just_now()
    _revoke_family(db, family, spent.user_id, REUSED)
    raise Unauthenticated("the token was used before; all of its session is ended")


def _used_just_now() -> Conflict:
    return Conflict("the token was used just now; use the one that came of it", "refreshToken")


def _revoke_family(db: Repository, family: TokenFamily, by: str, reason: str) -> None:
    told = audit.record(
        None if reason == REUSED else Caller(by),
        family.account_id,
        ResourceType.SESSION,
        family.token_family,
        Action.REVOKE,
        metadata={"reason": reason},
    )
    ended = _revoked(db, by, reason)
    db.transact(writes.Update(FamilyById(token_family=family.token_family), set=ended), told)


def _revoked(db: Repository, by: str, reason: str) -> dict[str, Any]:
    return {"revoked": True, "revoked_at": db.now(), "revoked_by": by, "revoked_reason": reason}
