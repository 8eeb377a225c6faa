"""Unsupported members: members of AWS's API that Tablewright does not implement.

AWS ignores members that its API does not have, and so does Tablewright. A member that the API has is implemented, or
it is declared as `UNSUPPORTED`: a request with it is rejected by name, so that nothing requested is silently dropped.
"""

from collections.abc import Iterator
from typing import Any

from tablewright.errors import ValidationError


class Unsupported:
    """A member that no request may have; an empty list requests nothing and is accepted."""

    required = False

    def accepts(self, value: Any) -> bool:
        """Whether the value requests nothing."""
        return type(value) is list and not value

    def require_type(self, value: Any) -> None:
        """Accept any JSON type: the member is rejected whatever it contains."""

    def violations(self, value: Any, path: str) -> Iterator[str]:
        """Reject the request, unless the value requests nothing."""
        if not self.accepts(value):
            *_, name = path.split(".")
            raise ValidationError(
                f"{name[0].upper()}{name[1:]} is not implemented by Tablewright; remove it from the request"
            )
        return iter(())


UNSUPPORTED = Unsupported()
