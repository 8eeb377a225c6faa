"""Platforms: the outside world, as far as OAuth goes. A sandbox stands in for it, where there is none."""

import base64
import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Protocol

from tablewright_systems.listbackup.design.oauth import Tokens


class Refused(Exception):
    """The platform does not accept a code or a token."""


class Platform(Protocol):
    """What is asked of a platform."""

    def exchange(self, code: str, verifier: str, redirect_uri: str, now: datetime) -> Tokens:
        """Tokens for a code, or `Refused`."""
        ...

    def refresh(self, refresh_token: str, now: datetime) -> Tokens:
        """New tokens for a refresh token, which is spent, or `Refused`."""
        ...

    def accepts(self, tokens: Tokens) -> bool:
        """Whether the platform lets in who shows these."""
        ...


class Sandbox:
    """A platform that says yes to everything but what begins with "bad"; for development."""

    lifetime = timedelta(hours=1)

    def exchange(self, code: str, verifier: str, redirect_uri: str, now: datetime) -> Tokens:
        """Tokens for a code."""
        return self._issue(code, now)

    def refresh(self, refresh_token: str, now: datetime) -> Tokens:
        """New tokens for a refresh token."""
        return self._issue(refresh_token, now)

    def accepts(self, tokens: Tokens) -> bool:
        """Whether they do not begin with "bad"."""
        return not tokens.access_token.startswith("bad")

    def _issue(self, shown: str, now: datetime) -> Tokens:
        if shown.startswith("bad"):
            raise Refused("the platform does not know that")
        return Tokens(
            access_token=f"access-{secrets.token_urlsafe(16)}",
            refresh_token=f"refresh-{secrets.token_urlsafe(16)}",
            expires_in=int(self.lifetime.total_seconds()),
            scope="read",
            expires_at=now + self.lifetime,
        )


def challenge(verifier: str) -> str:
    """What a platform is shown of a verifier before it sees it (RFC 7636, S256).

    >>> challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    """
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
