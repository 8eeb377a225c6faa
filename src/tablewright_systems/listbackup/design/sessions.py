"""Our own refresh tokens (001:470-507). Each is used once, and gives way to the next of its family.

Only the hash of a token is stored. The head of a family is an item of its own: every use goes through it, so that a
revoked family is revoked for all its tokens at once, also for one that was issued a moment ago.
"""

from datetime import timedelta
from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Entity, Get, Index, Keys, Query, Table, fields
from tablewright_systems.listbackup.design.vocabulary import Id

KEPT_AFTER_EXPIRY = timedelta(days=1)

refresh_tokens = Table(
    "${AWS::StackName}-refresh-tokens",
    key="refreshToken",
    indexes=[
        Index("userId-issuedAt-index", "userId", "issuedAt"),
        Index("tokenFamily-index", "tokenFamily"),
    ],
    ttl="expiresAtEpoch",
    discriminator="entityType",
)


class RefreshToken(Entity, table=refresh_tokens, type="REFRESH_TOKEN", schema_version=1):
    """A token that a client may change for a new one, once."""

    refresh_token: Annotated[str, fields.Hashed()]
    user_id: Id
    account_id: Id
    token_family: Id
    issued_at: fields.Timestamp = fields.now()
    expires_at: fields.Timestamp
    expires_at_epoch: Annotated[int | None, fields.Ttl(after=KEPT_AFTER_EXPIRY, of="expires_at")] = None
    last_used_at: fields.Timestamp | None = None
    user_agent: Annotated[str, Field(max_length=500)] | None = None
    ip_address: str | None = None
    revoked: bool = False
    revoked_at: fields.Timestamp | None = None
    revoked_by: str | None = None
    revoked_reason: str | None = None

    suppress: ClassVar = {
        "TW106": "as the document has it: tokens of one millisecond may come in any order",
        "TW107": "a digest holds no #",
        "TW205": "expiresAtEpoch is the TTL; this is the moment that the service holds a token to",
    }


class TokenFamily(Entity, table=refresh_tokens, type="TOKEN_FAMILY", schema_version=1):
    """The head of a family: who signed in, and whether the family still holds."""

    token_family: Id = Field(alias="family")
    user_id: Id = Field(alias="familyOf")
    account_id: Id
    generation: Annotated[int, Field(ge=1)] = 1
    """How many tokens it has had."""
    started_at: fields.Timestamp = fields.now()
    expires_at: fields.Timestamp
    expires_at_epoch: Annotated[int | None, fields.Ttl(after=KEPT_AFTER_EXPIRY, of="expires_at")] = None
    revoked: bool = False
    revoked_at: fields.Timestamp | None = None
    revoked_by: str | None = None
    revoked_reason: str | None = None

    keys = Keys(primary="FAMILY#{token_family}")
    suppress: ClassVar = {
        "TW205": "expiresAtEpoch is the TTL; this is the moment that the service holds a family to"
    }


class RefreshTokenOf(Get[RefreshToken]):
    """Get a refresh token by its hash."""

    refresh_token: str
    consistent = True


class FamilyById(Get[TokenFamily]):
    """Get the head of a token family."""

    token_family: str
    consistent = True


class SessionsOfUser(Query[RefreshToken]):
    """Get the refresh tokens of a user by issuedAt, the newest first."""

    user_id: str
    index = "userId-issuedAt-index"
    newest_first = True


class TokensOfFamily(Query[RefreshToken]):
    """Get the tokens of a family."""

    token_family: str
    index = "tokenFamily-index"


ENTITIES = (RefreshToken, TokenFamily)
PATTERNS = (RefreshTokenOf, FamilyById, SessionsOfUser, TokensOfFamily)
