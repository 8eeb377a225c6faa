"""Second factor: time-based one-time codes (RFC 6238) from an authenticator app."""

import base64
import hashlib
import hmac
import secrets
import struct
from datetime import timedelta
from typing import Any

from tablewright import Repository
from tablewright_systems.listbackup.design.users import User, UserById
from tablewright_systems.listbackup.service.access import active_user
from tablewright_systems.listbackup.service.store_errors import translate_errors
from tablewright_systems.listbackup.service.users.users import change_user
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Invalid, TooManyRequests

STEP_SECONDS = 30
"""How long a code is valid."""


MAX_ATTEMPTS = 5


LOCKOUT = timedelta(hours=1)
"""How long codes are rejected after too many wrong ones: there are only a million codes."""


_NO_ATTEMPTS = {"mfa_tries": None, "mfa_tried_at": None}


_NO_MFA = User.mfa_enabled == False  # noqa: E712 - a condition


def start_mfa(db: Repository, caller: Caller) -> str:
    """Return a new secret for the caller's authenticator. It is returned once, stored encrypted, and not active yet."""
    user = active_user(db, caller.user_id)
    if user.mfa_enabled:
        raise Conflict("a second factor is active; deactivate it first", "mfaEnabled")
    secret = base64.b32encode(secrets.token_bytes(20)).decode()
    with translate_errors({User: Conflict("a second factor is active; deactivate it first", "mfaEnabled")}):
        db.update(UserById(user_id=caller.user_id), set={"mfa_secret": secret, **_NO_ATTEMPTS}, when=_NO_MFA)
    return secret


def confirm_mfa(db: Repository, caller: Caller, code: str) -> User:
    """Activate the second factor with a valid code."""
    user = active_user(db, caller.user_id)
    if user.mfa_secret is None:
        raise Conflict("there is no secret to confirm; request a new one first", "mfaSecret")
    counted = _require_code(db, user, user.mfa_secret, code)
    return change_user(db, caller, counted, {"mfa_enabled": True, **_NO_ATTEMPTS}, when=_unchanged(counted))


def stop_mfa(db: Repository, caller: Caller, code: str) -> User:
    """Deactivate the second factor with a valid code."""
    user = active_user(db, caller.user_id)
    if user.mfa_secret is None:
        raise Conflict("no second factor is active", "mfaEnabled")
    counted = _require_code(db, user, user.mfa_secret, code)
    without = {"mfa_enabled": False, "mfa_secret": None, **_NO_ATTEMPTS}
    return change_user(db, caller, counted, without, when=_unchanged(counted))


def totp(secret: str, timestamp: float) -> str:
    """Return the code that an authenticator shows at a time (RFC 6238).

    >>> totp(base64.b32encode(b"12345678901234567890").decode(), 59)
    '287082'
    """
    digest = hmac.digest(
        base64.b32decode(secret), struct.pack(">Q", int(timestamp) // STEP_SECONDS), hashlib.sha1
    )
    start = digest[-1] & 15
    number = struct.unpack(">I", digest[start : start + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def _unchanged(user: User) -> Any:
    """The condition that the user, and so the secret, has not changed since it was read."""
    return User.updated_at == user.updated_at


def _require_code(db: Repository, user: User, secret: str, code: str) -> User:
    """Require a code of the current step, the one before or the one after, because clocks differ.

    Return the user with this attempt counted.
    """
    counted = _count_attempt(db, user)
    now = db.now().timestamp()
    shown = [totp(secret, now + drift * STEP_SECONDS) for drift in (-1, 0, 1)]
    if not any(hmac.compare_digest(code, each) for each in shown):
        raise Invalid("the code is wrong or has expired", "code")
    return counted


def _count_attempt(db: Repository, user: User) -> User:
    """Count an attempt before the code is compared: of concurrent attempts, only counted ones are compared."""
    now = db.now()
    ends = user.mfa_tried_at + LOCKOUT if user.mfa_tried_at else now
    attempts = user.mfa_tries or 0
    if attempts >= MAX_ATTEMPTS and now < ends:
        raise TooManyRequests("too many wrong codes; try again later", int((ends - now).total_seconds()) + 1)
    counted = {"mfa_tries": attempts % MAX_ATTEMPTS + 1, "mfa_tried_at": now}
    with translate_errors({User: Conflict("the user was changed by another request; read it and try again")}):
        return db.update(
            UserById(user_id=user.user_id),
            set=counted,
            when=_unchanged(user) & (User.mfa_tries == user.mfa_tries),
        )
