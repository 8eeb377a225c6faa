"""Users (F1): the profile with the locks of its e-mail address and nickname, credential and tokens.

The locks are items of the document: EmailUnique, and NickUnique beside it, as the document calls nicknames
unique without enforcing it (R3). Both are declared with `Unique`, so that every write maintains them, and `fsck` and
the migrations find profiles without them.

Attempts to log in, to reset a password, and to look up addresses (F12) are in a separate table. The document does not
give its schema (R23). An address is counted for each network: attempts from one network do not block the owner of the
address elsewhere.
"""

import re
from datetime import date, timedelta
from enum import Enum, StrEnum
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from tablewright import Entity, Find, Get, Keys, Query, fields
from tablewright_systems.goalsguild.design.tables import Id, StoredTags, Ttl, core, login_attempts
from tablewright_systems.service import Line, OutboxMessage, Timestamped, fold_email, require_email
from tablewright_systems.service.stored_values import AS_STORED


class UserStatus(StrEnum):
    """The document gives no values (R27). Items of other programs may have others, which count as active."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    DELETING = "deleting"


class Tier(Enum):
    """The tier of a user."""

    FREE = "free"
    PRO = "pro"


class Purpose(Enum):
    """Purpose of a token."""

    SIGN_IN = "sign_in"
    RESET_PASSWORD = "reset_password"


def _nickname(nickname: str) -> str:
    if not re.fullmatch(r"[\w.-]{2,30}", fields.fold(nickname)):
        raise ValueError("a nickname has 2 to 30 letters, digits, dots, hyphens and underscores")
    return nickname


def stored_email(address: str) -> str:
    """Return an e-mail address as a profile stores it: its local part as typed, its domain as DNS has it.

    So its identity is its lower case, which the keys contain. Raise ValueError for other addresses.

    >>> stored_email("Bob@Stra\N{LATIN SMALL LETTER SHARP S}e.DE")
    'Bob@xn--strae-oqa.de'
    """
    identity = fold_email(require_email(address))
    local, domain = address.strip().rpartition("@")[0], identity.rpartition("@")[2]
    if f"{local}@{domain}".lower() != identity:
        raise ValueError("not an e-mail address in plain letters")
    return f"{local}@{domain}"


Nickname = Annotated[Line, AfterValidator(_nickname), Field(examples=["nova"])]
"""Nickname that a client sends."""
AnyEmail = Annotated[str, AfterValidator(fold_email)]
"""E-mail address in a lookup, in any form."""


class User(Timestamped, table=core, type="User"):
    """Profile of a user; keys contain the nickname folded, and the e-mail address in lower case (R5)."""

    id: Id
    nickname: Annotated[
        str,
        fields.Unique(
            key=("NICK#{nickname:fold}", "UNIQUE#USER"),
            type="NickUnique",
            attributes={"nickname": "{nickname:fold}", "userId": "{id}", "createdAt": "{created_at}"},
        ),
    ]
    email: Annotated[
        str,
        fields.Unique(
            key=("EMAIL#{email:lower}", "UNIQUE#USER"),
            type="EmailUnique",
            attributes={"email": "{email:lower}", "userId": "{id}", "createdAt": "{created_at}"},
        ),
    ]
    full_name: str
    birth_date: Annotated[date | None, *AS_STORED] = None
    status: str = UserStatus.ACTIVE
    country: str | None = None
    language: str | None = None
    gender: str | None = None
    pronouns: str | None = None
    bio: str | None = None
    tags: StoredTags = Field(default_factory=list)
    tier: Annotated[Tier, *AS_STORED] = Tier.FREE

    keys = Keys(
        primary=("USER#{id}", "PROFILE#{id}"),
        GSI1=("USER#{id}", "ENTITY#User#{created_at}#{id}"),
        GSI2=("NICK#{nickname:fold}", "PROFILE#{id}"),
        GSI3=("EMAIL#{email:lower}", "PROFILE#{id}"),
    )


class Credential(Entity, table=core, type="Credential"):
    """Password hash of a user."""

    user_id: Id
    scrypt: str
    updated_at: fields.Timestamp = fields.touched()

    keys = Keys(primary=("USER#{user_id}", "CREDENTIAL"))


class Token(Entity, table=core, type="Token"):
    """A token for single use, with an expiry (F11). Only its digest is stored."""

    digest: str
    user_id: Id
    purpose: Purpose
    account: str
    """Digest of e-mail address, registration and password when the token was issued; a change invalidates the token."""
    created_at: fields.Timestamp = fields.now()
    ttl: Ttl

    keys = Keys(primary=("TOKEN#{digest}", "TOKEN#{digest}"))


class PendingReset(OutboxMessage, table=core, type="ResetRequest"):
    """A requested password reset. The token is created when the mail is sent, so that the table never contains it."""

    user_id: Id

    suppress: ClassVar = {"TW401": "a request is rare: the limits of resets bound the writes"}
    keys = Keys(primary=("OUTBOX#RESETS", "RESET#{message_id}"))


class ResetRequests(Query[PendingReset]):
    """List the requested password resets whose mail was not sent yet."""

    key = "PK = OUTBOX#RESETS AND begins_with(SK, 'RESET#')"
    consistent = True


class ProfileById(Get[User]):
    """Get profile by `userId`."""

    user_id: str
    key = "PK = USER#{user_id} AND SK = PROFILE#{user_id}"
    consistent = True


class ProfileByEmail(Find[User]):
    """Get profile by `email`."""

    email: AnyEmail
    key = "GSI3PK = EMAIL#{email:lower} AND begins_with(GSI3SK, 'PROFILE#')"


class ProfileByNickname(Find[User]):
    """Get profile by `nickname`."""

    nickname: str
    key = "GSI2PK = NICK#{nickname:fold} AND begins_with(GSI2SK, 'PROFILE#')"


class EmailOwner(Get[User]):
    """Get the owner of an e-mail address by its lock, without the lag of an index."""

    email: AnyEmail
    key = "PK = EMAIL#{email:lower} AND SK = UNIQUE#USER"
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


class Subject(Enum):
    """What is counted: logins of an e-mail address, resets of an e-mail address, lookups of a user, a network."""

    EMAIL = "EMAIL"
    RESET = "RESET"
    LOOKUP = "LOOKUP"
    IP = "IP"


class LoginAttempts(Entity, table=login_attempts, type="LoginAttempts"):
    """Attempts of one subject in one time window. The clock determines the current window, never `ttl`."""

    subject: Subject
    identifier: str
    window: fields.Timestamp
    network: str = "any"
    attempts: Annotated[int, fields.Counter()] = 0
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=1), of="window")] = None

    keys = Keys(primary=("{subject}#{identifier}", "WINDOW#{window}#{network}"))


class AttemptsInWindow(Get[LoginAttempts]):
    """Get the attempts of a subject in a window."""

    subject: Subject
    identifier: str
    window: fields.Timestamp
    network: str = "any"
    consistent = True


class AttemptsOf(Query[LoginAttempts]):
    """List all windows of a subject."""

    subject: Subject
    identifier: str
    consistent = True
