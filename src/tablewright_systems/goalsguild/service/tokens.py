"""Tokens: texts that work once, for a while (003:93). Only their digest is stored, so that a leak of the table opens
nothing. That they end is checked when they are used; TTL removes them some day. A new password voids
all that were issued before it.
"""

import hashlib
import secrets
from datetime import timedelta

from tablewright import Repository, writes
from tablewright_systems.api_errors import Forbidden, Gone
from tablewright_systems.goalsguild.design.users import (
    Credential,
    CredentialOf,
    ProfileById,
    Purpose,
    Token,
    TokenByDigest,
    User,
    UserStatus,
)
from tablewright_systems.goalsguild.service.deeds import Step, together

LIFETIMES = {Purpose.SIGN_IN: timedelta(minutes=5), Purpose.RESET_PASSWORD: timedelta(hours=1)}


def issue(db: Repository, user: User, purpose: Purpose) -> str:
    """A token for a user; it is told here and never again."""
    text = secrets.token_urlsafe(32)
    ends = db.now() + LIFETIMES[purpose]
    token = Token(
        digest=_digest(text),
        user_id=user.id,
        purpose=purpose,
        password=_password(db.run(CredentialOf(user_id=user.id))),
        ttl=int(ends.timestamp()),
    )
    db.create(token)
    return text


def redeem(db: Repository, text: str, purpose: Purpose) -> User:
    """Whose token it was; from now on it is used up."""
    digest = _digest(text)
    token = db.run(TokenByDigest(digest=digest))
    gone = Gone("this token is used up, has ended, or never was")
    if token is None:
        raise gone
    credential = db.run(CredentialOf(user_id=token.user_id))
    if token.password != _password(credential):
        raise gone
    steps: list[Step] = [(writes.Delete(TokenByDigest(digest=digest), when=Token.purpose == purpose), gone)]
    if credential is not None:
        steps.append((writes.Check(credential, Credential.scrypt == credential.scrypt), gone))
    together(db, *steps)
    user = db.run(ProfileById(user_id=token.user_id))
    if user is None or user.status is not UserStatus.ACTIVE:
        raise Forbidden("this needs an active account")
    return user


def _password(credential: Credential | None) -> str | None:
    """Tells one password from another, and nothing of either."""
    return _digest(credential.scrypt) if credential else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
