"""Authentication: the caller's identity comes from a signed bearer token, never from the request's own fields.

An `Authenticator` verifies tokens. In development, a `LocalIssuer` on the same machine signs them with its own key.
In production, tokens come from an `IdentityProvider`, which publishes its keys at a JWKS URL.

Each system has its own audience and its own roles: a token for Boards is invalid for ListBackup, and an administrator
of one system has no rights in the others.
"""

import os
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Unauthenticated, Unavailable

LOCAL_ISSUER = "tablewright-local"
LOCAL_AUDIENCE = "tablewright-local"
LIFETIME = timedelta(hours=12)
# Allowed difference between clocks, in seconds.
LEEWAY = 30


class Authenticator(Protocol):
    """Verifies tokens."""

    def authenticate(self, token: str) -> Caller:
        """Return the caller that a token was issued to, or raise `Unauthenticated`."""
        ...


class LocalIssuer:
    """Signs tokens for one audience on this machine, and verifies them.

    >>> issuer = LocalIssuer()
    >>> issuer.authenticate(issuer.issue("ada", email="ada@example.org")).claim("email")
    'ada@example.org'
    """

    def __init__(self, key: Ed25519PrivateKey | None = None, audience: str = LOCAL_AUDIENCE) -> None:
        self._key = key or Ed25519PrivateKey.generate()
        self._audience = audience

    @classmethod
    def from_file(cls, file: Path) -> "LocalIssuer":
        """Load the issuer's key from a file, or create the file with a new key, readable only by its owner."""
        try:
            handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            return cls(_read_key(file))
        issuer = cls()
        with os.fdopen(handle, "wb") as opened:
            opened.write(issuer._pem())
        return issuer

    def for_audience(self, audience: str) -> "LocalIssuer":
        """Return an issuer with the same key for another audience: the name of a system."""
        return LocalIssuer(self._key, audience)

    def issue(self, user_id: str, /, lifetime: timedelta = LIFETIME, **claims: Any) -> str:
        """Return a signed token for a user."""
        now = datetime.now(UTC)
        payload = {
            **claims,
            "iss": LOCAL_ISSUER,
            "aud": self._audience,
            "sub": user_id,
            "iat": now,
            "exp": now + lifetime,
            "jti": secrets.token_hex(8),
        }
        return jwt.encode(payload, self._key, algorithm="EdDSA")

    def authenticate(self, token: str) -> Caller:
        """Return the caller that a token was issued to, or raise `Unauthenticated`."""
        return _caller(token, self._key.public_key(), ["EdDSA"], LOCAL_ISSUER, self._audience)

    def _pem(self) -> bytes:
        return self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


class IdentityProvider:
    """An identity provider: its issuer name, the audience of one system, and the URL of its keys.

    `roles` is the claim with the caller's roles in this system, as the names that lead to it: `("boards/roles",)`, or
    `("resource_access", "boards", "roles")`. By default this is the claim `roles`; it is ignored in a token for several
    audiences, because such a token does not say in which system the caller has them.
    """

    def __init__(self, issuer: str, audience: str, jwks_url: str, roles: Sequence[str] = ("roles",)) -> None:
        self._issuer = issuer
        self._audience = audience
        self._keys = jwt.PyJWKClient(jwks_url)
        self._roles = tuple(roles)

    def authenticate(self, token: str) -> Caller:
        """Return the caller, or raise `Unauthenticated`; `Unavailable` if the provider's keys cannot be fetched."""
        try:
            key = self._keys.get_signing_key_from_jwt(token).key
        except jwt.PyJWKClientConnectionError as error:
            raise Unavailable("cannot fetch the identity provider's keys; try again") from error
        except jwt.DecodeError as error:
            raise _invalid(error) from None
        except jwt.PyJWTError as error:
            raise Unauthenticated(f"the token was signed with an unknown key: {error}") from None
        # Never a symmetric algorithm: the public key would then serve as the secret.
        return _caller(token, key, ["RS256", "ES256", "EdDSA"], self._issuer, self._audience, self._roles)


def _caller(
    token: str,
    key: Any,
    algorithms: list[str],
    issuer: str,
    audience: str,
    roles: tuple[str, ...] = ("roles",),
) -> Caller:
    try:
        claims = jwt.decode(
            token,
            key,
            algorithms=algorithms,
            issuer=issuer,
            audience=audience,
            leeway=LEEWAY,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
    except jwt.PyJWTError as error:
        raise _invalid(error) from None
    if not claims["sub"]:
        raise Unauthenticated("invalid token: the subject (sub) is empty")
    return Caller(claims["sub"], claims | {"roles": _roles(claims, roles)})


def _invalid(error: jwt.PyJWTError) -> Unauthenticated:
    if isinstance(error, jwt.DecodeError) and not isinstance(error, jwt.InvalidSignatureError):
        return Unauthenticated("invalid token: the token is not a JWT")
    return Unauthenticated(f"invalid token: {error}")


def _roles(claims: Mapping[str, Any], path: tuple[str, ...]) -> list[Any]:
    """Return the roles at a path of claims; those of the claim `roles` only if the token has a single audience."""
    audience = claims["aud"]
    if path == ("roles",) and not isinstance(audience, str) and len(audience) != 1:
        return []
    claim: Any = claims
    for name in path:
        claim = claim.get(name) if isinstance(claim, Mapping) else None
    return claim if isinstance(claim, list) else []


def _read_key(file: Path) -> Ed25519PrivateKey:
    key = serialization.load_pem_private_key(file.read_bytes(), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError(f"{file} does not contain an Ed25519 key; delete the file to create a new key")
    return key
