"""Logins and password resets, limited for each quarter of an hour.

An attempt is counted before the password is checked, in one conditional transaction: concurrent attempts cannot exceed
the limit. Failures count for the e-mail address from one network, so that failures elsewhere block neither the owner
nor the reset of the password. A success resets that count, but removes only its own attempt from the network:
otherwise an attacker with an account could get new attempts by logging in to it.

The mail with a reset token goes to the stored address, whatever form of it was requested, and the reply is the same for
every address.
"""

from datetime import datetime, timedelta
from typing import Any

from tablewright import Repository, writes
from tablewright_systems.goalsguild.design.logins import AttemptsInWindow, LoginAttempts, Subject
from tablewright_systems.goalsguild.design.users import (
    Credential,
    CredentialOf,
    ProfileById,
    Purpose,
    ResetRequest,
    User,
    UserStatus,
)
from tablewright_systems.goalsguild.service import passwords, tokens, users
from tablewright_systems.goalsguild.service.mail import Mailer
from tablewright_systems.goalsguild.service.permissions import write_as
from tablewright_systems.service import Caller, Forbidden, RateLimit, Unauthenticated, fold_email, transact

WINDOW = timedelta(minutes=15)


def _limit(most: int, message: str) -> RateLimit[LoginAttempts]:
    return RateLimit(most, WINDOW, message, LoginAttempts, counter="attempts")


LIMITS = {
    Subject.EMAIL: _limit(5, "too many attempts; wait, or reset your password"),
    Subject.RESET: _limit(5, "too many resets were requested for this address; look into your mailbox"),
    Subject.LOOKUP: _limit(20, "too many lookups; wait"),
    Subject.IP: _limit(50, "too many attempts from your network; wait"),
}


def set_password(db: Repository, caller: Caller, password: str) -> None:
    """Set the password of the caller, if the account is active: none is left when the account is deleted."""
    credential = Credential(user_id=caller.user_id, scrypt=passwords.hashed(password))
    write_as(db, caller, writes.Put(credential))


def log_in(db: Repository, email: str, password: str, network: str) -> str:
    """Check a password and return a sign-in token; `network` is the network of the client."""
    address = {"subject": Subject.EMAIL, "identifier": fold_email(email), "network": network}
    origin = {"subject": Subject.IP, "identifier": network}
    now = _count(db, address, origin)
    user = users.user_at(db, email)
    credential = db.run(CredentialOf(user_id=user.id)) if user else None
    if not passwords.matches(password, credential.scrypt if credential else None) or user is None:
        raise Unauthenticated("wrong e-mail address or password")
    if user.status in (UserStatus.SUSPENDED, UserStatus.DELETING):
        raise Forbidden("this requires an active account")
    transact(db, LIMITS[Subject.EMAIL].reset(now, **address), LIMITS[Subject.IP].uncount(now, **origin))
    return tokens.issue(db, user, Purpose.SIGN_IN)


def sign_in(db: Repository, caller: Caller, token: str) -> User:
    """Exchange a sign-in token for its user, for the identity provider."""
    caller.require_role("issuer")
    return tokens.redeem(db, token, Purpose.SIGN_IN)


def request_reset(db: Repository, email: str, network: str) -> None:
    """Request a mail with a reset token; nothing tells the caller whether a user has that e-mail address."""
    address = {"subject": Subject.RESET, "identifier": fold_email(email)}
    _count(db, address, {"subject": Subject.IP, "identifier": network})
    user = users.user_at(db, email)
    if user is not None:
        db.create(ResetRequest(user_id=user.id))


def send_reset(db: Repository, mailer: Mailer, request: ResetRequest) -> None:
    """Send the mail of a requested reset to the stored address of the user, who may have been deleted meanwhile."""
    user = db.run(ProfileById(user_id=request.user_id))
    if user is None or user.status in (UserStatus.SUSPENDED, UserStatus.DELETING):
        return
    token = tokens.issue(db, user, Purpose.RESET_PASSWORD)
    mailer.send(user.email, "Reset your GoalsGuild password", f"Your token, valid for one hour: {token}")


def reset_password(db: Repository, token: str, password: str) -> None:
    """Set a new password with a reset token."""
    tokens.redeem(db, token, Purpose.RESET_PASSWORD, passwords.hashed(password))


def is_email_free(db: Repository, caller: Caller, email: str, network: str) -> bool:
    """Return whether an e-mail address is available; limited, so that no client can list the users."""
    lookups = {"subject": Subject.LOOKUP, "identifier": caller.user_id}
    _count(db, lookups, {"subject": Subject.IP, "identifier": network})
    return users.is_free(db, "email", email)


def attempts(db: Repository, subject: Subject, identifier: str, network: str = "any") -> int:
    """Return the number of attempts of a subject in the current window."""
    window = LIMITS[subject].window_of(db.now())
    found = db.run(AttemptsInWindow(subject=subject, identifier=identifier, window=window, network=network))
    return found.attempts if found else 0


def _count(db: Repository, *subjects: dict[str, Any]) -> datetime:
    """Count an attempt for all subjects or none, and return its time; raise `TooManyRequests` above a limit."""
    now = db.now()
    counts: list[writes.Upsert[LoginAttempts]] = []
    for subject in subjects:
        limit: RateLimit[LoginAttempts] = LIMITS[subject["subject"]]
        counts.append(limit.count(now, **subject))
    transact(db, *counts)
    return now
