"""Alerts: the notifications that events cause. Each function returns the writes for the event's transaction.

A notification to one user is created in that transaction. For all owners and admins of an account, the transaction
writes an announcement, from which a background job creates the notifications.
"""

from collections.abc import Iterator
from hashlib import sha256

from tablewright import Repository, writes
from tablewright_systems.listbackup.design.accounts import Account
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    Invitation,
    MembershipStatus,
    UserAccount,
    UsersOfAccount,
)
from tablewright_systems.listbackup.design.notifications import (
    MAX_SUBJECT,
    Announcement,
    Announcements,
    Category,
    Channel,
    Notification,
    NotificationData,
)
from tablewright_systems.listbackup.design.users import User, UserById
from tablewright_systems.listbackup.design.vocabulary import Priority, ResourceType
from tablewright_systems.listbackup.service.access import Access
from tablewright_systems.listbackup.service.notifications import (
    notification_writes,
    notify_user,
)
from tablewright_systems.service import Batch, Outbox

MANAGERS = [AccountRole.OWNER, AccountRole.ADMIN]
RECIPIENTS_IN_BATCH = 25
_DELIVERED = "delivered"


def source_failed(account_id: str, source_id: str, source_name: str, reason: str) -> list[writes.Write]:
    """Notify the owners and admins that a source cannot be synced or has lost its connection."""
    return _announce(
        account_id,
        Category.SOURCE,
        Priority.HIGH,
        f"{source_name} cannot be backed up",
        f"The source {source_name} failed: {reason[:500]}",
        (ResourceType.SOURCE, source_id),
    )


def billing_changed(account: Account, text: str) -> list[writes.Write]:
    """Notify the owners and admins of a change of the plan or of the billing information."""
    subject = f"Billing of {account.account_name} was changed"
    about = (ResourceType.ACCOUNT, account.account_id)
    return _announce(account.account_id, Category.BILLING, Priority.MEDIUM, subject, text, about)


def storage_low(account: Account) -> list[writes.Write]:
    """Notify the owners and admins that the storage of the plan is almost used up."""
    return _announce(
        account.account_id,
        Category.BILLING,
        Priority.HIGH,
        f"{account.account_name} has almost no storage left",
        f"More than nine tenths of the storage of the {account.plan.value} plan are in use.",
        (ResourceType.ACCOUNT, account.account_id),
    )


def invited(db: Repository, access: Access, invitation: UserAccount | Invitation) -> list[writes.Write]:
    """Notify the invited user; a person who has not signed up gets an e-mail at the invited address."""
    account = access.account
    subject = f"You are invited to {account.account_name}"
    text = f"{access.user.name} invites you to join {account.account_name} as {invitation.role.value}."
    if isinstance(invitation, UserAccount):
        return _notify(db, invitation.user_id, account, Category.SYSTEM, subject, text)
    return [
        writes.Create(
            Notification(
                user_id=f"invited-{sha256(invitation.email.encode()).hexdigest()[:32]}",
                account_id=account.account_id,
                address=invitation.email,
                type=Channel.EMAIL,
                category=Category.SYSTEM,
                subject=subject[:MAX_SUBJECT],
                message=text,
                data=NotificationData(resource_type=ResourceType.ACCOUNT, resource_id=account.account_id),
                next_try_at=db.now(),
            )
        )
    ]


def membership_changed(db: Repository, account: Account, after: UserAccount) -> list[writes.Write]:
    """Notify a member of a new role, or of being suspended or reinstated."""
    if after.status is MembershipStatus.PENDING:
        return []
    is_suspended = after.status is MembershipStatus.SUSPENDED
    text = f"Your membership is {after.status.value}, with the role {after.role.value}."
    subject = f"Your access to {account.account_name} was {'suspended' if is_suspended else 'changed'}"
    return _notify(db, after.user_id, account, Category.SECURITY, subject, text)


def user_changed(db: Repository, before: User, after: User) -> list[writes.Write]:
    """Notify a user of changes that matter for security: address, second factor, role and status."""
    texts = {
        "email": "The e-mail address was changed.",
        "mfa_enabled": f"The second factor was {'activated' if after.mfa_enabled else 'deactivated'}.",
        "role": f"The role is now {after.role.value}.",
        "status": f"The user is now {after.status.value}.",
    }
    changed = [text for field, text in texts.items() if getattr(before, field) != getattr(after, field)]
    return security_notice(db, before, " ".join(changed)) if changed else []


def session_revoked(db: Repository, user_id: str) -> list[writes.Write]:
    """Notify a user that a refresh token was used twice, and so was probably stolen."""
    user = db.run(UserById(user_id=user_id))
    text = "A refresh token of one of your sessions was used twice. The session was ended. Sign in again."
    return security_notice(db, user, text) if user else []


def security_notice(db: Repository, user: User, text: str) -> list[writes.Write]:
    """Notify a user that the security of the user's access changed; this cannot be muted.

    It is about no account: owners and admins, who list the notifications of their account, do not see it.
    """
    return notify_user(
        db,
        user,
        None,
        category=Category.SECURITY,
        priority=Priority.HIGH,
        subject="The security of your user has changed",
        message=text,
        resource_type=ResourceType.USER,
        resource_id=user.user_id,
    )


def _notify(
    db: Repository, user_id: str, account: Account, category: Category, subject: str, text: str
) -> list[writes.Write]:
    """Notify a user of something that concerns an account."""
    user = db.run(UserById(user_id=user_id))
    if user is None:
        return []
    return notify_user(
        db,
        user,
        account.account_id,
        category=category,
        priority=Priority.MEDIUM,
        subject=subject,
        message=text,
        resource_type=ResourceType.ACCOUNT,
        resource_id=account.account_id,
    )


def _announce(
    account_id: str,
    category: Category,
    priority: Priority,
    subject: str,
    text: str,
    about: tuple[ResourceType, str],
) -> list[writes.Write]:
    kind, resource_id = about
    return [
        writes.Create(
            Announcement(
                account_id=account_id,
                roles=MANAGERS,
                category=category,
                priority=priority,
                subject=subject[:MAX_SUBJECT],
                message=text,
                resource_type=kind,
                resource_id=resource_id,
            )
        )
    ]


def _deliver(db: Repository, announcement: Announcement) -> Iterator[Batch]:
    """Create the notifications of an announcement, for some recipients at a time."""
    position = announcement.position
    members = UsersOfAccount(account_id=announcement.account_id)
    while position != _DELIVERED:
        page = db.run(members, limit=RECIPIENTS_IN_BATCH, cursor=position)
        position = page.cursor or _DELIVERED
        actions = [
            write
            for member in page
            if member.role in announcement.roles
            for write in notification_writes(
                db,
                member.user_id,
                announcement.account_id,
                category=announcement.category,
                priority=announcement.priority,
                subject=announcement.subject,
                message=announcement.message,
                resource_type=announcement.resource_type,
                resource_id=announcement.resource_id,
            )
        ]
        yield Batch(actions, position)


ANNOUNCEMENTS = Outbox(Announcements(), _deliver)
"""Creates the notifications of announcements; run by a background job."""
