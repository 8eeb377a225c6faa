"""The HTTP API of ListBackup, by area."""

from fastapi import Depends, FastAPI, Request

from tablewright import Repository
from tablewright_systems.listbackup.api import (
    accounts,
    activities,
    archives,
    connections,
    memberships,
    notifications,
    sources,
    users,
)
from tablewright_systems.listbackup.api.connections import PlatformsAt, configured_platforms
from tablewright_systems.listbackup.service import tags
from tablewright_systems.listbackup.service.access import refuse_suspended
from tablewright_systems.listbackup.service.audit import ORIGIN, Origin
from tablewright_systems.web import Authenticator, Router, application, problems


async def _note_origin(request: Request) -> None:
    """Set the origin of the request for activities. Async, because only then endpoints run in this context."""
    client = request.client.host if request.client else None
    ORIGIN.set(Origin(client, request.headers.get("user-agent")))


router = Router(dependencies=[Depends(_note_origin)], responses=problems(403))
for _area in (
    *(users.router, accounts.router, memberships.router, memberships.team_router, connections.oauth_router),
    *(users.session_router, sources.router, sources.webhook_router, activities.router, archives.job_router),
    *(archives.router, connections.router, tags.router, notifications.router),
):
    router.include_router(_area)


def build(db: Repository, authenticator: Authenticator, platforms_at: PlatformsAt | None = None) -> FastAPI:
    """Build the API on a repository, with the platforms that environment variables configure or with others."""
    app = application("ListBackup", router, db, authenticator, check_caller=refuse_suspended)
    app.state.platforms_at = platforms_at or configured_platforms()
    return app
