"""Rows of V1, with exactly the attributes that the document prints, for the proof of the migration and its tests."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tablewright import Repository
from tablewright_systems.listbackup.migrations import encrypt_v1
from tablewright_systems.verification import put_row

Rows = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class _Names:
    """The ids and times of the rows."""

    suffix: str
    at: str
    seconds: int

    def __getattr__(self, name: str) -> str:
        """Return the id of a user, an account or another resource, such as `names.ada`."""
        return f"{name.replace('_', '-')}{self.suffix}"

    @property
    def dates(self) -> dict[str, str]:
        """The times of creation and of the last write."""
        return {"createdAt": self.at, "updatedAt": self.at}


def document_rows(now: datetime, suffix: str = "") -> Rows:
    """Return two users, an account with a child, a team, a source, an activity, a tag and a notification.

    `suffix` makes the ids unique.
    """
    created = now - timedelta(days=3)
    at = created.isoformat(timespec="seconds").replace("+00:00", "Z")
    names = _Names(suffix, at, int(created.timestamp()))
    return {
        "users": _users(names),
        "accounts": _accounts(names),
        "users-accounts": _memberships(names),
        "teams": _teams(names),
        "sources": _sources(names),
        "activities": _activities(names),
        "tags": _tags(names),
        "notifications": _notifications(names),
    }


def _users(names: _Names) -> list[dict[str, Any]]:
    user = {
        "status": "active",
        "role": "user",
        "preferences": {"timezone": "UTC", "notifications": {}},
        **names.dates,
        "lastLoginAt": names.at,
        "mfaEnabled": False,
    }
    return [
        {
            **user,
            "userId": names.ada,
            "email": f"Ada{names.suffix}@Example.org",
            "username": f"Ada{names.suffix}",
            "name": "Ada",
            "accountId": names.top,
        },
        {
            **user,
            "userId": names.bob,
            "email": f"bob{names.suffix}@example.org",
            "username": names.bob,
            "name": "Bob",
            "accountId": names.top,
            "role": "admin",
        },
    ]


def _accounts(names: _Names) -> list[dict[str, Any]]:
    limits = {"sources": 10, "users": 10, "storage": 1000}
    account = {
        "status": "active",
        "plan": "starter",
        "billingInfo": {"stripeCustomerId": "cus_1", "subscriptionId": "sub_1", "paymentMethod": "card"},
        "limits": limits,
        "metadata": {"industry": "retail", "size": "1-10", "customFields": {}},
        **names.dates,
        "createdBy": names.ada,
    }
    return [
        {
            **account,
            "accountId": names.child,
            "accountName": "Child",
            "parentAccountId": names.top,
            "accountPath": "/top/child/",
            "accountType": "division",
            "level": 1,
        },
        {
            **account,
            "accountId": names.top,
            "accountName": "Top",
            "accountPath": "/top/",
            "accountType": "conglomerate",
            "level": 0,
        },
    ]


def _memberships(names: _Names) -> list[dict[str, Any]]:
    return [
        {
            "userId": user_id,
            "accountId": names.top,
            "role": role,
            "permissions": {"sources": ["read"], "users": ["read"], "billing": []},
            "joinedAt": names.at,
            "invitedBy": names.ada,
            "status": "active",
        }
        for user_id, role in ((names.ada, "owner"), (names.bob, "member"))
    ]


def _teams(names: _Names) -> list[dict[str, Any]]:
    return [
        {
            "accountId": names.top,
            "teamId": names.team_1,
            "teamName": "Backups",
            "description": "",
            "members": [
                {"userId": names.ada, "role": "lead", "joinedAt": names.at},
                {"userId": names.bob, "role": "member", "joinedAt": names.at},
            ],
            "permissions": {"sources": ["read"], "reports": ["read"], "settings": []},
            **names.dates,
            "createdBy": names.ada,
        }
    ]


def _sources(names: _Names) -> list[dict[str, Any]]:
    return [
        {
            "accountId": names.top,
            "sourceId": names.source_1,
            "sourceName": "Our Stripe",
            "platform": "stripe",
            "connectionType": "apikey",
            "status": "active",
            "credentials": {"type": "apikey", "encryptedData": encrypt_v1("api-key-1", names.source_1)},
            "config": {"syncInterval": "daily", "dataTypes": ["contacts"], "filters": {}, "webhooks": {}},
            "syncStatus": {"state": "idle", "progress": 0, "message": ""},
            "metadata": {"accountInfo": {}, "limits": {}, "customFields": {}},
            **names.dates,
            "createdBy": names.ada,
        }
    ]


def _activities(names: _Names) -> list[dict[str, Any]]:
    return [
        {
            "accountId": names.top,
            "timestamp#eventId": f"{names.seconds}#event-1{names.suffix}",
            "eventId": f"event-1{names.suffix}",
            "userId": names.ada,
            "eventType": "source.created",
            "resourceType": "source",
            "resourceId": names.source_1,
            "action": "create",
            "details": {"after": {"sourceName": "Our Stripe"}},
            "ipAddress": "192.0.2.1",
            "userAgent": "browser/1",
            "timestamp": names.seconds,
            "createdAt": names.at,
        }
    ]


def _tags(names: _Names) -> list[dict[str, Any]]:
    return [
        {
            "accountId#resourceType": f"{names.top}#source",
            "tagKey#tagValue": "category#production",
            "tagId": names.tag_1,
            "tagKey": "category",
            "tagValue": "production",
            "resourceType": "source",
            "resources": [{"resourceId": names.source_1, "attachedAt": names.at, "attachedBy": names.ada}],
            "color": "#808080",
            "description": "",
            **names.dates,
            "createdBy": names.ada,
        }
    ]


def _notifications(names: _Names) -> list[dict[str, Any]]:
    return [
        {
            "userId": names.ada,
            "timestamp#notificationId": f"{names.seconds}#note-1{names.suffix}",
            "notificationId": f"note-1{names.suffix}",
            "accountId": names.top,
            "type": "in-app",
            "category": "system",
            "priority": "low",
            "subject": "News",
            "message": "Something happened.",
            "data": {"resourceType": "source", "resourceId": names.source_1},
            "status": "delivered",
            "createdAt": names.at,
            "expiresAt": names.seconds + 30 * 86_400,
        }
    ]


def store(db: Repository, rows: Rows) -> None:
    """Write rows into the tables of V2, unchanged."""
    tables = {table.name.rpartition("}-")[2]: table for table in db.design.tables}
    for name, items in rows.items():
        for item in items:
            put_row(db, tables[name], item)
