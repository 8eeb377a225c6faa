"""Users (003:31-43): the profile with the locks of its e-mail address and nickname, credential and tokens.

The locks are items of the document: EmailUnique (003:40-43), and NickUnique beside it, as the document calls nicknames
unique without enforcing it (T3).
"""

import re
from datetime import date
from enum import Enum
from typing import Annotated

from pydantic import AfterValidator, Field

from tablewright import Entity, Find, Get, Keys, fields
from tablewright_systems.goalsguild.design.tables import Id, Tags, Title, Ttl, core
from tablewright_systems.service.timestamped import Timestamped


class UserStatus(Enum):
    """The document gives no values (T27)."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    DELETING = "deleting"


class Tier(Enum):
    """003:38."""

    FREE = "free"
    PRO = "pro"


class Purpose(Enum):
    """Purpose of a token."""

    SIGN_IN = "sign_in"
    RESET_PASSWORD = "reset_password"


def _address(given: str) -> str:
    address = given.strip()
    if not re.fullmatch(r"[^@\s]{1,64}@[^@\s]+\.[^@\s]+", address) or len(address) > 254:
        raise ValueError("not a valid e-mail address")
    return address


def _nickname(given: str) -> str:
    nickname = given.strip()
    if not re.fullmatch(r"[\w.-]{2,30}", fields.fold(nickname)):
        raise ValueError("a nickname has 2 to 30 letters, digits, dots, hyphens and underscores")
    return nickname


Email = Annotated[str, AfterValidator(_address)]
Nickname = Annotated[str, AfterValidator(_nickname)]


class User(Timestamped, table=core, type="User"):
    """Profile of a user, with e-mail address and nickname as typed; keys contain them folded (T5)."""

    id: Id
    nickname: Annotated[
        Nickname,
        fields.Unique(
            key=("NICK#{nickname:fold}", "UNIQUE#USER"),
            type="NickUnique",
            attributes={"nickname": "{nickname:fold}", "userId": "{id}", "createdAt": "{created_at}"},
        ),
    ]
    email: Annotated[
        Email,
        fields.Unique(
            key=("EMAIL#{email:fold}", "UNIQUE#USER"),
            type="EmailUnique",
            attributes={"email": "{email:fold}", "userId": "{id}", "createdAt": "{created_at}"},
        ),
    ]
    full_name: Title
    birth_date: date | None = None
    status: UserStatus = UserStatus.ACTIVE
    country: str | None = Field(default=None, max_length=60)
    language: str | None = Field(default=None, max_length=35)
    gender: str | None = Field(default=None, max_length=40)
    pronouns: str | None = Field(default=None, max_length=40)
    bio: str | None = Field(default=None, max_length=2_000)
    tags: Tags = Field(default_factory=list)
    tier: Tier = Tier.FREE

    keys = Keys(
        primary=("USER#{id}", "PROFILE#{id}"),
        GSI1=("USER#{id}", "ENTITY#User#{created_at}#{id}"),
        GSI2=("NICK#{nickname:fold}", "PROFILE#{id}"),
        GSI3=("EMAIL#{email:fold}", "PROFILE#{id}"),
    )


class Credential(Entity, table=core, type="Credential"):
    """Password hash of a user."""

    user_id: Id
    scrypt: str
    updated_at: fields.Timestamp = fields.touched()

    keys = Keys(primary=("USER#{user_id}", "CREDENTIAL"))


class Token(Entity, table=core, type="Token"):
    """A token for single use, with an expiry (003:93). Only its digest is stored."""

    digest: str
    user_id: Id
    purpose: Purpose
    password: str | None = None
    """Digest of the password hash when the token was issued; a new password invalidates the token."""
    created_at: fields.Timestamp = fields.now()
    ttl: Ttl

    keys = Keys(primary=("TOKEN#{digest}", "TOKEN#{digest}"))


class ProfileById(Get[User]):
    """Get profile by `userId`."""

    user_id: str
    key = "PK = USER#{user_id} AND SK = PROFILE#{user_id}"
    consistent = True


class ProfileByEmail(Find[User]):
    """Get profile by `email`."""

    email: str
    key = "GSI3PK = EMAIL#{email:fold} AND begins_with(GSI3SK, 'PROFILE#')"


class ProfileByNickname(Find[User]):
    """Get profile by `nickname`."""

    nickname: str
    key = "GSI2PK = NICK#{nickname:fold} AND begins_with(GSI2SK, 'PROFILE#')"


class EmailOwner(Get[User]):
    """Get the owner of an e-mail address by its lock, without the lag of an index."""

    email: str
    key = "PK = EMAIL#{email:fold} AND SK = UNIQUE#USER"
    consistent = True


class NicknameOwner(Get[User]):
    """Get the owner of a nickname by its lock, without the lag of an index."""

    nickname: str
    key = "PK = NICK#{nickname:fold} AND SK = UNIQUE#USER"
    consistent = True


class CredentialOf(Get[Credential]):
    """Get the password hash of a user."""

    user_id: str
    consistent = True


class TokenByDigest(Get[Token]):
    """Get a token that is neither used nor expired."""

    digest: str
    consistent = True
