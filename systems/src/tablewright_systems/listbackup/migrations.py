"""Migrations from V1 to V2, in place (F19). `python -m tablewright_systems.listbackup.v1` runs them.

The items of V1 are those that the document prints, copied to the tables of V2 unchanged, under the same
ids. They have none of the attributes that V2 adds: no entityType, no displayEmail, no rootAccountId, no keys of added
indexes, no locks. Older ones also differ from the document:

    users            e-mail address and username as typed
    accounts         ownerId instead of createdBy; no path, level, type and limits
    sources          `secret` instead of credentials
    activities       `at`, an ISO time; sorted by `<epoch seconds>#<eventId>`

Secrets of V1 are encrypted with its one key (see `decrypt_v1`) and are encrypted again with the key of their account.
The migrations can be repeated. Two users whose normalised addresses are equal are reported; neither is merged or
overwritten. Accounts that lead to no root, and accounts without an owner, are reported. Activities past their retention
time are deleted. A platform-wide `admin` of V1 becomes a `user`: the platform's staff appoints the admins of V2.

Every migration has a way back to items that V1 reads. What V1 did not distinguish is not restored: spaces around an
address, the time zone in which an event was written, an absent role or status of a membership (it has the default of
V2), paths of names, and activities that were deleted because of their age. Defaults and index keys of V2 stay, as V1
ignores them. The locks of addresses stay: V1 reads users by their id or an index, which locks are not in, and a second
user cannot take an address before the next way forward.
"""

import base64
import binascii
import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tablewright import errors, migrations
from tablewright_systems.listbackup.design.accounts import Account, AccountType, Plan
from tablewright_systems.listbackup.design.activities import RETENTION, Activity
from tablewright_systems.listbackup.design.memberships import users_accounts
from tablewright_systems.listbackup.design.notifications import RETENTION as NOTIFICATION_RETENTION
from tablewright_systems.listbackup.design.notifications import Notification
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.design.tags import tags
from tablewright_systems.listbackup.design.teams import teams
from tablewright_systems.listbackup.design.users import User
from tablewright_systems.listbackup.design.vocabulary import normalised, normalised_email
from tablewright_systems.listbackup.service.limits import LIMITS

_COUNTERS = {
    "sources": "sourcesUsed",
    "users": "usersUsed",
    "storage": "storageUsed",
    "owners": "owners",
    "children": "children",
}
"""The counters of an account, by their names in `usage`."""

V1_KEY = "LISTBACKUP_V1_KEY"
"""The environment variable with V1's key, in base64."""
_PREFIX, _NONCE = "v1:", 12

Attributes = dict[str, Any]


def _normalised_user(item: Attributes) -> Attributes | None:
    if "displayEmail" in item:
        return None
    email, username = item["email"], item.get("username") or item["email"].partition("@")[0]
    secret = item.get("mfaSecret")
    known = {"mfaSecret": decrypt_v1(secret, item["userId"])} if secret else {}
    if item.get("role") == "admin":
        known["role"] = "user"
    return {
        **item,
        "email": normalised_email(email),
        "username": normalised(username),
        "displayEmail": email.strip(),
        "displayUsername": username.strip(),
        **known,
    }


def _user_as_typed(item: Attributes) -> Attributes | None:
    if "displayEmail" not in item:
        return None
    secret = item.get("mfaSecret")
    known = {"mfaSecret": encrypt_v1(secret, item["userId"])} if secret else {}
    typed = {"email": item["displayEmail"], "username": item["displayUsername"]}
    return _without(item, "displayEmail", "displayUsername") | typed | known


def _typed_membership(item: Attributes) -> Attributes | None:
    if "entityType" in item:
        return None
    return {"role": "member", "status": "active", **item, "entityType": "USER_ACCOUNT", "schemaVersion": 1}


def _typed_team(item: Attributes) -> Attributes | None:
    return None if "entityType" in item else {**item, "entityType": "TEAM", "schemaVersion": 1}


def _untyped(kind: str) -> Callable[[Attributes], Attributes | None]:
    """Return the way back: the items lose the type that V1 does not know."""

    def change(item: Attributes) -> Attributes | None:
        return _without(item, "entityType", "schemaVersion") if item.get("entityType") == kind else None

    return change


def _typed_tag(item: Attributes) -> Attributes | None:
    if "entityType" in item:
        return None
    account_id, _, kind = item["accountId#resourceType"].partition("#")
    key = {"accountId": account_id, "resourceType": kind}
    return {**key, **item, "entityType": "TAG", "schemaVersion": 1}


def _placed_account(item: Attributes, view: migrations.View) -> Attributes | None:
    """Return an account with its path of ids and its level; its ancestors come first, one level with each pass."""
    if "rootAccountId" in item:
        return None
    account_id, parent_id = item["accountId"], item.get("parentAccountId")
    parent = view.find(Account, account_id=parent_id) if parent_id else None
    if parent_id and parent is None:
        raise ValueError(f"its parent {parent_id} does not exist")
    if parent and "rootAccountId" not in parent:
        raise ValueError(f"its parent {parent_id} leads to no root, or is one of its descendants")
    usage, plan = item.get("usage") or {}, Plan(item.get("plan", Plan.FREE.value))
    if not usage.get("owners"):
        raise ValueError("it has no owner; run: python -m tablewright_systems.listbackup.v1")
    level = parent["level"] + 1 if parent else 0
    return _without(item, "usage", "ownerId") | {
        "parentAccountId": parent_id,
        "accountPath": f"{parent['accountPath'] if parent else '/'}{account_id}/",
        "rootAccountId": parent["rootAccountId"] if parent else account_id,
        "accountType": _type_below(parent, item.get("accountType"), level).value,
        "level": level,
        "plan": plan.value,
        "limits": item.get("limits") or LIMITS[plan].model_dump(by_alias=True),
        "createdBy": item.get("createdBy") or item["ownerId"],
        **{counter: usage.get(name, 0) for name, counter in _COUNTERS.items()},
    }


def _type_below(parent: Attributes | None, stored_kind: str | None, level: int) -> AccountType:
    """Return the type of an account: the stored one if it is below that of the parent, otherwise the next lower one."""
    above = AccountType(parent["accountType"]).depth if parent else -1
    if stored_kind and AccountType(stored_kind).depth > above:
        return AccountType(stored_kind)
    if above + 1 >= len(AccountType):
        raise ValueError(f"it is {level} levels below its root, and no account type is so low")
    return list(AccountType)[above + 1]


def _account_without_place(item: Attributes) -> Attributes | None:
    """Return an account of V1: its owner, and its counts in `usage`; the hierarchy stays in `parentAccountId`."""
    if "rootAccountId" not in item:
        return None
    placed = ("accountPath", "rootAccountId", "accountType", "level", "createdBy")
    usage = {name: item.get(counter, 0) for name, counter in _COUNTERS.items()}
    return _without(item, *placed, *_COUNTERS.values()) | {"ownerId": item["createdBy"], "usage": usage}


def _encrypted_source(item: Attributes, view: migrations.View) -> Attributes | None:
    """Return a source whose secret is decrypted with V1's key; it is stored encrypted with its account's key."""
    credentials = item.get("credentials") or {}
    secret = item.get("secret") or credentials.get("encryptedData")
    if not secret or not secret.startswith(_PREFIX):
        return None
    account = view.find(Account, account_id=item["accountId"])
    if account is None:
        raise ValueError(f"its account {item['accountId']} does not exist")
    kind = item.get("connectionType", "apikey")
    return {
        "createdBy": account.get("createdBy") or account.get("ownerId"),
        "status": "paused",
        **_without(item, "secret"),
        "connectionType": kind,
        "credentials": {"type": kind, "encryptedData": decrypt_v1(secret, item["sourceId"])},
    }


def _source_of_v1(item: Attributes) -> Attributes | None:
    """Return a source whose secret is encrypted with V1's key; the credentials are decrypted for the migration."""
    if "credentials" not in item:
        return None
    secret = encrypt_v1(item["credentials"]["encryptedData"], item["sourceId"])
    return _without(item, "credentials") | {"secret": secret}


def _kept_activity(item: Attributes, view: migrations.View) -> Attributes | migrations.Removal | None:
    """Return an activity with its expiry, computed from the time of the event; None if it has expired."""
    if "expiresAt" in item:
        return None
    at = _time(item, "at" if "at" in item else "createdAt")
    if at + RETENTION <= view.now:
        return migrations.DELETE
    return _without(item, "at") | {
        "timestamp#eventId": f"{_text(at)}#{item['eventId']}",
        "timestamp": int(at.timestamp()),
        "createdAt": _text(at),
        "expiresAt": int(at.timestamp()) + int(RETENTION.total_seconds()),
    }


def _sorted_notification(item: Attributes, view: migrations.View) -> Attributes | migrations.Removal | None:
    """Return a notification that is sorted by its time; one past its retention time is deleted."""
    if "status#timestamp" in item:
        return None
    at = _time(item, "createdAt")
    if at + NOTIFICATION_RETENTION <= view.now:
        return migrations.DELETE
    key = {"timestamp#notificationId": f"{_text(at)}#{item['notificationId']}"}
    return {**item, **key, "createdAt": _text(at)}


def _time(item: Attributes, name: str) -> datetime:
    time = datetime.fromisoformat(item[name])
    if time.tzinfo is None:
        raise ValueError(f"{name}: {item[name]} has no time zone")
    return time


def _text(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _activity_of_v1(item: Attributes) -> Attributes | None:
    """Return an activity without its expiry, sorted by the seconds of its event."""
    if "at" in item:
        return None
    at = datetime.fromisoformat(item["createdAt"])
    return _without(item, "timestamp", "createdAt", "expiresAt") | {
        "at": at.isoformat(),
        "timestamp#eventId": f"{int(at.timestamp())}#{item['eventId']}",
    }


def _without(item: Attributes, *names: str) -> Attributes:
    return {name: value for name, value in item.items() if name not in names}


def encrypt_v1(text: str, source_id: str) -> str:
    """Encrypt a secret as V1 did: AES-GCM under one key for all accounts, bound to the id of its source."""
    nonce = os.urandom(_NONCE)
    encrypted = nonce + AESGCM(_v1_key()).encrypt(nonce, text.encode(), source_id.encode())
    return _PREFIX + base64.b64encode(encrypted).decode()


def decrypt_v1(encrypted: str, source_id: str) -> str:
    """Decrypt a secret of V1; the error does not contain the secret."""
    key = _v1_key()
    try:
        content = base64.b64decode(encrypted.removeprefix(_PREFIX), validate=True)
        opened = AESGCM(key).decrypt(content[:_NONCE], content[_NONCE:], source_id.encode())
        return opened.decode()
    except (InvalidTag, binascii.Error, ValueError):
        raise ValueError("its secret cannot be decrypted with V1's key") from None


def _v1_key() -> bytes:
    try:
        key = base64.b64decode(os.environ.get(V1_KEY, ""), validate=True)
        AESGCM(key)
    except (binascii.Error, ValueError):
        raise errors.UsageError(f"set {V1_KEY} to V1's encryption key, in base64") from None
    return key


def _unchanged(item: Attributes) -> None:
    """The way back of a migration that only adds keys of indexes, which V1 ignores."""


USERS = migrations.Migration("v2-1-users-normalised", User, _normalised_user, _user_as_typed)
MEMBERSHIPS = migrations.Migration(
    "v2-2-memberships-typed", users_accounts, _typed_membership, _untyped("USER_ACCOUNT")
)
ACCOUNTS = migrations.Migration(
    "v2-3-accounts-in-a-hierarchy", Account, _placed_account, _account_without_place
)
SOURCES = migrations.Migration("v2-4-credentials-resealed", Source, _encrypted_source, _source_of_v1)
ACTIVITIES = migrations.Migration("v2-5-activities-by-age", Activity, _kept_activity, _activity_of_v1)
TEAMS = migrations.Migration("v2-6-teams-typed", teams, _typed_team, _untyped("TEAM"))
TAGS = migrations.Migration("v2-7-tags-typed", tags, _typed_tag, _untyped("TAG"))
NOTIFICATIONS = migrations.Migration(
    "v2-8-notifications-by-time", Notification, _sorted_notification, _unchanged
)
