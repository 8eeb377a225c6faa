"""Callers: who makes a request, as the verified token says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated caller of a request.

    >>> Caller("ada", {"roles": ["admin"]}).roles
    frozenset({'admin'})
    """

    user_id: str
    claims: Mapping[str, Any] = field(default_factory=dict)

    def claim(self, name: str) -> str | None:
        """Return a string claim such as "email", or None."""
        value = self.claims.get(name)
        return value if isinstance(value, str) else None

    @property
    def email(self) -> str | None:
        """E-mail address of the caller, or None if the token says that it was never verified."""
        return None if self.claims.get("email_verified") is False else self.claim("email")

    @property
    def roles(self) -> frozenset[str]:
        """Platform-wide roles of the caller: "admin", "worker", "webhook"."""
        value = self.claims.get("roles")
        return (
            frozenset(role for role in value if isinstance(role, str))
            if isinstance(value, list)
            else frozenset()
        )
