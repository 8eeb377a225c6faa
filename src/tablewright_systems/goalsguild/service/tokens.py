"""Tokens for single use, with an expiry (003:93). Only their digest is stored, so a leaked table reveals no token. The
expiry is checked on use; TTL deletes expired tokens later. A new password invalidates all earlier tokens.
"""

import hashlib
import secrets
from datetime import timedelta

from tablewright import Repository, writes
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
from tablewright_systems.goalsguild.service.transactions import Action, transact
from tablewright_systems.service.errors import Forbidden, Gone

LIFETIMES = {Purpose.SIGN_IN: timedelta(minutes=5), Purpose.RESET_PASSWORD: timedelta(hours=1)}


def issue(db: Repository, user: User, purpose: Purpose) -> str:
    """Create a token for a user, and return it; it cannot be read again."""
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
    """Use up a token, and return its user."""
    digest = _digest(text)
    token = db.run(TokenByDigest(digest=digest))
    gone = Gone("this token is invalid, expired or already used")
    if token is None:
        raise gone
    credential = db.run(CredentialOf(user_id=token.user_id))
    if token.password != _password(credential):
        raise gone
    actions: list[Action] = [
        (writes.Delete(TokenByDigest(digest=digest), when=Token.purpose == purpose), gone)
    ]
    if credential is not None:
        actions.append((writes.Check(credential, Credential.scrypt == credential.scrypt), gone))
    transact(db, *actions)
    user = db.run(ProfileById(user_id=token.user_id))
    if user is None or user.status is not UserStatus.ACTIVE:
        raise Forbidden("this requires an active account")
    return user


def _password(credential: Credential | None) -> str | None:
    """Return a fingerprint of the stored password, to detect a change."""
    return _digest(credential.scrypt) if credential else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
