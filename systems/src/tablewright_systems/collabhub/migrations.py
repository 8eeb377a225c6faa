"""Migrations: rows that were written as the document prints them get the keys, locks and fields that this design adds.

`tablewright migrate tablewright_systems.collabhub.design:design` runs them, and so does the job `adoption`, which then
adds the items that this design keeps beside them: see `service/raw_calls.py`. Messages need no migration.
"""

from typing import Any

from tablewright import migrations
from tablewright_systems.collabhub import design


def _listed(item: dict[str, Any], view: migrations.View) -> dict[str, Any] | None:
    """Add whether a role is listed: while it is open and its startup is public and active (R5)."""
    if "isListed" in item:
        return None
    startup = view.find(design.Startup, startup_id=item["startupId"]) or {}
    is_public = (startup.get("visibility"), startup.get("status")) == ("PUBLIC", "ACTIVE")
    return item | {"isListed": bool(item["isOpen"] and is_public)}


def _in_no_index(item: dict[str, Any]) -> dict[str, Any] | None:
    """Remove a conversation from the index in which its participants are (R1)."""
    rest = {name: value for name, value in item.items() if name not in ("GSI1PK", "GSI1SK")}
    return rest if rest != item else None


USERS = migrations.Migration("2026-11-adopt-users", design.User)
STARTUPS = migrations.Migration("2026-11-adopt-startups", design.Startup)
ROLES = migrations.Migration("2026-11-adopt-roles", design.StartupRole, up=_listed)
APPLICATIONS = migrations.Migration("2026-11-adopt-applications", design.Application)
ACCESS_REQUESTS = migrations.Migration("2026-11-adopt-access-requests", design.AccessRequest)
CONVERSATIONS = migrations.Migration("2026-11-adopt-conversations", design.Conversation, up=_in_no_index)
SUBSCRIPTIONS = migrations.Migration("2026-11-adopt-subscriptions", design.Subscription)
AUDIT_LOG = migrations.Migration("2026-11-adopt-audit-log", design.AuditLog)
NOTIFICATIONS = migrations.Migration("2026-11-adopt-notifications", design.Notification)
