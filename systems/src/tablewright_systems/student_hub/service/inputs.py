"""Requests: bodies, cleaned as the document specifies, and who may send them.

Blank text counts as null, and null removes the field. False and zero are values.

Students access their own data; administrators and workers have a role in their token.
"""

from typing import Any

from tablewright_systems.service import Caller
from tablewright_systems.service.schemas import Body


class CleanBody(Body):
    """A request body; unknown fields are rejected, blank text counts as null."""

    @classmethod
    def prepared(cls, sent: Any) -> Any:
        """Return the JSON with trimmed text, and null in place of blank text."""
        return {name: _cleaned(value) for name, value in sent.items()} if isinstance(sent, dict) else sent


def _cleaned(value: Any) -> Any:
    return value.strip() or None if isinstance(value, str) else value


def require_self_or_admin(caller: Caller, user_id: str) -> None:
    """Raise `Forbidden` unless the caller is the user or an administrator."""
    if caller.user_id != user_id:
        caller.require_role("admin")
