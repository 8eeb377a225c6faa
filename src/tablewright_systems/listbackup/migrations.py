"""Migration from V1 to V2, in place (001:664-668).

The document does not describe V1, so this is assumed: V1's items are copied to the tables of V2 unchanged, under the
same ids, and differ from those of V2 as follows.

    users            e-mail address and username as typed; no displayEmail and displayUsername; no locks
    users-accounts   no entityType
    accounts         ownerId; parentAccountId or none; no path, level and type; counts in `usage`
    sources          `secret`, encrypted with V1's one key (see `decrypt_v1`), instead of credentials
    activities       `at`, an ISO time; sorted by `<epoch seconds>#<eventId>`; no expiry

The migration can be repeated. Two users whose normalised addresses are equal are reported; neither is merged or
overwritten. Accounts that lead to no root are reported. Activities past their retention time are deleted.

Every migration has a way back to items that V1 reads. What V1 did not distinguish is not restored: spaces around an
address, the time zone in which an event was written, an absent role or status of a membership (it has the default of
V2), and activities that were deleted because of their age. Defaults and index keys of V2 stay, as V1 ignores them. The
locks of addresses stay: V1 reads users by their id or an index, which locks are not in, and a second user cannot take
an address before the next way forward.
"""

import base64
import binascii
import os
from datetime import UTC, datetime
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tablewright import errors, migrations
from tablewright_systems.listbackup.design.accounts import Account, AccountType, Plan
from tablewright_systems.listbackup.design.activities import RETENTION, Activity
from tablewright_systems.listbackup.design.memberships import users_accounts
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.design.users import User
from tablewright_systems.listbackup.design.vocabulary import normalised, normalised_email
from tablewright_systems.listbackup.service.accounts.limits import LIMITS

V1_KEY = "LISTBACKUP_V1_KEY"
"""The environment variable with V1's key, in base64."""
_PREFIX, _NONCE = "v1:", 12

Attributes = dict[str, Any]


def _normalised_user(item: Attributes) -> Attributes | None:
    if "displayEmail" in item:
        return None
    email, username = item["email"], item.get("username") or item["email"].partition("@")[0]
    return item | {
        "email": normalised_email(email),
        "username": normalised(username),
        "displayEmail": email.strip(),
        "displayUsername": username.strip(),
    }


def _user_as_typed(item: Attributes) -> Attributes | None:
    if "displayEmail" not in item:
        return None
    typed = {"email": item["displayEmail"], "username": item["displayUsername"]}
    return _without(item, "displayEmail", "displayUsername") | typed


def _typed_membership(item: Attributes) -> Attributes | None:
    if "entityType" in item:
        return None
    given = {"entityType": "USER_ACCOUNT", "schemaVersion": 1}
    return {"role": "member", "status": "active", **item, **given}


def _untyped_membership(item: Attributes) -> Attributes | None:
    if item.get("entityType") != "USER_ACCOUNT":
        return None
    return _without(item, "entityType", "schemaVersion")


def _placed_account(item: Attributes, view: migrations.View) -> Attributes | None:
    """Return an account with its path and level; its ancestors come first, one level with each pass."""
    if "accountPath" in item:
        return None
    parent_id = item.get("parentAccountId")
    parent = view.find(Account, account_id=parent_id) if parent_id else None
    if parent_id and parent is None:
        raise ValueError(f"its parent {parent_id} does not exist")
    if parent and "accountPath" not in parent:
        raise ValueError(f"its parent {parent_id} leads to no root, or is one of its descendants")
    level = parent["level"] + 1 if parent else 0
    if level >= len(AccountType):
        raise ValueError(f"it is {level} levels below its root, and no account type is so low")
    account_id, plan = item["accountId"], Plan(item.get("plan", Plan.FREE.value))
    usage = item.get("usage") or {}
    rest = {name: value for name, value in item.items() if name not in ("usage", "ownerId")}
    return rest | {
        "parentAccountId": parent_id,
        "accountPath": f"{parent['accountPath'] if parent else '/'}{account_id}/",
        "rootAccountId": parent["rootAccountId"] if parent else account_id,
        "accountType": list(AccountType)[level].value,
        "level": level,
        "plan": plan.value,
        "limits": item.get("limits") or LIMITS[plan].model_dump(by_alias=True),
        "createdBy": item.get("createdBy") or item["ownerId"],
        "sourcesUsed": usage.get("sources", 0),
        "usersUsed": usage.get("users", 0),
        "storageUsed": usage.get("storage", 0),
        "owners": usage.get("owners", 1),
        "children": usage.get("children", 0),
    }


def _account_without_place(item: Attributes) -> Attributes | None:
    """Return an account of V1: its owner, and its counts in `usage`; the hierarchy stays in `parentAccountId`."""
    if "accountPath" not in item:
        return None
    usage = {
        "sources": item.get("sourcesUsed", 0),
        "users": item.get("usersUsed", 0),
        "storage": item.get("storageUsed", 0),
        "owners": item.get("owners", 1),
        "children": item.get("children", 0),
    }
    placed = ("accountPath", "rootAccountId", "accountType", "level", "createdBy")
    counted = ("sourcesUsed", "usersUsed", "storageUsed", "owners", "children")
    return _without(item, *placed, *counted) | {"ownerId": item["createdBy"], "usage": usage}


def _encrypted_source(item: Attributes, view: migrations.View) -> Attributes | None:
    """Return a source whose secret is decrypted with V1's key; it is stored encrypted with its account's key."""
    if "secret" not in item:
        return None
    account = view.find(Account, account_id=item["accountId"])
    if account is None:
        raise ValueError(f"its account {item['accountId']} does not exist")
    opened = decrypt_v1(item["secret"], item["sourceId"])
    rest = {name: value for name, value in item.items() if name != "secret"}
    kind = item.get("connectionType", "apikey")
    return {
        "createdBy": account.get("createdBy") or account.get("ownerId"),
        "status": "paused",
        **rest,
        "connectionType": kind,
        "credentials": {"type": kind, "encryptedData": opened},
    }


def _source_of_v1(item: Attributes) -> Attributes | None:
    """Return a source whose secret is encrypted with V1's key; the credentials are decrypted for the migration."""
    if "credentials" not in item:
        return None
    secret = encrypt_v1(item["credentials"]["encryptedData"], item["sourceId"])
    return _without(item, "credentials") | {"secret": secret}


def _kept_activity(item: Attributes, view: migrations.View) -> Attributes | migrations.Removal | None:
    """Return an activity with its expiry, computed from the time of the event; None if it has expired."""
    if "at" not in item:
        return None
    at = datetime.fromisoformat(item["at"])
    if at.tzinfo is None:
        raise ValueError(f"at: {item['at']} has no time zone")
    if at + RETENTION <= view.now:
        return migrations.DELETE
    timestamp = at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    rest = {name: value for name, value in item.items() if name != "at"}
    return rest | {
        "timestamp#eventId": f"{timestamp}#{item['eventId']}",
        "timestamp": int(at.timestamp()),
        "createdAt": timestamp,
        "expiresAt": int(at.timestamp()) + int(RETENTION.total_seconds()),
    }


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


USERS = migrations.Migration("v2-1-users-normalised", User, _normalised_user, _user_as_typed)
MEMBERSHIPS = migrations.Migration(
    "v2-2-memberships-typed", users_accounts, _typed_membership, _untyped_membership
)
ACCOUNTS = migrations.Migration(
    "v2-3-accounts-in-a-hierarchy", Account, _placed_account, _account_without_place
)
SOURCES = migrations.Migration("v2-4-credentials-resealed", Source, _encrypted_source, _source_of_v1)
ACTIVITIES = migrations.Migration("v2-5-activities-by-age", Activity, _kept_activity, _activity_of_v1)
