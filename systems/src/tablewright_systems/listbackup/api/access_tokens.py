"""Access tokens: signed by ListBackup when a session starts or is refreshed, and accepted beside the provider's.

In development, the local issuer signs all tokens. In production, `SessionAuthenticator` accepts the tokens of the
identity provider and those that ListBackup signs with its own key.
"""

from datetime import timedelta
from typing import Any, Protocol, runtime_checkable

import jwt

from tablewright_systems.service import Caller, Unavailable
from tablewright_systems.web.authentication import LOCAL_ISSUER, Authenticator, LocalIssuer

ACCESS_LIFETIME = timedelta(minutes=15)
"""How long an access token is valid: a session that ended can be used for that time at most."""


@runtime_checkable
class TokenIssuer(Protocol):
    """Signs access tokens."""

    def issue(self, user_id: str, /, lifetime: timedelta, **claims: Any) -> str:
        """Return a signed token for a user."""
        ...


class SessionAuthenticator:
    """Accepts the tokens of an identity provider and those that ListBackup itself issues for sessions.

    authenticator = SessionAuthenticator(IdentityProvider(...), LocalIssuer.from_file(Path("sessions.pem")))
    """

    def __init__(self, provider: Authenticator, own: LocalIssuer) -> None:
        self._provider = provider
        self._own = own

    def authenticate(self, token: str) -> Caller:
        """Return the caller that a token was issued to; the issuer that the token names must have signed it."""
        try:
            is_own = jwt.decode(token, options={"verify_signature": False}).get("iss") == LOCAL_ISSUER
        except jwt.PyJWTError:
            is_own = False
        return (self._own if is_own else self._provider).authenticate(token)

    def issue(self, user_id: str, /, lifetime: timedelta, **claims: Any) -> str:
        """Return a token for a user, signed with ListBackup's own key."""
        return self._own.issue(user_id, lifetime, **claims)


def token_issuer(authenticator: Authenticator) -> TokenIssuer:
    """Return the issuer of access tokens, or raise Unavailable if the API was built without one."""
    if isinstance(authenticator, TokenIssuer):
        return authenticator
    raise Unavailable("this API cannot issue access tokens; build it with a SessionAuthenticator")
