"""Tokens for single use, with an expiry (F11). Only their digest is stored, so a leaked table reveals no token.

The expiry is checked on use; TTL deletes expired tokens later. A token is valid for the account as it was when the
token was issued: a new e-mail address, a new password, or a new registration invalidates it.
"""

import hashlib
import secrets
from dataclasses import dataclass
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
from tablewright_systems.goalsguild.service.permissions import IS_ACTIVE
from tablewright_systems.service import Forbidden, Gone, transact

LIFETIMES = {Purpose.SIGN_IN: timedelta(minutes=5), Purpose.RESET_PASSWORD: timedelta(hours=1)}


@dataclass(frozen=True, slots=True)
class Account:
    """A user and the password hash of the user, as they were read."""

    user: User
    credential: Credential | None

    @property
    def digest(self) -> str:
        """Digest of what invalidates earlier tokens when it changes."""
        password = self.credential.scrypt if self.credential else ""
        return _digest("\n".join((self.user.email, self.user.created_at.isoformat(), password)))


def issue(db: Repository, user: User, purpose: Purpose) -> str:
    """Create a token for a user, and return it; it cannot be read again."""
    text = secrets.token_urlsafe(32)
    account = Account(user, db.run(CredentialOf(user_id=user.id)))
    ends = db.now() + LIFETIMES[purpose]
    db.create(
        Token(
            digest=_digest(text),
            user_id=user.id,
            purpose=purpose,
            account=account.digest,
            ttl=int(ends.timestamp()),
        )
    )
    return text


def redeem(db: Repository, text: str, purpose: Purpose, password: str | None = None) -> User:
    """Use up a token and return its user; with a password hash, set it in the same transaction.

    The account must be unchanged: of several tokens for a new password, one succeeds.
    """
    target = TokenByDigest(digest=_digest(text))
    token = db.run(target)
    account = _account(db, token.user_id) if token else None
    if token is None or account is None or token.account != account.digest:
        raise _invalid()
    user = account.user
    if user.status in (UserStatus.SUSPENDED, UserStatus.DELETING):
        raise Forbidden("this requires an active account")
    is_same = (User.email == user.email) & (User.created_at == user.created_at) & IS_ACTIVE
    transact(
        db,
        writes.Delete(target, when=Token.purpose == purpose, otherwise=_invalid()),
        writes.Check(ProfileById(user_id=user.id), is_same, otherwise=_invalid()),
        _unchanged(account) if password is None else _replaced(account, password),
    )
    return user


def _account(db: Repository, user_id: str) -> Account | None:
    user = db.run(ProfileById(user_id=user_id))
    return Account(user, db.run(CredentialOf(user_id=user_id))) if user else None


def _unchanged(account: Account) -> writes.Write:
    """Check that the password is still the one that was read."""
    target = CredentialOf(user_id=account.user.id)
    if account.credential is None:
        return writes.CheckAbsent(target, otherwise=_invalid())
    return writes.Check(target, Credential.scrypt == account.credential.scrypt, otherwise=_invalid())


def _replaced(account: Account, password: str) -> writes.Write:
    """Set the password, if it is still the one that was read."""
    user_id = account.user.id
    if account.credential is None:
        return writes.Create(Credential(user_id=user_id, scrypt=password), otherwise=_invalid())
    return writes.Update(
        CredentialOf(user_id=user_id),
        set={"scrypt": password},
        when=Credential.scrypt == account.credential.scrypt,
        otherwise=_invalid(),
    )


def _invalid() -> Gone:
    return Gone("this token is invalid, expired or already used")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
