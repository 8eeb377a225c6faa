"""From V1 to V2, in place (001:664-668).

The document does not say what V1 looks like, so it is assumed here: V1's items are brought into the tables of V2 as
they are, under the same ids, and differ from those of V2 as follows.

    users            e-mail address and username as they were typed; no displayEmail and displayUsername; no locks
    users-accounts   no entityType
    accounts         ownerId; parentAccountId or none; no path, level and type; counts in `usage`
    sources          `secret`, sealed with V1's one key (see `open_v1`), in the place of credentials
    activities       `at`, an ISO time; sorted by `<epoch seconds>#<eventId>`; no expiry

Everything can be run again. Two users whose addresses are equal once they are normalised are reported, and neither
merged nor overwritten. Accounts without a way to a root are reported. Activities that would have expired are removed.
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
from tablewright_systems.listbackup.design.vocabulary import normalised
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
        "email": normalised(email),
        "username": normalised(username),
        "displayEmail": email.strip(),
        "displayUsername": username.strip(),
    }


def _typed_membership(item: Attributes) -> Attributes | None:
    if "entityType" in item:
        return None
    given = {"entityType": "USER_ACCOUNT", "schemaVersion": 1}
    return {"role": "member", "status": "active", **item, **given}


def _placed_account(item: Attributes, view: migrations.View) -> Attributes | None:
    """An account at its place in the hierarchy; those above it come first, one level with each pass."""
    if "accountPath" in item:
        return None
    parent_id = item.get("parentAccountId")
    parent = view.find(Account, account_id=parent_id) if parent_id else None
    if parent_id and parent is None:
        raise ValueError(f"its parent {parent_id} does not exist")
    if parent and "accountPath" not in parent:
        raise ValueError(f"its parent {parent_id} has no place itself, or is below it")
    level = parent["level"] + 1 if parent else 0
    if level >= len(AccountType):
        raise ValueError(f"it is {level} levels below its root, and there is no type of account so deep")
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


def _resealed_source(item: Attributes, view: migrations.View) -> Attributes | None:
    """A source whose secret is opened with V1's key; what comes of it is sealed with the key of its account."""
    if "secret" not in item:
        return None
    account = view.find(Account, account_id=item["accountId"])
    if account is None:
        raise ValueError(f"its account {item['accountId']} does not exist")
    opened = open_v1(item["secret"], item["sourceId"])
    rest = {name: value for name, value in item.items() if name != "secret"}
    kind = item.get("connectionType", "apikey")
    return {
        "createdBy": account.get("createdBy") or account.get("ownerId"),
        "status": "paused",
        **rest,
        "connectionType": kind,
        "credentials": {"type": kind, "encryptedData": opened},
    }


def _kept_activity(item: Attributes, view: migrations.View) -> Attributes | migrations.Removal | None:
    """An activity with its expiry, reckoned from when it happened; one whose time is over goes."""
    if "at" not in item:
        return None
    at = datetime.fromisoformat(item["at"])
    if at.tzinfo is None:
        raise ValueError(f"at: {item['at']} names no time zone")
    if at + RETENTION <= view.now:
        return migrations.DELETE
    moment = at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    rest = {name: value for name, value in item.items() if name != "at"}
    return rest | {
        "timestamp#eventId": f"{moment}#{item['eventId']}",
        "timestamp": int(at.timestamp()),
        "createdAt": moment,
        "expiresAt": int(at.timestamp()) + int(RETENTION.total_seconds()),
    }


def seal_v1(text: str, source_id: str) -> str:
    """A secret as V1 kept it: AES-GCM under one key for everybody, bound to the id of its source."""
    nonce = os.urandom(_NONCE)
    sealed = nonce + AESGCM(_v1_key()).encrypt(nonce, text.encode(), source_id.encode())
    return _PREFIX + base64.b64encode(sealed).decode()


def open_v1(sealed: str, source_id: str) -> str:
    """A secret that V1 kept; the complaint about one that does not open does not tell it."""
    key = _v1_key()
    try:
        content = base64.b64decode(sealed.removeprefix(_PREFIX), validate=True)
        opened = AESGCM(key).decrypt(content[:_NONCE], content[_NONCE:], source_id.encode())
        return opened.decode()
    except (InvalidTag, binascii.Error, ValueError):
        raise ValueError("its secret does not open with V1's key") from None


def _v1_key() -> bytes:
    try:
        key = base64.b64decode(os.environ.get(V1_KEY, ""), validate=True)
        AESGCM(key)
    except (binascii.Error, ValueError):
        raise errors.UsageError(f"set {V1_KEY} to the key that V1 sealed secrets with, in base64") from None
    return key


USERS = migrations.Migration("v2-1-users-normalised", User, up=_normalised_user)
MEMBERSHIPS = migrations.Migration("v2-2-memberships-typed", users_accounts, up=_typed_membership)
ACCOUNTS = migrations.Migration("v2-3-accounts-in-a-hierarchy", Account, up=_placed_account)
SOURCES = migrations.Migration("v2-4-credentials-resealed", Source, up=_resealed_source)
ACTIVITIES = migrations.Migration("v2-5-activities-by-age", Activity, up=_kept_activity)
