"""Second factor: time-based one-time codes (RFC 6238) from an authenticator app.

A code works once: the user's item stores the time step of the last accepted code, and the transaction that a code is
used for requires a later step.
"""

import base64
import hashlib
import hmac
import secrets
import struct
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from tablewright import Repository
from tablewright_systems.listbackup.design.users import User, UserById
from tablewright_systems.listbackup.service.access import active_user, require_admin, signed_up_user
from tablewright_systems.listbackup.service.accounts import USER_CHANGED
from tablewright_systems.listbackup.service.users import change_user, get_user
from tablewright_systems.service import Conflict, Invalid, TooManyRequests
from tablewright_systems.web import CurrentCaller, Db, Router, View, problems

router = Router("Users")

Code = Annotated[str, Field(pattern=r"^[0-9]{6}$")]
"""A code of the second factor."""

STEP_SECONDS = 30
"""How long a code is valid."""
MAX_ATTEMPTS = 5
LOCKOUT = timedelta(hours=1)
"""How long codes are rejected after too many wrong ones: there are only a million codes."""

_NO_ATTEMPTS = {"mfa_tries": None, "mfa_tried_at": None}
_NO_MFA = User.mfa_enabled != True  # noqa: E712 - a condition; absent in items of V1
_ACTIVE = Conflict("a second factor is active; deactivate it first", "mfaEnabled")


class MfaSecret(View):
    """The secret for the authenticator; returned only once."""

    secret: str


@router.post("/users/me/mfa", status_code=201, reply=MfaSecret)
def start_mfa(db: Db, caller: CurrentCaller) -> str:
    """Create a secret for the authenticator."""
    # It is stored encrypted, and not active yet.
    user = active_user(db, caller)
    if user.mfa_enabled:
        raise _ACTIVE
    secret = base64.b32encode(secrets.token_bytes(20)).decode()
    db.update(
        UserById(user_id=caller.user_id),
        set={"mfa_secret": secret, **_NO_ATTEMPTS},
        when=_NO_MFA,
        otherwise=_ACTIVE,
    )
    return secret


@router.post("/users/me/mfa/confirmation", responses=problems(404, 429))
def confirm_mfa(db: Db, caller: CurrentCaller, code: Code) -> User:
    """Activate the second factor with a code."""
    user = active_user(db, caller)
    if user.mfa_secret is None:
        raise Conflict("there is no secret to confirm; request a new one first", "mfaSecret")
    accepted = accept_code(db, user, code)
    return change_user(
        db, caller, accepted.user, {"mfa_enabled": True, **accepted.values}, when=accepted.condition
    )


@router.post("/users/me/mfa/removal", responses=problems(404, 429))
def stop_mfa(db: Db, caller: CurrentCaller, code: Code) -> User:
    """Deactivate the second factor with a code."""
    user = signed_up_user(db, caller.user_id)
    if not user.mfa_enabled:
        raise Conflict("no second factor is active", "mfaEnabled")
    accepted = accept_code(db, user, code)
    without = {**accepted.values, "mfa_enabled": False, "mfa_secret": None}
    return change_user(db, caller, accepted.user, without, when=accepted.condition)


@router.delete("/users/{user_id}/mfa")
def reset_mfa(db: Db, caller: CurrentCaller, user_id: str) -> User:
    """Remove the second factor of a user who lost the authenticator. For platform admins."""
    # The sessions of the user end.
    require_admin(db, caller)
    without = {"mfa_enabled": False, "mfa_secret": None, **_NO_ATTEMPTS, "sessions_valid_after": db.now()}
    return change_user(db, caller, get_user(db, user_id), without)


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


@dataclass(frozen=True, slots=True)
class AcceptedCode:
    """A valid code. It is used up by the write that stores `values` in the user, on this condition."""

    user: User
    """The user, with the attempt counted."""
    values: dict[str, Any]
    condition: Any


def accept_code(db: Repository, user: User, code: str) -> AcceptedCode:
    """Require a code of the current step, the one before or the one after, because clocks differ.

    A code of the step of the last accepted code, or of an earlier one, is rejected.
    """
    counted = _count_attempt(db, user)
    current = int(db.now().timestamp()) // STEP_SECONDS
    steps = range(max(current - 1, (user.mfa_last_step or 0) + 1), current + 2)
    shown = {step: totp(user.mfa_secret or "", step * STEP_SECONDS) for step in steps}
    matching = [
        step for step, shown_code in shown.items() if hmac.compare_digest(code.encode(), shown_code.encode())
    ]
    if user.mfa_secret is None or not matching:
        raise Invalid("the code is wrong, has expired or was used before", "code")
    return AcceptedCode(
        counted,
        {"mfa_last_step": matching[0], **_NO_ATTEMPTS},
        _unchanged(counted) & (User.mfa_last_step == user.mfa_last_step),
    )


def _count_attempt(db: Repository, user: User) -> User:
    """Count an attempt before the code is compared: of concurrent attempts, only counted ones are compared."""
    now = db.now()
    ends = user.mfa_tried_at + LOCKOUT if user.mfa_tried_at else now
    attempts = user.mfa_tries or 0
    if attempts >= MAX_ATTEMPTS and now < ends:
        raise TooManyRequests("too many wrong codes; try again later", int((ends - now).total_seconds()) + 1)
    counted = {"mfa_tries": attempts % MAX_ATTEMPTS + 1, "mfa_tried_at": now}
    return db.update(
        UserById(user_id=user.user_id),
        set=counted,
        when=_unchanged(user) & (User.mfa_tries == user.mfa_tries),
        otherwise=USER_CHANGED,
    )
