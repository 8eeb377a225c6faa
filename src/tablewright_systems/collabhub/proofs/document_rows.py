"""Rows exactly as the document prints them: no lock, no item and no attribute that this design adds."""

from typing import Any

from tablewright import Repository
from tablewright_systems.collabhub import design

CREATED = "2025-08-01T10:00:00Z"
ENDS = "2025-09-01T10:00:00Z"
MESSAGE_ID = "01K1JH5Z8056ZYKZ3G9GT2NGG2"


def put_rows(db: Repository, prefix: str) -> None:
    """Put one row of each type as another program does; all ids begin with the prefix."""
    table = db.context.table_name(design.User.layout.table)
    for row in document_rows(prefix):
        item = {name: _attribute(value) for name, value in row.items()}
        db.connection.call("PutItem", {"TableName": table, "Item": item})


def document_rows(prefix: str) -> list[dict[str, Any]]:
    """Return a founder with a startup, a talent who applied, an investor with access, and their messages."""
    ada, bob, ivy, ids = f"{prefix}-ada", f"{prefix}-bob", f"{prefix}-ivy", f"{prefix}-1"
    return [
        _user(ada, "FOUNDER"),
        _user(bob, "TALENT") | {"skills": ["python"]},
        _user(ivy, "INVESTOR")
        | {
            "stripeCustomerId": f"cus-{ivy}",
            "subscriptionStatus": "ACTIVE",
            "subscriptionTier": "PRO",
        },
        _row("STARTUP", f"STARTUP#{ids}", "METADATA")  # 56-84
        | {
            "startupId": ids,
            "founderId": ada,
            "name": "Engines",
            "tagline": "Sums by steam",
            "description": "We compute.",
            "industry": "Machines",
            "stage": "MVP",
            "fundingGoal": 1000,
            "pitchDeckUrl": "https://example.org/deck.pdf",
            "visibility": "PUBLIC",
            "status": "ACTIVE",
            "teamSize": 1,
            "location": "London",
            "tags": [],
            **_keys(GSI1=(f"FOUNDER#{ada}", f"STARTUP#{ids}")),
            **_keys(GSI2=("VISIBILITY#PUBLIC#STATUS#ACTIVE", f"STARTUP#{ids}")),
        },
        _row("STARTUP_ROLE", f"STARTUP#{ids}", f"ROLE#{ids}")  # 89-108
        | {
            "roleId": ids,
            "startupId": ids,
            "title": "Engineer",
            "description": "Punch cards.",
            "type": "FULL_TIME",
            "skills": ["python"],
            "isOpen": True,
            "applicantCount": 1,
            **_keys(GSI1=("OPEN_ROLES", f"{CREATED}#{ids}")),
        },
        _row("APPLICATION", f"APPLICATION#{ids}", "METADATA")  # 113-132
        | {
            "applicationId": ids,
            "startupId": ids,
            "roleId": ids,
            "applicantId": bob,
            "coverLetter": "I can count.",
            "status": "PENDING",
            **_keys(GSI1=(f"APPLICANT#{bob}", f"APPLICATION#{ids}")),
            **_keys(GSI2=(f"STARTUP#{ids}#ROLE#{ids}", f"STATUS#PENDING#{CREATED}")),
        },
        _row("ACCESS_REQUEST", f"ACCESS#{ids}", "METADATA")  # 137-157
        | {
            "accessId": ids,
            "requesterId": ivy,
            "startupId": ids,
            "founderId": ada,
            "status": "APPROVED",
            "accessLevel": "VIEW_DECK",
            "grantedAt": CREATED,
            "expiresAt": ENDS,
            **_keys(GSI1=(f"REQUESTER#{ivy}", f"ACCESS#{ids}")),
            **_keys(GSI2=(f"STARTUP#{ids}", f"STATUS#APPROVED#{CREATED}")),
        },
        _row("CONVERSATION", f"CONVERSATION#{ids}", "METADATA")  # 162-178
        | {
            "conversationId": ids,
            "participants": [ada, bob],
            "type": "DIRECT",
            "lastMessageAt": CREATED,
            "lastMessagePreview": "Hello",
            **_keys(GSI1=(f"PARTICIPANT#{ada}", f"CONVERSATION#{CREATED}#{ids}")),
        },
        _row("MESSAGE", f"CONVERSATION#{ids}", f"MESSAGE#{MESSAGE_ID}")  # 183-195
        | {
            "messageId": MESSAGE_ID,
            "conversationId": ids,
            "senderId": ada,
            "content": "Hello",
            "type": "TEXT",
            "readBy": [],
        },
        _row("SUBSCRIPTION", f"USER#{ivy}", "SUBSCRIPTION")  # 202-222
        | {
            "userId": ivy,
            "stripeCustomerId": f"cus-{ivy}",
            "stripeSubscriptionId": f"sub-{ivy}",
            "stripePriceId": "price-pro",
            "tier": "PRO",
            "status": "ACTIVE",
            "currentPeriodStart": CREATED,
            "currentPeriodEnd": ENDS,
            "cancelAtPeriodEnd": True,
            **_keys(GSI1=(f"STRIPE_CUSTOMER#cus-{ivy}", "SUBSCRIPTION")),
            **_keys(GSI2=("SUBSCRIPTION_STATUS#ACTIVE", f"USER#{ivy}")),
        },
        _row("AUDIT_LOG", f"AUDIT#{CREATED[:10]}", f"{CREATED}#{ids}")  # 227-243
        | {
            "auditId": ids,
            "userId": ada,
            "action": "USER_LOGIN",
            "resourceType": "USER",
            "resourceId": ada,
            "ipAddress": "192.0.2.1",
            "userAgent": "Browser/1",
            "metadata": {"attempt": 1},
            **_keys(GSI1=(f"USER#{ada}", f"AUDIT#{CREATED}")),
        },
        _row("NOTIFICATION", f"USER#{bob}", f"NOTIFICATION#{ids}")  # 248-261
        | {
            "notificationId": ids,
            "userId": bob,
            "type": "SYSTEM",
            "title": "Welcome",
            "body": "Hello.",
            "isRead": False,
        },
    ]


def _user(user_id: str, role: str) -> dict[str, Any]:
    return _row("USER", f"USER#{user_id}", "PROFILE") | {  # 26-51
        "userId": user_id,
        "email": f"{user_id}@Example.org",
        "role": role,
        "firstName": "Ada",
        "lastName": "Byron",
        "status": "ACTIVE",
        "subscriptionStatus": "NONE",
        "subscriptionTier": "FREE",
        **_keys(GSI1=(f"ROLE#{role}", f"USER#{user_id}"), GSI2=("STATUS#ACTIVE", f"USER#{user_id}")),
    }


def _row(kind: str, partition: str, sort: str) -> dict[str, Any]:
    row = {"PK": partition, "SK": sort, "entityType": kind, "createdAt": CREATED}
    return row if kind in ("MESSAGE", "AUDIT_LOG", "NOTIFICATION") else row | {"updatedAt": CREATED}


def _keys(**indexes: tuple[str, str]) -> dict[str, str]:
    return {
        f"{name}{part}": value
        for name, key in indexes.items()
        for part, value in zip(("PK", "SK"), key, strict=True)
    }


def _attribute(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case list():
            return {"L": [_attribute(each) for each in value]}
        case dict():
            return {"M": {name: _attribute(each) for name, each in value.items()}}
        case _:
            return {"S": value}
