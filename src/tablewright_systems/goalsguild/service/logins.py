"""Logging in: so often in a quarter of an hour, by e-mail address and by network address, and no more.

An attempt is counted before the password is looked at, in one conditional write for both addresses: however many come
at once, no more than the limit are looked at. Which window counts is told by the clock; `ttl` only clears away. A
success forgets the attempts of the e-mail address, and takes back its own one from the network address: a thief who
has an account could otherwise buy himself new attempts by logging in to it.
"""

import hashlib
import hmac
import secrets
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network

from tablewright import Repository, errors, fields, writes
from tablewright_systems.api_errors import Forbidden, Invalid, TooManyRequests, Unauthenticated
from tablewright_systems.authentication import Caller
from tablewright_systems.goalsguild.design.logins import AttemptsInWindow, LoginAttempts, Subject
from tablewright_systems.goalsguild.design.users import Credential, CredentialOf, Purpose, User, UserStatus
from tablewright_systems.goalsguild.service import tokens, users
from tablewright_systems.goalsguild.service.deeds import require_role

WINDOW = timedelta(minutes=15)
LIMITS = {Subject.EMAIL: 5, Subject.IP: 50}
SHORTEST_PASSWORD = 10

_COST = {"n": 2**14, "r": 8, "p": 1, "maxmem": 2**26}
_NOBODY = "00" * 16 + "$" + "00" * 64
"""Compared with when there is nobody to compare with, so that the time it takes tells nothing."""


def set_password(db: Repository, caller: Caller, password: str) -> None:
    """Give the caller a password to log in with."""
    user = users.my_profile(db, caller)
    _store_password(db, user, password)


def log_in(db: Repository, email: str, password: str, address: str) -> str:
    """A token to sign in with, for who knows the password; `address` is where the request comes from."""
    windows = _windows(db, email, address)
    _count(db, windows)
    user = users.user_at(db, email)
    credential = db.run(CredentialOf(user_id=user.id)) if user else None
    if not _fits(password, credential.scrypt if credential else _NOBODY) or user is None:
        raise Unauthenticated("e-mail address and password do not fit")
    if user.status is not UserStatus.ACTIVE:
        raise Forbidden("this needs an active account")
    _forgive(db, windows)
    return tokens.issue(db, user, Purpose.SIGN_IN)


def sign_in(db: Repository, caller: Caller, token: str) -> User:
    """Who logged in a moment ago, for the issuer of identities; the token is used up."""
    require_role(caller, "issuer")
    return tokens.redeem(db, token, Purpose.SIGN_IN)


def request_reset(db: Repository, caller: Caller, email: str, address: str) -> str | None:
    """A token to set a new password with, for the worker who mails it; None when nobody has that address.

    It counts as an attempt, of whoever asked for it at `address`.
    """
    require_role(caller, "worker")
    _count(db, _windows(db, email, address))
    user = users.user_at(db, email)
    return tokens.issue(db, user, Purpose.RESET_PASSWORD) if user else None


def reset_password(db: Repository, token: str, password: str) -> None:
    """Set a new password; the token is used up."""
    _require_strong(password)
    _store_password(db, tokens.redeem(db, token, Purpose.RESET_PASSWORD), password)


def attempts(db: Repository, subject: Subject, identifier: str) -> int:
    """How often an address tried in the window that is now."""
    found = db.run(AttemptsInWindow(subject=subject, identifier=identifier, window=window_of(db.now())))
    return found.attempts if found else 0


def window_of(moment: datetime) -> datetime:
    """Where the window begins that a moment is in.

    >>> window_of(datetime(2025, 8, 8, 10, 29, tzinfo=UTC)).isoformat()
    '2025-08-08T10:15:00+00:00'
    """
    seconds = int(WINDOW.total_seconds())
    return datetime.fromtimestamp(int(moment.timestamp()) // seconds * seconds, UTC)


def network_of(address: str) -> str:
    """What counts as one place on the network: who has one address of IPv6 has all of its /64.

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
    """Add an attempt to each window, or refuse when one of them is full."""
    while not _is_counted(db, windows):
        _begin(db, windows)


def _is_counted(db: Repository, windows: list[AttemptsInWindow]) -> bool:
    """The same, unless nobody has tried in one of them yet."""
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


def _begin(db: Repository, windows: list[AttemptsInWindow]) -> None:
    """Make the counters of windows that nobody has tried in yet; others may do the same."""
    for each in windows:
        try:
            db.create(LoginAttempts(subject=each.subject, identifier=each.identifier, window=each.window))
        except errors.AlreadyExists:
            continue


def _forgive(db: Repository, windows: list[AttemptsInWindow]) -> None:
    by_email, by_address = windows
    db.transact(writes.Delete(by_email), writes.Add(by_address, attempts=-1))


def _require_strong(password: str) -> None:
    if len(password) < SHORTEST_PASSWORD:
        raise Invalid(f"a password has at least {SHORTEST_PASSWORD} characters", "password")


def _store_password(db: Repository, user: User, password: str) -> None:
    _require_strong(password)
    salt = secrets.token_bytes(16)
    db.put(Credential(user_id=user.id, scrypt=f"{salt.hex()}${_derived(password, salt).hex()}"))


def _fits(password: str, stored: str) -> bool:
    salt, _, expected = stored.partition("$")
    return hmac.compare_digest(_derived(password, bytes.fromhex(salt)).hex(), expected)


def _derived(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, **_COST)
