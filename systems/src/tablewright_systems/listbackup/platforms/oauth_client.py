"""The OAuth client of platforms (RFC 6749, RFC 7636): authorization URLs, and tokens for codes and refresh tokens."""

import base64
import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from tablewright_systems.listbackup.design.oauth import Tokens
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.platforms.http_client import PlatformClient, PlatformRequest
from tablewright_systems.listbackup.platforms.protocol import (
    CredentialsExpired,
    CredentialsRejected,
    PlatformCredentials,
    PlatformUnavailable,
    RequestRejected,
)
from tablewright_systems.listbackup.platforms.reader import HttpReader

DEFAULT_LIFETIME = timedelta(days=30)
"""How long tokens are used when the platform names no end; then they are renewed."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The tokens of an authorization, and the platform's own id of the account that gave it."""

    tokens: Tokens = field(repr=False)
    account: str | None = None


def challenge(verifier: str) -> str:
    """Return the PKCE challenge of a verifier (RFC 7636, S256).

    >>> challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    """
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """The OAuth endpoints of one platform, as its registered application uses them."""

    platform: str
    authorize_url: str
    client_id: str
    client_secret: str = field(repr=False)
    token_endpoint: PlatformClient
    reader: HttpReader
    """A reader without credentials: the platform's API, and the way to try new tokens."""

    def authorization_url(self, state: str, redirect_uri: str, code_challenge: str) -> str:
        """Return the URL at which the user authorizes the application."""
        query = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": redirect_uri,
            "scope": self.reader.api.oauth_scope,
            "state": state,
            "code_challenge": code_challenge,
            "code_challenge_method": "S256",
        }
        return f"{self.authorize_url}?{urlencode(query)}"

    def exchange(self, code: str, verifier: str, redirect_uri: str, now: datetime) -> Grant:
        """Return the tokens for a code, or raise `CredentialsRejected`."""
        return self._request(
            now,
            grant_type="authorization_code",
            code=code,
            code_verifier=verifier,
            redirect_uri=redirect_uri,
        )

    def refresh(self, refresh_token: str, now: datetime) -> Grant:
        """Return new tokens for a refresh token, which can be used once, or raise `CredentialsRejected`."""
        return self._request(now, grant_type="refresh_token", refresh_token=refresh_token)

    def accepts(self, grant: Grant) -> bool:
        """Whether the platform serves a request with these tokens."""
        credentials = PlatformCredentials(ConnectionType.OAUTH, grant.tokens.access_token)
        reader = HttpReader(self.reader.api, self.reader.client, credentials, grant.account)
        try:
            reader.read(reader.data_types[0])
        except (CredentialsExpired, CredentialsRejected, RequestRejected):
            return False
        return True

    def _request(self, now: datetime, **fields: str) -> Grant:
        """Request tokens once: a code and a refresh token are used up by the first request."""
        api = self.reader.api
        headers = {}
        form = {**fields, **api.token_fields}
        if api.refreshes_with_basic and "refresh_token" in fields:
            pair = f"{self.client_id}:{self.client_secret}".encode()
            headers["authorization"] = f"Basic {base64.b64encode(pair).decode()}"
        else:
            form |= {"client_id": self.client_id, "client_secret": self.client_secret}
        secret = PlatformCredentials(ConnectionType.APIKEY, self.client_secret)
        used = [fields[name] for name in ("code", "code_verifier", "refresh_token") if name in fields]
        request = PlatformRequest("POST", "", form=form, secrets=tuple(used))
        try:
            reply = self.token_endpoint.send(request, secret, headers)
        except RequestRejected:
            kind = fields["grant_type"].replace("_", " ")
            raise CredentialsRejected(f"{self.platform} does not accept the {kind}") from None
        try:
            return _grant_of(reply, fields.get("refresh_token"), now)
        except (KeyError, TypeError, ValueError):
            raise PlatformUnavailable(f"{self.platform} returned no usable tokens") from None


def _grant_of(reply: dict[str, Any], refresh_token: str | None, now: datetime) -> Grant:
    """Return the grant of a token reply. Without a new refresh token, the one that was used stays valid."""
    seconds = int(reply.get("expires_in") or DEFAULT_LIFETIME.total_seconds())
    tokens = Tokens(
        access_token=reply["access_token"],
        refresh_token=reply.get("refresh_token") or refresh_token,
        token_type=reply.get("token_type") or "Bearer",
        expires_in=seconds,
        scope=reply.get("scope"),
        expires_at=now + timedelta(seconds=seconds),
    )
    return Grant(tokens, reply.get("stripe_user_id") or reply.get("locationId"))
