"""Bans: a banned user gets the reply 403 on every path, and can read only the own account (R36)."""

from tablewright_systems.collabhub import design
from tablewright_systems.service import Forbidden
from tablewright_systems.web import CurrentCaller, Db


def refuse_banned(db: Db, caller: CurrentCaller) -> None:
    """Raise Forbidden if the caller is banned."""
    user = db.run(design.UserById(user_id=caller.user_id))
    if user is not None and user.status == design.UserStatus.BANNED:
        raise Forbidden(f"user {caller.user_id} is banned")
