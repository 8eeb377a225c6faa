"""Platforms: the OAuth interface of external platforms, and a sandbox for development."""

import base64
import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Protocol

from tablewright_systems.listbackup.design.oauth import Tokens


class Rejected(Exception):
    """The platform does not accept a code or a token."""


class Platform(Protocol):
    """The OAuth interface of a platform."""

    def exchange(self, code: str, verifier: str, redirect_uri: str, now: datetime) -> Tokens:
        """Return tokens for a code, or raise `Rejected`."""
        ...

    def refresh(self, refresh_token: str, now: datetime) -> Tokens:
        """Return new tokens for a refresh token, which can be used once, or raise `Rejected`."""
        ...

    def accepts(self, tokens: Tokens) -> bool:
        """Whether the platform accepts these tokens."""
        ...


class Sandbox:
    """A platform for development that accepts everything except codes and tokens that begin with "bad"."""

    lifetime = timedelta(hours=1)

    def exchange(self, code: str, verifier: str, redirect_uri: str, now: datetime) -> Tokens:
        """Return tokens for a code."""
        return self._issue(code, now)

    def refresh(self, refresh_token: str, now: datetime) -> Tokens:
        """Return new tokens for a refresh token."""
        return self._issue(refresh_token, now)

    def accepts(self, tokens: Tokens) -> bool:
        """Whether the access token does not begin with "bad"."""
        return not tokens.access_token.startswith("bad")

    def _issue(self, shown: str, now: datetime) -> Tokens:
        if shown.startswith("bad"):
            raise Rejected("the platform does not accept this code or token")
        return Tokens(
            access_token=f"access-{secrets.token_urlsafe(16)}",
            refresh_token=f"refresh-{secrets.token_urlsafe(16)}",
            expires_in=int(self.lifetime.total_seconds()),
            scope="read",
            expires_at=now + self.lifetime,
        )


def challenge(verifier: str) -> str:
    """Return the PKCE challenge of a verifier (RFC 7636, S256).

    >>> challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    """
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
