"""Logins, limited per quarter of an hour by e-mail address and by network address.

An attempt is counted before the password is checked, in one conditional write for both addresses: concurrent attempts
cannot exceed the limit. The clock determines the current window; `ttl` only deletes old ones. A success resets the
count of the e-mail address, but removes only its own attempt from the network address: otherwise an attacker with an
account could get new attempts by logging in to it.
"""

import hashlib
import hmac
import secrets
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network

from tablewright import Repository, errors, fields, writes
from tablewright_systems.goalsguild.design.logins import AttemptsInWindow, LoginAttempts, Subject
from tablewright_systems.goalsguild.design.users import Credential, CredentialOf, Purpose, User, UserStatus
from tablewright_systems.goalsguild.service import tokens, users
from tablewright_systems.goalsguild.service.transactions import require_role
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Forbidden, Invalid, TooManyRequests, Unauthenticated

WINDOW = timedelta(minutes=15)
LIMITS = {Subject.EMAIL: 5, Subject.IP: 50}
MIN_PASSWORD_LENGTH = 10

_COST = {"n": 2**14, "r": 8, "p": 1, "maxmem": 2**26}
_DUMMY_HASH = "00" * 16 + "$" + "00" * 64
"""Compared when the user does not exist, so that timing does not reveal it."""


def set_password(db: Repository, caller: Caller, password: str) -> None:
    """Set the password of the caller."""
    user = users.my_profile(db, caller)
    _store_password(db, user, password)


def log_in(db: Repository, email: str, password: str, address: str) -> str:
    """Check a password and return a sign-in token; `address` is the network address of the client."""
    windows = _windows(db, email, address)
    _count(db, windows)
    user = users.user_at(db, email)
    credential = db.run(CredentialOf(user_id=user.id)) if user else None
    if not _matches(password, credential.scrypt if credential else _DUMMY_HASH) or user is None:
        raise Unauthenticated("wrong e-mail address or password")
    if user.status is not UserStatus.ACTIVE:
        raise Forbidden("this requires an active account")
    _reset_attempts(db, windows)
    return tokens.issue(db, user, Purpose.SIGN_IN)


def sign_in(db: Repository, caller: Caller, token: str) -> User:
    """Exchange a sign-in token for its user, for the identity provider."""
    require_role(caller, "issuer")
    return tokens.redeem(db, token, Purpose.SIGN_IN)


def request_reset(db: Repository, caller: Caller, email: str, address: str) -> str | None:
    """Return a password reset token, for the mail worker; None if no user has that e-mail address.

    It counts as a login attempt from `address`.
    """
    require_role(caller, "worker")
    _count(db, _windows(db, email, address))
    user = users.user_at(db, email)
    return tokens.issue(db, user, Purpose.RESET_PASSWORD) if user else None


def reset_password(db: Repository, token: str, password: str) -> None:
    """Set a new password with a reset token."""
    _require_strong(password)
    _store_password(db, tokens.redeem(db, token, Purpose.RESET_PASSWORD), password)


def attempts(db: Repository, subject: Subject, identifier: str) -> int:
    """Return the number of attempts of an address in the current window."""
    found = db.run(AttemptsInWindow(subject=subject, identifier=identifier, window=window_of(db.now())))
    return found.attempts if found else 0


def window_of(time: datetime) -> datetime:
    """Return the start of the window that contains a time.

    >>> window_of(datetime(2025, 8, 8, 10, 29, tzinfo=UTC)).isoformat()
    '2025-08-08T10:15:00+00:00'
    """
    seconds = int(WINDOW.total_seconds())
    return datetime.fromtimestamp(int(time.timestamp()) // seconds * seconds, UTC)


def network_of(address: str) -> str:
    """Return the network that is limited: an IPv4 address, or the /64 network of an IPv6 address.

    >>> network_of("2001:db8::17"), network_of("10.0.0.1"), network_of("unix socket")
    ('2001:db8::/64', '10.0.0.1', 'unix socket')
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return address if found.version == 4 else str(ip_network((found, 64), strict=False))


def _windows(db: Repository, email: str, address: str) -> list[AttemptsInWindow]:
    window = window_of(db.now())
    named = {Subject.EMAIL: fields.fold(email), Subject.IP: network_of(address)}
    return [
        AttemptsInWindow(subject=subject, identifier=identifier, window=window)
        for subject, identifier in named.items()
    ]


def _count(db: Repository, windows: list[AttemptsInWindow]) -> None:
    """Add an attempt to each window, or raise `TooManyRequests` if one is full."""
    while not _is_counted(db, windows):
        _create_counters(db, windows)


def _is_counted(db: Repository, windows: list[AttemptsInWindow]) -> bool:
    """Add an attempt to each window; return False if a counter does not exist yet."""
    tries = [
        writes.Update(each, add={"attempts": 1}, when=LoginAttempts.attempts < LIMITS[each.subject])
        for each in windows
    ]
    try:
        db.transact(*tries)
        return True
    except errors.TransactionFailed as failed:
        if any(isinstance(failure, errors.ConditionNotMet) for failure in failed.failures):
            wait = windows[0].window + WINDOW - db.now()
            raise TooManyRequests(
                "too many attempts; wait, or reset your password", int(wait.total_seconds()) + 1
            ) from None
        if not any(isinstance(failure, errors.DoesNotExist) for failure in failed.failures):
            raise
        return False


def _create_counters(db: Repository, windows: list[AttemptsInWindow]) -> None:
    """Create missing counters; concurrent requests may do the same."""
    for each in windows:
        try:
            db.create(LoginAttempts(subject=each.subject, identifier=each.identifier, window=each.window))
        except errors.AlreadyExists:
            continue


def _reset_attempts(db: Repository, windows: list[AttemptsInWindow]) -> None:
    by_email, by_address = windows
    db.transact(writes.Delete(by_email), writes.Add(by_address, attempts=-1))


def _require_strong(password: str) -> None:
    if len(password) < MIN_PASSWORD_LENGTH:
        raise Invalid(f"a password must have at least {MIN_PASSWORD_LENGTH} characters", "password")


def _store_password(db: Repository, user: User, password: str) -> None:
    _require_strong(password)
    salt = secrets.token_bytes(16)
    db.put(Credential(user_id=user.id, scrypt=f"{salt.hex()}${_derived(password, salt).hex()}"))


def _matches(password: str, stored: str) -> bool:
    salt, _, expected = stored.partition("$")
    return hmac.compare_digest(_derived(password, bytes.fromhex(salt)).hex(), expected)


def _derived(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, **_COST)
