"""Rights: students act for themselves; staff and jobs have a role in their token."""

from typing import Literal

from tablewright_systems.api_errors import Forbidden
from tablewright_systems.authentication import Caller

Role = Literal["admin", "worker"]


def require(caller: Caller, role: Role) -> None:
    """Refuse whoever does not have the role."""
    if role not in caller.roles:
        raise Forbidden(f"this is for the role {role}")


def require_self_or_admin(caller: Caller, user_id: str) -> None:
    """Refuse whoever is neither the user nor an administrator."""
    if caller.user_id != user_id:
        require(caller, "admin")
