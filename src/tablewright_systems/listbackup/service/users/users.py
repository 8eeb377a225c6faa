"""Users: signing up, profiles, the primary account, a second factor.

Who logs in is the identity provider's business; it vouches for the user's id and e-mail address in the token.
"""

import base64
import hashlib
import hmac
import secrets
import struct
from datetime import timedelta
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tablewright import Repository, writes
from tablewright_systems.api_errors import Conflict, Invalid, NotFound, TooManyRequests
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.accounts import AccountType
from tablewright_systems.listbackup.design.memberships import Membership, MembershipStatus, UserAccount
from tablewright_systems.listbackup.design.users import Preferences, User, UserById, UserStatus
from tablewright_systems.listbackup.design.vocabulary import Email, ResourceType
from tablewright_systems.listbackup.service.access import active_user, require_staff
from tablewright_systems.listbackup.service.accounts import accounts
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.store_errors import refusing

STEP = 30
"""Seconds for which a code of the second factor holds."""

MOST_TRIES = 5
LOCKED = timedelta(hours=1)
"""For how long no code is good after so many wrong ones: there are only a million of them."""

_NO_TRIES = {"mfa_tries": None, "mfa_tried_at": None}

_EMAIL: TypeAdapter[str] = TypeAdapter(Email)
_NO_MFA = User.mfa_enabled == False  # noqa: E712 - a condition


def email_of(caller: Caller) -> str:
    """The e-mail address that the caller's token vouches for."""
    email = caller.email
    try:
        _EMAIL.validate_python(email)
    except ValidationError:
        raise Invalid("the token does not vouch for an e-mail address", "email") from None
    return str(email)


def sign_up(
    db: Repository,
    caller: Caller,
    *,
    username: str,
    name: str,
    account_name: str,
    account_type: AccountType = AccountType.CONGLOMERATE,
) -> User:
    """A new user with an account of their own, of which they are the owner: all of it, or nothing."""
    email = email_of(caller)
    account = accounts.new_account(account_name, account_type, caller.user_id)
    user = User(
        user_id=caller.user_id,
        email=email,
        username=username,
        display_email=email.strip(),
        display_username=username.strip(),
        name=name,
        account_id=account.account_id,
    )
    with refusing({User: Conflict("you have signed up already", "userId")}):
        written = db.transact(
            writes.Create(user),
            *accounts.founding(db, caller, account),
            audit.record(
                caller, account.account_id, ResourceType.USER, user.user_id, Action.CREATE, after=user
            ),
        )
    assert isinstance(written[0], User)
    return written[0]


def me(db: Repository, caller: Caller) -> User:
    """The caller's own user."""
    return found_user(db, caller.user_id)


def found_user(db: Repository, user_id: str) -> User:
    """A user, whatever the status."""
    user = db.run(UserById(user_id=user_id))
    if user is None:
        raise NotFound(f"user {user_id}")
    return user


def note_login(db: Repository, caller: Caller) -> User:
    """Remember when a user came."""
    active_user(db, caller.user_id)
    return db.update(UserById(user_id=caller.user_id), set={"last_login_at": db.now()})


def change_profile(
    db: Repository,
    caller: Caller,
    *,
    name: str | None = None,
    username: str | None = None,
    preferences: Preferences | None = None,
) -> User:
    """Change what a user may change; a username that another has is refused with its field."""
    user = active_user(db, caller.user_id)
    given = {
        "name": name,
        "username": username,
        "display_username": username.strip() if username else None,
        "preferences": preferences,
    }
    return _changed(db, caller, user, {field: value for field, value in given.items() if value is not None})


def adopt_email(db: Repository, caller: Caller) -> User:
    """Take over the e-mail address that the identity provider vouches for by now."""
    user = active_user(db, caller.user_id)
    email = email_of(caller)
    return _changed(db, caller, user, {"email": email, "display_email": email.strip()})


def choose_primary_account(db: Repository, caller: Caller, account_id: str) -> User:
    """Make an account the primary one; the user has to be an active member of it, at that very moment."""
    user = active_user(db, caller.user_id)
    membership = Membership(user_id=caller.user_id, account_id=account_id)
    values = {"account_id": account_id}
    with refusing({UserAccount: Conflict("you are no active member of that account", "accountId")}):
        db.transact(
            writes.Check(membership, UserAccount.status == MembershipStatus.ACTIVE),
            writes.Update(UserById(user_id=caller.user_id), set=values),
            *_told(caller, user, values),
        )
    return me(db, caller)


def start_mfa(db: Repository, caller: Caller) -> str:
    """A fresh secret for the user's authenticator: told once, stored sealed, and used when a code has proved it."""
    user = active_user(db, caller.user_id)
    if user.mfa_enabled:
        raise Conflict("a second factor is in use; switch it off first", "mfaEnabled")
    secret = base64.b32encode(secrets.token_bytes(20)).decode()
    with refusing({User: Conflict("a second factor is in use; switch it off first", "mfaEnabled")}):
        db.update(UserById(user_id=caller.user_id), set={"mfa_secret": secret, **_NO_TRIES}, when=_NO_MFA)
    return secret


def confirm_mfa(db: Repository, caller: Caller, code: str) -> User:
    """Switch the second factor on, once the user has shown a code of it."""
    user = active_user(db, caller.user_id)
    if user.mfa_secret is None:
        raise Conflict("start with a new secret", "mfaSecret")
    tried = _require_code(db, user, user.mfa_secret, code)
    return _changed(db, caller, tried, {"mfa_enabled": True, **_NO_TRIES}, when=_as_read(tried))


def stop_mfa(db: Repository, caller: Caller, code: str) -> User:
    """Switch the second factor off; that takes a last code of it."""
    user = active_user(db, caller.user_id)
    if user.mfa_secret is None:
        raise Conflict("there is no second factor", "mfaEnabled")
    tried = _require_code(db, user, user.mfa_secret, code)
    without = {"mfa_enabled": False, "mfa_secret": None, **_NO_TRIES}
    return _changed(db, caller, tried, without, when=_as_read(tried))


def totp(secret: str, moment: float) -> str:
    """The code that an authenticator shows at a moment (RFC 6238).

    >>> totp(base64.b32encode(b"12345678901234567890").decode(), 59)
    '287082'
    """
    digest = hmac.digest(base64.b32decode(secret), struct.pack(">Q", int(moment) // STEP), hashlib.sha1)
    start = digest[-1] & 15
    number = struct.unpack(">I", digest[start : start + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def set_status(db: Repository, caller: Caller, user_id: str, status: UserStatus) -> User:
    """Suspend a user, or let one in again; sessions of a suspended user end for good. For the platform's staff."""
    require_staff(caller, "admin")
    ended: dict[str, Any] = {} if status is UserStatus.ACTIVE else {"sessions_valid_after": db.now()}
    return _changed(db, caller, found_user(db, user_id), {"status": status, **ended})


def _as_read(user: User) -> Any:
    """Nobody has changed the secret meanwhile, whose code was shown."""
    return User.updated_at == user.updated_at


def _require_code(db: Repository, user: User, secret: str, code: str) -> User:
    """A code of this moment, or of the one before or after: clocks differ. The user, with this try counted."""
    tried = _counted(db, user)
    now = db.now().timestamp()
    shown = [totp(secret, now + drift * STEP) for drift in (-1, 0, 1)]
    if not any(hmac.compare_digest(code, each) for each in shown):
        raise Invalid("the code is wrong, or too old", "code")
    return tried


def _counted(db: Repository, user: User) -> User:
    """Count a try before its code is looked at: of many at once, only those that were counted are looked at."""
    now = db.now()
    ends = user.mfa_tried_at + LOCKED if user.mfa_tried_at else now
    tries = user.mfa_tries or 0
    if tries >= MOST_TRIES and now < ends:
        raise TooManyRequests("too many wrong codes; wait", int((ends - now).total_seconds()) + 1)
    counted = {"mfa_tries": tries % MOST_TRIES + 1, "mfa_tried_at": now}
    with refusing({User: Conflict("the user has just changed; look again")}):
        return db.update(
            UserById(user_id=user.user_id),
            set=counted,
            when=_as_read(user) & (User.mfa_tries == user.mfa_tries),
        )


def _changed(
    db: Repository, caller: Caller, before: User, values: dict[str, Any], when: writes.When = None
) -> User:
    """Change a user, and tell of it in the primary account."""
    if not values:
        return before
    target = UserById(user_id=before.user_id)
    with refusing({User: Conflict("the user has just changed; look again")}):
        db.transact(writes.Update(target, set=values, when=when), *_told(caller, before, values))
    return found_user(db, before.user_id)


def _told(caller: Caller, before: User, values: dict[str, Any]) -> list[writes.Write]:
    account_id = values.get("account_id", before.account_id)
    if account_id is None:
        return []
    after = before.changed(**values)
    return [
        audit.record(
            caller,
            account_id,
            ResourceType.USER,
            before.user_id,
            Action.UPDATE,
            before=before,
            after=after,
        )
    ]
