"""Callers: who makes a request, as the verified token says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tablewright_systems.service.errors import Forbidden, Invalid
from tablewright_systems.service.text import require_email


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated caller of a request.

    >>> Caller("ada", {"roles": ["admin"]}).roles
    frozenset({'admin'})
    """

    user_id: str
    claims: Mapping[str, Any] = field(default_factory=dict)

    def claim(self, name: str) -> str | None:
        """Return a string claim such as "name", or None."""
        value = self.claims.get(name)
        return value if isinstance(value, str) else None

    @property
    def email(self) -> str | None:
        """E-mail address of the caller, or None unless the identity provider has verified it.

        A token without the claim `email_verified` has no verified address.

        >>> Caller("ada", {"email": "ada@example.org"}).email
        >>> Caller("ada", {"email": "ada@example.org", "email_verified": True}).email
        'ada@example.org'
        """
        return self.claim("email") if self.claims.get("email_verified") is True else None

    def require_email(self) -> str:
        """Return the verified e-mail address of the caller, or raise `Invalid`."""
        if self.email is None:
            raise Invalid("your token contains no verified e-mail address", "email")
        try:
            return require_email(self.email)
        except ValueError as error:
            raise Invalid(f"the e-mail address of your token is invalid: {error}", "email") from None

    @property
    def roles(self) -> frozenset[str]:
        """Platform-wide roles of the caller: "admin", "worker", "webhook"."""
        value = self.claims.get("roles")
        return (
            frozenset(role for role in value if isinstance(role, str))
            if isinstance(value, list)
            else frozenset()
        )

    def require_role(self, *roles: str) -> None:
        """Raise `Forbidden` unless the caller has one of the platform-wide roles."""
        if self.roles.isdisjoint(roles):
            raise Forbidden(f"this requires the role {' or '.join(roles)}")
