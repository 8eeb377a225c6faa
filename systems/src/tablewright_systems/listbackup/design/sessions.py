"""Our own refresh tokens (F12). Each is used once, and is replaced by the next of its family.

Only the hash of a token is stored. A family is an item of its own that every use reads and writes, so that revoking
the family revokes all its tokens at once, also one that was issued just now.
"""

from datetime import timedelta
from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Entity, Get, Index, Keys, Query, Table, fields
from tablewright_systems.listbackup.design.vocabulary import AWS_MANAGED_KEY, Id

KEPT_AFTER_EXPIRY = timedelta(days=1)

refresh_tokens = Table(
    "${AWS::StackName}-refresh-tokens",
    key="refreshToken",
    encryption_key=AWS_MANAGED_KEY,
    indexes=[
        Index("userId-issuedAt-index", "userId", "issuedAt"),
        Index("tokenFamily-index", "tokenFamily"),
    ],
    ttl="expiresAtEpoch",
    discriminator="entityType",
)


class RefreshToken(Entity, table=refresh_tokens, type="REFRESH_TOKEN", schema_version=1):
    """A token that a client can exchange for a new one, once."""

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
        "TW106": "as in the document: tokens of one millisecond have no order",
        "TW107": "a digest contains no #",
        "TW205": "expiresAtEpoch is the TTL; the service checks this time at every use",
    }


class TokenFamily(Entity, table=refresh_tokens, type="TOKEN_FAMILY", schema_version=1):
    """A token family: the user, and whether its tokens are valid."""

    token_family: Annotated[Id, Field(alias="family")]
    user_id: Annotated[Id, Field(alias="familyOf")]
    account_id: Id
    generation: Annotated[int, Field(ge=1)] = 1
    """How many tokens the family has had."""
    second_factor_at: fields.Timestamp | None = None
    """When the user last proved the second factor in this session; None if the session started without one."""
    started_at: fields.Timestamp = fields.now()
    expires_at: fields.Timestamp
    expires_at_epoch: Annotated[int | None, fields.Ttl(after=KEPT_AFTER_EXPIRY, of="expires_at")] = None
    revoked: bool = False
    revoked_at: fields.Timestamp | None = None
    revoked_by: str | None = None
    revoked_reason: str | None = None

    keys = Keys(primary="FAMILY#{token_family}")
    suppress: ClassVar = {"TW205": "expiresAtEpoch is the TTL; the service checks this time at every use"}


class RefreshTokenOf(Get[RefreshToken]):
    """Get a refresh token by its hash."""

    refresh_token: str
    consistent = True


class FamilyById(Get[TokenFamily]):
    """Get a token family."""

    token_family: str
    consistent = True


class SessionsOfUser(Query[RefreshToken]):
    """Get the refresh tokens of a user by issuedAt, newest first."""

    user_id: str
    index = "userId-issuedAt-index"
    descending = True


class TokensOfFamily(Query[RefreshToken]):
    """Get the tokens of a family."""

    token_family: str
    index = "tokenFamily-index"


ENTITIES = (RefreshToken, TokenFamily)
PATTERNS = (RefreshTokenOf, FamilyById, SessionsOfUser, TokensOfFamily)
