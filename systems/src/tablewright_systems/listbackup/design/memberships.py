"""Memberships of users in accounts (F3), and invitations to people who have not signed up yet.

An invitation is stored in the same table under the e-mail address, because there is no userId. Its accountId has a
suffix, so that lists of an account's users do not contain it.
"""

from enum import Enum
from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Entity, Get, Index, Keys, Query, Sparse, Table, fields
from tablewright_systems.listbackup.design.vocabulary import AWS_MANAGED_KEY, Email, Id, Part, Right

users_accounts = Table(
    "${AWS::StackName}-users-accounts",
    key=("userId", "accountId"),
    encryption_key=AWS_MANAGED_KEY,
    indexes=[
        Index("accountId-userId-index", "accountId", "userId"),
        Index("openInvitations-index", "openInvitations", "expiresAt#invitation"),
    ],
    discriminator="entityType",
)


class AccountRole(Enum):
    """The role of a user in an account."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    READONLY = "readonly"


class MembershipStatus(Enum):
    """The state of a membership: invited, active or suspended."""

    ACTIVE = "active"
    PENDING = "pending"
    SUSPENDED = "suspended"


class Permissions(Part):
    """The rights of a user in an account, by kind of resource."""

    sources: list[Right] = Field(default_factory=list, max_length=5)
    users: list[Right] = Field(default_factory=list, max_length=5)
    billing: list[Right] = Field(default_factory=list, max_length=5)


_EXPIRES = {"TW205": "a job withdraws it, and frees its place", "TW401": "invitations are rare"}


class UserAccount(Entity, table=users_accounts, type="USER_ACCOUNT", schema_version=1):
    """A user's membership in an account."""

    user_id: Id
    account_id: Id
    role: AccountRole
    permissions: Permissions = Field(default_factory=Permissions)
    joined_at: fields.Timestamp | None = None
    invited_by: Id | None = None
    status: MembershipStatus = MembershipStatus.PENDING
    expires_at: fields.Timestamp | None = None
    """Until when a pending membership can be accepted."""

    keys = Keys(
        indexes={
            "openInvitations-index": Sparse(
                "memberships", "{expires_at}#{account_id}#{user_id}", when="expires_at"
            )
        }
    )
    suppress: ClassVar = {"TW107": "an id contains no #", **_EXPIRES}


class Invitation(Entity, table=users_accounts, type="INVITATION", schema_version=1):
    """An invitation to an account for the user of an e-mail address."""

    email: Email
    account_id: Annotated[Id, Field(alias="invitedTo")]
    role: AccountRole
    permissions: Permissions = Field(default_factory=Permissions)
    invited_by: Id
    invited_at: fields.Timestamp = fields.now()
    expires_at: fields.Timestamp | None = None

    keys = Keys(
        primary=("INVITE#{email}", "{account_id}#invitations"),
        indexes={
            "openInvitations-index": Sparse(
                "invitations", "{expires_at}#{account_id}#{email}", when="expires_at"
            )
        },
    )
    suppress: ClassVar = _EXPIRES


class AccountsOfUser(Query[UserAccount]):
    """Get the accounts of a user."""

    user_id: str
    consistent = True


class Membership(Get[UserAccount]):
    """Get a user's membership in an account."""

    user_id: str
    account_id: str
    consistent = True


class UsersOfAccount(Query[UserAccount]):
    """Get the users of an account."""

    account_id: str
    index = "accountId-userId-index"


class InvitationTo(Get[Invitation]):
    """Get the invitation of an e-mail address to an account."""

    email: Email
    account_id: str
    consistent = True


class InvitationsByEmail(Query[Invitation]):
    """Get the invitations of an e-mail address."""

    email: Email
    consistent = True


class InvitationsOfAccount(Query[Invitation]):
    """Get the open invitations of an account, by e-mail address."""

    account_id: str
    key = "accountId = {account_id}#invitations"
    index = "accountId-userId-index"


class ExpiredMemberships(Query[UserAccount]):
    """Get the pending memberships of all accounts that can no longer be accepted, the oldest first."""

    now: fields.Timestamp
    key = "openInvitations = memberships AND expiresAt#invitation < {now}#~"


class ExpiredInvitations(Query[Invitation]):
    """Get the invitations of all accounts that can no longer be accepted, the oldest first."""

    now: fields.Timestamp
    key = "openInvitations = invitations AND expiresAt#invitation < {now}#~"


ENTITIES = (UserAccount, Invitation)
PATTERNS = (
    ExpiredMemberships,
    ExpiredInvitations,
    AccountsOfUser,
    Membership,
    UsersOfAccount,
    InvitationTo,
    InvitationsByEmail,
    InvitationsOfAccount,
)
