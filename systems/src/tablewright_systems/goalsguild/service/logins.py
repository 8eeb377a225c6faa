"""Logins and password resets, limited for each quarter of an hour.

An attempt is counted before the password is checked, in one conditional transaction: concurrent attempts cannot exceed
the limit. Failures count for the e-mail address from one network, so that failures elsewhere block neither the owner
nor the reset of the password. A success resets that count, but removes only its own attempt from the network:
otherwise an attacker with an account could get new attempts by logging in to it.

The mail with a reset token goes to the stored address, whatever form of it was requested, and the reply is the same for
every address.

Passwords are stored as salted scrypt hashes. Tokens are for single use, with an expiry (F11). Only their digest is
stored, so a leaked table reveals no token. The expiry is checked on use; TTL deletes expired tokens later. A token is
valid for the account as it was when the token was issued: a new e-mail address, a new password, or a new registration
invalidates it.
"""

import hashlib
import hmac
import logging
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Protocol

from pydantic import Field

from tablewright import Repository, writes
from tablewright_systems.goalsguild.design.users import (
    AttemptsInWindow,
    Credential,
    CredentialOf,
    LoginAttempts,
    PendingReset,
    ProfileById,
    Purpose,
    Subject,
    Token,
    TokenByDigest,
    User,
    UserStatus,
)
from tablewright_systems.goalsguild.service import users
from tablewright_systems.goalsguild.service.permissions import IS_ACTIVE, Id, write_as
from tablewright_systems.service import (
    EmailAddress,
    Forbidden,
    Gone,
    Invalid,
    MailServer,
    RateLimit,
    Unauthenticated,
    fold_email,
    transact,
)
from tablewright_systems.web import ClientNetwork, CurrentCaller, Db, Router, View, problems

router = Router("Accounts")

MIN_LENGTH = 10
Password = Annotated[str, Field(min_length=MIN_LENGTH, max_length=200)]


class LoginToken(View):
    """A token for single use."""

    token: str


class Mailer(Protocol):
    """Sends mails."""

    def send(self, to: str, subject: str, text: str) -> None:
        """Send a mail, or raise an exception; the mail is then sent again later."""
        ...


WINDOW = timedelta(minutes=15)


def _limit(most: int, message: str) -> RateLimit[LoginAttempts]:
    return RateLimit(most, WINDOW, message, LoginAttempts, counter="attempts")


LIMITS = {
    Subject.EMAIL: _limit(5, "too many attempts; wait, or reset your password"),
    Subject.RESET: _limit(5, "too many resets were requested for this address; look into your mailbox"),
    Subject.LOOKUP: _limit(20, "too many lookups; wait"),
    Subject.IP: _limit(50, "too many attempts from your network; wait"),
}


@router.put("/profile/password", status_code=204)
def set_password(db: Db, caller: CurrentCaller, password: Password) -> None:
    """Set your password."""
    credential = Credential(user_id=caller.user_id, scrypt=hashed(password))
    write_as(db, caller, writes.Put(credential))


@router.post("/logins", responses=problems(401, 403, 404, 429), reply=LoginToken)
def log_in(
    db: Db, email: EmailAddress, password: Annotated[str, Field(max_length=200)], network: ClientNetwork
) -> str:
    """Log in with a password; no bearer token required.

    The returned token is not a bearer token. Give it to the identity provider, which exchanges it once, within five
    minutes, at `POST /sign-ins` for the user who logged in, and then issues the bearer token for the other operations.
    """
    address = {"subject": Subject.EMAIL, "identifier": fold_email(email), "network": network}
    origin = {"subject": Subject.IP, "identifier": network}
    now = _count(db, address, origin)
    user = users.user_at(db, email)
    credential = db.run(CredentialOf(user_id=user.id)) if user else None
    if not matches(password, credential.scrypt if credential else None) or user is None:
        raise Unauthenticated("wrong e-mail address or password")
    if user.status in (UserStatus.SUSPENDED, UserStatus.DELETING):
        raise Forbidden("this requires an active account")
    transact(db, LIMITS[Subject.EMAIL].reset(now, **address), LIMITS[Subject.IP].uncount(now, **origin))
    return issue(db, user, Purpose.SIGN_IN)


@router.post("/sign-ins", responses=problems(403, 404, 410))
def sign_in(db: Db, caller: CurrentCaller, token: str) -> User:
    """Exchange a login token for the user who logged in (identity provider)."""
    caller.require_role("issuer")
    return redeem(db, token, Purpose.SIGN_IN)


@router.post("/password-resets", status_code=204, responses=problems(404, 429))
def request_reset(db: Db, email: EmailAddress, network: ClientNetwork) -> None:
    """Request a mail with a token that resets your password; no bearer token required.

    The mail goes to the address of your profile. The reply is the same if no user has this address.
    """
    # Nothing tells the caller whether a user has that e-mail address.
    address = {"subject": Subject.RESET, "identifier": fold_email(email)}
    _count(db, address, {"subject": Subject.IP, "identifier": network})
    user = users.user_at(db, email)
    if user is not None:
        db.create(PendingReset(user_id=user.id))


def send_reset(db: Repository, mailer: Mailer, request: PendingReset) -> None:
    """Send the mail of a requested reset to the stored address of the user, who may have been deleted meanwhile."""
    user = db.run(ProfileById(user_id=request.user_id))
    if user is None or user.status in (UserStatus.SUSPENDED, UserStatus.DELETING):
        return
    token = issue(db, user, Purpose.RESET_PASSWORD)
    mailer.send(user.email, "Reset your GoalsGuild password", f"Your token, valid for one hour: {token}")


@router.post("/passwords", status_code=204, responses=problems(403, 404, 410))
def reset_password(db: Db, token: str, password: Password) -> None:
    """Set a new password with a reset token; no bearer token required."""
    redeem(db, token, Purpose.RESET_PASSWORD, hashed(password))


@router.get("/emails/{email}/availability", responses=problems(404, 409, 429), reply=users.Availability)
def is_email_free(db: Db, caller: CurrentCaller, email: Id, network: ClientNetwork) -> bool:
    """Check whether an e-mail address is available; a few times in a quarter of an hour."""
    # Limited, so that no client can list the users.
    lookups = {"subject": Subject.LOOKUP, "identifier": caller.user_id}
    _count(db, lookups, {"subject": Subject.IP, "identifier": network})
    return users.is_free(db, "email", email)


def attempts(db: Repository, subject: Subject, identifier: str, network: str = "any") -> int:
    """Return the number of attempts of a subject in the current window."""
    window = LIMITS[subject].window_of(db.now())
    counted = db.run(AttemptsInWindow(subject=subject, identifier=identifier, window=window, network=network))
    return counted.attempts if counted else 0


def _count(db: Repository, *subjects: dict[str, Any]) -> datetime:
    """Count an attempt for all subjects or none, and return its time; raise `TooManyRequests` above a limit."""
    now = db.now()
    counts: list[writes.Upsert[LoginAttempts]] = []
    for subject in subjects:
        limit: RateLimit[LoginAttempts] = LIMITS[subject["subject"]]
        counts.append(limit.count(now, **subject))
    transact(db, *counts)
    return now


_COST = {"n": 2**14, "r": 8, "p": 1, "maxmem": 2**26}
_DUMMY_HASH = "00" * 16 + "$" + "00" * 64


def hashed(password: str) -> str:
    """Return the salted hash of a new password; raise `Invalid` if the password is too short."""
    if len(password) < MIN_LENGTH:
        raise Invalid(f"a password must have at least {MIN_LENGTH} characters", "password")
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}${_derived(password, salt).hex()}"


def matches(password: str, stored: str | None) -> bool:
    """Return whether a password has this hash. Without one it takes as long, so that timing reveals no user.

    >>> matches("correct horse", hashed("correct horse")), matches("correct horse", None)
    (True, False)
    """
    salt, _, expected = (stored or _DUMMY_HASH).partition("$")
    is_equal = hmac.compare_digest(_derived(password, bytes.fromhex(salt)).hex(), expected)
    return is_equal and stored is not None


def _derived(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, **_COST)


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


log = logging.getLogger(__name__)

SERVER = "GOALSGUILD_SMTP"
"""Environment variable with the mail server, such as `mail.example.org:25`."""
SENDER = "GOALSGUILD_SENDER"
"""Environment variable with the address that mails come from."""


class LogMailer:
    """Writes mails to the log, for development."""

    def send(self, to: str, subject: str, text: str) -> None:
        """Write a mail to the log."""
        log.warning("no mail server is set in %s; mail to %s: %s: %s", SERVER, to, subject, text)


def configured_mailer() -> Mailer:
    """Return the mailer of this process: the mail server of the environment, or the log."""
    return MailServer.from_environment(SERVER, SENDER) or LogMailer()
