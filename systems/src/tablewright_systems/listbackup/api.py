"""The HTTP API of ListBackup: the routers of its services."""

from fastapi import Depends, FastAPI, Request

from tablewright import Repository
from tablewright_systems.listbackup.platforms.platforms import PlatformsAt, configured_platforms
from tablewright_systems.listbackup.service import (
    accounts,
    activities,
    backups,
    closing,
    connections,
    delivery,
    hierarchy,
    invitations,
    jobs,
    limits,
    memberships,
    mfa,
    notifications,
    oauth,
    oauth_tokens,
    sessions,
    sources,
    tags,
    teams,
    users,
    webhooks,
)
from tablewright_systems.listbackup.service.access import refuse_suspended
from tablewright_systems.listbackup.service.audit import ORIGIN, Origin
from tablewright_systems.web import Authenticator, Router, application, problems


async def _note_origin(request: Request) -> None:
    """Set the origin of the request for activities. Async, because only then endpoints run in this context."""
    client = request.client.host if request.client else None
    ORIGIN.set(Origin(client, request.headers.get("user-agent")))


router = Router(dependencies=[Depends(_note_origin)], responses=problems(403))
for _service in (
    *(users, mfa, hierarchy, accounts, limits, closing, memberships, invitations, teams, oauth, oauth_tokens),
    *(sessions, sources, webhooks, activities, jobs, backups, connections, tags, notifications, delivery),
):
    router.include_router(_service.router)


def build(db: Repository, authenticator: Authenticator, platforms_at: PlatformsAt | None = None) -> FastAPI:
    """Build the API on a repository, with the platforms that environment variables configure or with others."""
    app = application("ListBackup", router, db, authenticator, check_caller=refuse_suspended)
    app.state.platforms_at = platforms_at or configured_platforms()
    return app
