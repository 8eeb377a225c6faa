"""Users (003:31-43): the profile, the locks on its e-mail address and nickname, credential and tokens."""

import re
from datetime import date
from enum import Enum
from typing import Annotated

from pydantic import AfterValidator, Field

from tablewright import Entity, Find, Get, Keys, fields
from tablewright_systems.goalsguild.design.tables import Id, Tags, Title, Ttl, core


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
    """What a token is good for."""

    SIGN_IN = "sign_in"
    RESET_PASSWORD = "reset_password"


def _address(given: str) -> str:
    address = given.strip()
    if not re.fullmatch(r"[^@\s]{1,64}@[^@\s]+\.[^@\s]+", address) or len(address) > 254:
        raise ValueError("this is no e-mail address")
    return address


def _nickname(given: str) -> str:
    nickname = given.strip()
    if not re.fullmatch(r"[\w.-]{2,30}", fields.fold(nickname)):
        raise ValueError("a nickname is 2 to 30 letters, digits, dots, hyphens and underscores")
    return nickname


Email = Annotated[str, AfterValidator(_address)]
Nickname = Annotated[str, AfterValidator(_nickname)]
Folded = Annotated[str, AfterValidator(fields.fold)]


class User(Entity, table=core, type="User"):
    """A profile. It shows e-mail address and nickname as they were typed; keys have them folded (T5)."""

    id: Id
    nickname: Nickname
    email: Email
    full_name: Title
    birth_date: date | None = None
    status: UserStatus = UserStatus.ACTIVE
    country: str | None = Field(None, max_length=60)
    language: str | None = Field(None, max_length=35)
    gender: str | None = Field(None, max_length=40)
    pronouns: str | None = Field(None, max_length=40)
    bio: str | None = Field(None, max_length=2_000)
    tags: Tags = Field(default_factory=list)
    tier: Tier = Tier.FREE
    created_at: fields.Timestamp = fields.now()
    updated_at: fields.Timestamp = fields.touched()

    keys = Keys(
        primary=("USER#{id}", "PROFILE#{id}"),
        GSI1=("USER#{id}", "ENTITY#User#{created_at}#{id}"),
        GSI2=("NICK#{nickname:fold}", "PROFILE#{id}"),
        GSI3=("EMAIL#{email:fold}", "PROFILE#{id}"),
    )


class EmailUnique(Entity, table=core, type="EmailUnique"):
    """That an address belongs to somebody (003:40-43); written and removed with the profile, never alone."""

    email: Folded
    user_id: Id
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("EMAIL#{email:fold}", "UNIQUE#USER"))


class NickUnique(Entity, table=core, type="NickUnique"):
    """The same for a nickname, which the document calls unique and guards by nothing (T3)."""

    nickname: Folded
    user_id: Id
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("NICK#{nickname:fold}", "UNIQUE#USER"))


class Credential(Entity, table=core, type="Credential"):
    """What a password is recognised by."""

    user_id: Id
    scrypt: str
    updated_at: fields.Timestamp = fields.touched()

    keys = Keys(primary=("USER#{user_id}", "CREDENTIAL"))


class Token(Entity, table=core, type="Token"):
    """A text that works once, for a while (003:93). The store knows its digest only."""

    digest: str
    user_id: Id
    purpose: Purpose
    password: str | None = None
    """The digest of what recognised the user's password when it was issued: with another one, it is void."""
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


class EmailOwner(Get[EmailUnique]):
    """Whose address it is, without the lag of an index."""

    email: str
    consistent = True


class NicknameOwner(Get[NickUnique]):
    """Whose nickname it is, without the lag of an index."""

    nickname: str
    consistent = True


class CredentialOf(Get[Credential]):
    """What somebody's password is recognised by."""

    user_id: str
    consistent = True


class TokenByDigest(Get[Token]):
    """A token, unless it is used up or has expired."""

    digest: str
    consistent = True
