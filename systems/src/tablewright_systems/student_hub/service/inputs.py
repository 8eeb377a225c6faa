"""Base model of request bodies, cleaned as the document specifies.

Blank text counts as null, and null removes the field. False and zero are values.
"""

from typing import Any

from tablewright_systems.service.schemas import Body


class CleanBody(Body):
    """A request body; unknown fields are rejected, blank text counts as null."""

    @classmethod
    def prepared(cls, sent: Any) -> Any:
        """Return the JSON with trimmed text, and null in place of blank text."""
        return {name: _cleaned(value) for name, value in sent.items()} if isinstance(sent, dict) else sent


def _cleaned(value: Any) -> Any:
    return value.strip() or None if isinstance(value, str) else value
