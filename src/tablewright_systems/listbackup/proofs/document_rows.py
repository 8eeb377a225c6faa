"""Rows of V1, with exactly the attributes that the document prints, for the proof of the migration and its tests."""

from datetime import datetime, timedelta
from typing import Any

from tablewright import Repository
from tablewright_systems.listbackup.migrations import encrypt_v1

Rows = dict[str, list[dict[str, Any]]]


def document_rows(now: datetime, suffix: str = "") -> Rows:
    """Return two users, an account with a child, a team, a source, an activity, a tag and a notification.

    `suffix` makes the ids unique.
    """
    at = (now - timedelta(days=3)).isoformat(timespec="seconds").replace("+00:00", "Z")
    seconds = int((now - timedelta(days=3)).timestamp())
    ada, bob, top, child, team, source, tag = (
        f"{name}{suffix}" for name in ("ada", "bob", "top", "child", "team-1", "source-1", "tag-1")
    )
    dates = {"createdAt": at, "updatedAt": at}
    limits = {"sources": 10, "users": 10, "storage": 1000}
    user = {
        "status": "active",
        "role": "user",
        "preferences": {"timezone": "UTC", "notifications": {}},
        **dates,
        "lastLoginAt": at,
        "mfaEnabled": False,
    }
    account = {
        "status": "active",
        "plan": "starter",
        "billingInfo": {"stripeCustomerId": "cus_1", "subscriptionId": "sub_1", "paymentMethod": "card"},
        "limits": limits,
        "metadata": {"industry": "retail", "size": "1-10", "customFields": {}},
        **dates,
        "createdBy": ada,
    }
    return {
        "users": [
            {
                **user,
                "userId": ada,
                "email": f"Ada{suffix}@Example.org",
                "username": f"Ada{suffix}",
                "name": "Ada",
                "accountId": top,
            },
            {
                **user,
                "userId": bob,
                "email": f"bob{suffix}@example.org",
                "username": bob,
                "name": "Bob",
                "accountId": top,
                "role": "admin",
            },
        ],
        "accounts": [
            {
                **account,
                "accountId": child,
                "accountName": "Child",
                "parentAccountId": top,
                "accountPath": "/top/child/",
                "accountType": "division",
                "level": 1,
            },
            {
                **account,
                "accountId": top,
                "accountName": "Top",
                "accountPath": "/top/",
                "accountType": "conglomerate",
                "level": 0,
            },
        ],
        "users-accounts": [
            {
                "userId": user_id,
                "accountId": top,
                "role": role,
                "permissions": {"sources": ["read"], "users": ["read"], "billing": []},
                "joinedAt": at,
                "invitedBy": ada,
                "status": "active",
            }
            for user_id, role in ((ada, "owner"), (bob, "member"))
        ],
        "teams": [
            {
                "accountId": top,
                "teamId": team,
                "teamName": "Backups",
                "description": "",
                "members": [
                    {"userId": ada, "role": "lead", "joinedAt": at},
                    {"userId": bob, "role": "member", "joinedAt": at},
                ],
                "permissions": {"sources": ["read"], "reports": ["read"], "settings": []},
                **dates,
                "createdBy": ada,
            }
        ],
        "sources": [
            {
                "accountId": top,
                "sourceId": source,
                "sourceName": "Our Stripe",
                "platform": "stripe",
                "connectionType": "apikey",
                "status": "active",
                "credentials": {"type": "apikey", "encryptedData": encrypt_v1("api-key-1", source)},
                "config": {"syncInterval": "daily", "dataTypes": ["contacts"], "filters": {}, "webhooks": {}},
                "syncStatus": {"state": "idle", "progress": 0, "message": ""},
                "metadata": {"accountInfo": {}, "limits": {}, "customFields": {}},
                **dates,
                "createdBy": ada,
            }
        ],
        "activities": [
            {
                "accountId": top,
                "timestamp#eventId": f"{seconds}#event-1{suffix}",
                "eventId": f"event-1{suffix}",
                "userId": ada,
                "eventType": "source.created",
                "resourceType": "source",
                "resourceId": source,
                "action": "create",
                "details": {"after": {"sourceName": "Our Stripe"}},
                "ipAddress": "192.0.2.1",
                "userAgent": "browser/1",
                "timestamp": seconds,
                "createdAt": at,
            }
        ],
        "tags": [
            {
                "accountId#resourceType": f"{top}#source",
                "tagKey#tagValue": "category#production",
                "tagId": tag,
                "tagKey": "category",
                "tagValue": "production",
                "resourceType": "source",
                "resources": [{"resourceId": source, "attachedAt": at, "attachedBy": ada}],
                "color": "#808080",
                "description": "",
                **dates,
                "createdBy": ada,
            }
        ],
        "notifications": [
            {
                "userId": ada,
                "timestamp#notificationId": f"{seconds}#note-1{suffix}",
                "notificationId": f"note-1{suffix}",
                "accountId": top,
                "type": "in-app",
                "category": "system",
                "priority": "low",
                "subject": "News",
                "message": "Something happened.",
                "data": {"resourceType": "source", "resourceId": source},
                "status": "delivered",
                "createdAt": at,
                "expiresAt": seconds + 30 * 86_400,
            }
        ],
    }


def store(db: Repository, rows: Rows) -> None:
    """Write rows into the tables of V2, unchanged."""
    names = {table.name.rpartition("}-")[2]: db.context.table_name(table) for table in db.design.tables}
    for table, items in rows.items():
        for item in items:
            db.connection.call("PutItem", {"TableName": names[table], "Item": _stored(item)["M"]})


def _stored(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case list():
            return {"L": [_stored(each) for each in value]}
        case _:
            return {"M": {name: _stored(each) for name, each in value.items()}}
