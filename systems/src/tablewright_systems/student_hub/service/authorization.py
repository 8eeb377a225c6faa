"""Authorization: students access their own data; administrators and workers have a role in their token."""

from tablewright_systems.service import Caller


def require_self_or_admin(caller: Caller, user_id: str) -> None:
    """Raise `Forbidden` unless the caller is the user or an administrator."""
    if caller.user_id != user_id:
        caller.require_role("admin")
