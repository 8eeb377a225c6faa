"""Users (F1). E-mail address and username are stored normalised for comparison, and also as they were given."""

from enum import Enum
from typing import Annotated

from pydantic import Field

from tablewright import Find, Get, Index, Table, fields
from tablewright_systems.listbackup.design.vocabulary import (
    AWS_MANAGED_KEY,
    NOT_SHOWN,
    Document,
    Email,
    Id,
    Part,
    Username,
    new_uuid,
)
from tablewright_systems.service import Timestamped

users = Table(
    "${AWS::StackName}-users",
    key="userId",
    encryption_key=AWS_MANAGED_KEY,
    indexes=[Index("email-index", "email"), Index("username-index", "username")],
)


class UserStatus(Enum):
    """Whether a user may act."""

    ACTIVE = "active"
    INACTIVE = "inactive"
    SUSPENDED = "suspended"


class UserRole(Enum):
    """The most that a user may do in any account; the role in the account decides the rest."""

    ADMIN = "admin"
    USER = "user"
    READONLY = "readonly"


class Preferences(Part):
    """The preferences of a user."""

    timezone: str = "UTC"
    notifications: Document = Field(default_factory=dict)


class User(Timestamped, table=users, schema_version=1):
    """A user who has signed up."""

    user_id: Id = new_uuid()
    email: Annotated[Email, fields.Unique()]
    username: Annotated[Username, fields.Unique()]
    display_email: str
    display_username: str
    name: Annotated[str, Field(min_length=1, max_length=200)]
    account_id: Id | None = None
    """The primary account: always one that the user is an active member of; None if there is none."""
    status: UserStatus = UserStatus.ACTIVE
    role: UserRole = UserRole.USER
    preferences: Preferences = Field(default_factory=Preferences)
    last_login_at: fields.Timestamp | None = None
    sessions_valid_after: Annotated[fields.Timestamp | None, NOT_SHOWN] = None
    """Sessions that started until then are invalid, whatever their tokens contain."""
    mfa_enabled: bool = False
    mfa_secret: Annotated[str | None, fields.Encrypted(context=("user_id",)), NOT_SHOWN] = None
    mfa_tries: Annotated[int | None, NOT_SHOWN] = None
    """How many codes were tried since the last valid one; None if none was."""
    mfa_tried_at: Annotated[fields.Timestamp | None, NOT_SHOWN] = None
    mfa_last_step: Annotated[int | None, NOT_SHOWN] = None
    """The 30-second step of the last code that was accepted; only codes of later steps are accepted."""


class UserById(Get[User]):
    """Get user by ID."""

    user_id: str
    consistent = True


class UserByEmail(Find[User]):
    """Get user by email."""

    email: Email
    index = "email-index"


class UserByUsername(Find[User]):
    """Get user by username."""

    username: Username
    index = "username-index"


ENTITIES = (User,)
PATTERNS = (UserById, UserByEmail, UserByUsername)
