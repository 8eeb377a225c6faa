"""Grants: the current access level of an investor to a startup (T19)."""

from tablewright import Repository
from tablewright_systems.collabhub.design.access import AccessLevel, GrantOf


def granted_level(db: Repository, startup_id: str, investor_id: str) -> AccessLevel | None:
    """Return the approved level, read consistently; None without a grant, or after its end, swept or not."""
    grant = db.run(GrantOf(startup_id=startup_id, investor_id=investor_id))
    if grant is None or (grant.expires_at is not None and grant.expires_at <= db.now()):
        return None
    return grant.access_level
