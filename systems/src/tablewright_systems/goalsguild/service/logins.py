"""Logins and password resets, limited for each quarter of an hour.

An attempt is counted before the password is checked, in one conditional transaction: concurrent attempts cannot exceed
the limit. Failures count for the e-mail address from one network, so that failures elsewhere block neither the owner
nor the reset of the password. A success resets that count, but removes only its own attempt from the network:
otherwise an attacker with an account could get new attempts by logging in to it.

The mail with a reset token goes to the stored address, whatever form of it was requested, and the reply is the same for
every address.
"""

from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from tablewright import Repository, writes
from tablewright_systems.goalsguild.design.logins import AttemptsInWindow, LoginAttempts, Subject
from tablewright_systems.goalsguild.design.users import (
    Credential,
    CredentialOf,
    PendingReset,
    ProfileById,
    Purpose,
    User,
    UserStatus,
)
from tablewright_systems.goalsguild.service import passwords, tokens, users
from tablewright_systems.goalsguild.service.mail import Mailer
from tablewright_systems.goalsguild.service.permissions import Id, write_as
from tablewright_systems.service import (
    Caller,
    EmailAddress,
    Forbidden,
    RateLimit,
    Unauthenticated,
    fold_email,
    transact,
)
from tablewright_systems.web import Body, ClientNetwork, CurrentCaller, Db, Router, problems

router = Router("Accounts")

Password = Annotated[str, Field(min_length=passwords.MIN_LENGTH, max_length=200)]


class NewPassword(Body):
    """A new password."""

    password: Password


class Reset(NewPassword):
    """A new password, with the token from the reset e-mail."""

    token: str


class Login(Body):
    """Credentials of a user."""

    email: EmailAddress
    password: Annotated[str, Field(max_length=200)]


class ResetRequest(Body):
    """E-mail address of the user."""

    email: EmailAddress


class TokenBody(Body):
    """A token for single use."""

    token: str


WINDOW = timedelta(minutes=15)


def _limit(most: int, message: str) -> RateLimit[LoginAttempts]:
    return RateLimit(most, WINDOW, message, LoginAttempts, counter="attempts")


LIMITS = {
    Subject.EMAIL: _limit(5, "too many attempts; wait, or reset your password"),
    Subject.RESET: _limit(5, "too many resets were requested for this address; look into your mailbox"),
    Subject.LOOKUP: _limit(20, "too many lookups; wait"),
    Subject.IP: _limit(50, "too many attempts from your network; wait"),
}


@router.put("/profile/password", body=NewPassword, status_code=204)
def set_password(db: Db, caller: CurrentCaller, password: str) -> None:
    """Set your password."""
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


@router.post("/sign-ins", body=TokenBody, responses=problems(403, 404, 410))
def sign_in(db: Db, caller: CurrentCaller, token: str) -> User:
    """Exchange a login token for the user who logged in (identity provider)."""
    caller.require_role("issuer")
    return tokens.redeem(db, token, Purpose.SIGN_IN)


@router.post("/password-resets", body=ResetRequest, status_code=204, responses=problems(404, 429))
def request_reset(db: Db, email: str, network: ClientNetwork) -> None:
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
    token = tokens.issue(db, user, Purpose.RESET_PASSWORD)
    mailer.send(user.email, "Reset your GoalsGuild password", f"Your token, valid for one hour: {token}")


@router.post("/passwords", body=Reset, status_code=204, responses=problems(403, 404, 410))
def reset_password(db: Db, token: str, password: str) -> None:
    """Set a new password with a reset token; no bearer token required."""
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


@router.get("/emails/{email}/availability", responses=problems(404, 409, 429), name="is_email_free")
def email_availability(
    db: Db, caller: CurrentCaller, network: ClientNetwork, email: Id
) -> users.Availability:
    """Check whether an e-mail address is available; a few times in a quarter of an hour."""
    return users.Availability(is_available=is_email_free(db, caller, email, network))


@router.post("/logins", body=Login, responses=problems(401, 403, 404, 429), name="log_in")
def issue_login_token(db: Db, network: ClientNetwork, email: str, password: str) -> TokenBody:
    """Log in with a password; no bearer token required.

    The returned token is not a bearer token. Give it to the identity provider, which exchanges it once, within five
    minutes, at `POST /sign-ins` for the user who logged in, and then issues the bearer token for the other operations.
    """
    return TokenBody(token=log_in(db, email, password, network))
