"""Authorization: students access their own data; administrators and workers have a role in their token."""

from typing import Literal

from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Forbidden

Role = Literal["admin", "worker"]


def require(caller: Caller, role: Role) -> None:
    """Raise `Forbidden` unless the caller has the role."""
    if role not in caller.roles:
        raise Forbidden(f"this requires the role {role}")


def require_self_or_admin(caller: Caller, user_id: str) -> None:
    """Raise `Forbidden` unless the caller is the user or an administrator."""
    if caller.user_id != user_id:
        require(caller, "admin")
