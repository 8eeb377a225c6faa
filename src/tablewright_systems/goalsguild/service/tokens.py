"""Tokens: texts that work once, for a while (003:93). Only their digest is stored, so that a leak of the table opens
nothing. That they end is checked when they are used; TTL removes them some day.
"""

import hashlib
import secrets
from datetime import timedelta

from tablewright import Repository, writes
from tablewright_systems.goalsguild.design.users import (
    ProfileById,
    Purpose,
    Token,
    TokenByDigest,
    User,
    UserStatus,
)
from tablewright_systems.goalsguild.service.deeds import together
from tablewright_systems.problems import Forbidden, Gone

LIFETIMES = {Purpose.SIGN_IN: timedelta(minutes=5), Purpose.RESET_PASSWORD: timedelta(hours=1)}


def issue(db: Repository, user: User, purpose: Purpose) -> str:
    """A token for a user; it is told here and never again."""
    text = secrets.token_urlsafe(32)
    ends = db.now() + LIFETIMES[purpose]
    db.create(Token(digest=_digest(text), user_id=user.id, purpose=purpose, ttl=int(ends.timestamp())))
    return text


def redeem(db: Repository, text: str, purpose: Purpose) -> User:
    """Whose token it was; from now on it is used up."""
    digest = _digest(text)
    token = db.run(TokenByDigest(digest=digest))
    gone = Gone("this token is used up, has ended, or never was")
    if token is None:
        raise gone
    together(db, (writes.Delete(TokenByDigest(digest=digest), when=Token.purpose == purpose), gone))
    user = db.run(ProfileById(user_id=token.user_id))
    if user is None or user.status is not UserStatus.ACTIVE:
        raise Forbidden("this needs an active account")
    return user


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
