"""OAuth states (F10), which work once, events of webhooks, which count once, and OAuth tokens (F11).

Tokens are encrypted with keys of their account. The access token's `expiresAt` is repeated unencrypted, for an index.
"""

from datetime import timedelta
from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Entity, Get, Index, Keys, Query, Table, fields
from tablewright_systems.listbackup.design.vocabulary import AWS_MANAGED_KEY, NOT_SHOWN, Id, Part, Platform
from tablewright_systems.service import Timestamped

STATE_LIFETIME = timedelta(minutes=15)
EVENT_LIFETIME = timedelta(days=3)
"""Longer than a delivery stays valid, and as long as platforms repeat one."""
EXPIRY_SHARDS = 4

oauth_states = Table(
    "${AWS::StackName}-oauth-states", key="state", ttl="expiresAt", encryption_key=AWS_MANAGED_KEY
)

oauth_tokens = Table(
    "${AWS::StackName}-oauth-tokens",
    key="sourceId",
    encryption_key=AWS_MANAGED_KEY,
    indexes=[
        Index("accountId-platform-index", "accountId", "platform"),
        Index("expiry-index", "expiryShard", "expiresAt#sourceId"),
    ],
)


class StateMetadata(Part):
    """What the state was created for, with reserved ids."""

    source_id: str
    connection_id: str
    return_url: str | None = None


class OAuthState(Entity, table=oauth_states, type="OAUTH_STATE", schema_version=1):
    """A pending authorization at a platform."""

    state: Annotated[str, Field(min_length=32, pattern=r"^[A-Za-z0-9_-]+$")]
    account_id: Id
    user_id: Id
    platform: Platform
    redirect_uri: str
    metadata: StateMetadata
    code_verifier: Annotated[str, fields.Encrypted(context=("account_id",))]
    browser_hash: str | None = None
    """The hash of a cookie of the browser that started the flow."""
    second_factor: bool = False
    """Whether the user had proved a second factor when the flow started."""
    created_at: fields.Timestamp = fields.now()
    expires_at: Annotated[int | None, fields.Ttl(after=STATE_LIFETIME, of="created_at")] = None

    suppress: ClassVar = {"TW107": "a state contains no #"}


class WebhookEvent(Entity, table=oauth_states, type="WEBHOOK_EVENT", schema_version=1):
    """An event that a platform delivered; a second delivery has no effect while this item exists."""

    source_id: Id
    event_id: Annotated[str, Field(min_length=1, max_length=256)]
    account_id: Id
    event_type: str
    created_at: fields.Timestamp = fields.now()
    expires_at: Annotated[int | None, fields.Ttl(after=EVENT_LIFETIME, of="created_at")] = None

    keys = Keys(primary="webhook#{source_id}#{event_id}")


class Tokens(Part):
    """The tokens from a platform."""

    access_token: str
    refresh_token: str | None = None
    token_type: str = "Bearer"
    expires_in: Annotated[int, Field(gt=0)]
    scope: str | None = None
    expires_at: fields.Timestamp


class TokenMetadata(Part):
    """The owner of the tokens."""

    user_id: str | None = None
    platform_account_id: str | None = None
    platform_account_name: str | None = None


class OAuthToken(Timestamped, table=oauth_tokens, schema_version=1):
    """The tokens of a source, stored nowhere else."""

    source_id: Id
    account_id: Id
    platform: Platform
    tokens: Annotated[Tokens, fields.Encrypted(context=("account_id",)), NOT_SHOWN]
    candidate: Annotated[Tokens | None, fields.Encrypted(context=("account_id",)), NOT_SHOWN] = None
    """The tokens of a new connection, until the platform has accepted them."""
    candidate_connection_id: Id | None = None
    metadata: TokenMetadata = Field(default_factory=TokenMetadata)
    expires_at: fields.Timestamp
    last_refreshed_at: fields.Timestamp | None = None
    refreshing_until: fields.Timestamp | None = None
    """Until then one worker renews the tokens, and no other."""
    refresh_id: Annotated[Id | None, NOT_SHOWN] = None
    """The lease of that worker."""
    version: Annotated[int, fields.Version()] = 0

    keys = Keys(indexes={"expiry-index": ("{source_id:shard(4)}", "{expires_at}#{source_id}")})
    suppress: ClassVar = {
        "TW205": "an expired access token is renewed with the refresh token in the same item"
    }


class OAuthStateOf(Get[OAuthState]):
    """Get an OAuth state, to be consumed."""

    state: str
    consistent = True


class OAuthTokenOf(Get[OAuthToken]):
    """Get the OAuth tokens of a source."""

    source_id: str
    consistent = True


class OAuthTokensOfAccount(Query[OAuthToken]):
    """Get the OAuth tokens of an account, by platform."""

    account_id: str
    index = "accountId-platform-index"


class OAuthTokensOfAccountFor(Query[OAuthToken]):
    """Get the OAuth tokens of an account for one platform."""

    account_id: str
    platform: Platform
    index = "accountId-platform-index"


class OAuthTokenIdsOfAccount(Query[OAuthToken]):
    """Get the source ids of an account's tokens, without decrypting them: their keys may be deleted."""

    account_id: str
    index = "accountId-platform-index"
    fields = ("source_id",)


class OAuthTokensExpiring(Query[OAuthToken]):
    """One shard of the OAuth tokens that expire before a time, the first to expire first."""

    shard: int
    before: fields.Timestamp
    key = "expiryShard = {shard} AND expiresAt#sourceId < {before}"


ENTITIES = (OAuthState, WebhookEvent, OAuthToken)
PATTERNS = (
    OAuthStateOf,
    OAuthTokenOf,
    OAuthTokensOfAccount,
    OAuthTokensOfAccountFor,
    OAuthTokenIdsOfAccount,
    OAuthTokensExpiring,
)
