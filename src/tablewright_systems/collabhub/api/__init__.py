"""The HTTP API of CollabHub, by area. The service checks the caller's rights."""

from fastapi import FastAPI

from tablewright import Repository
from tablewright_systems.collabhub.api import (
    access,
    applications,
    audit,
    conversations,
    notifications,
    overviews,
    startups,
    subscriptions,
    users,
)
from tablewright_systems.web import Authenticator, Router, application

DESCRIPTION = (
    "Founders look for staff and funding; talents apply, investors request access, users exchange messages."
)

router = Router()
router.describe(
    Jobs="Background work that an administrator can start.",
    Roles="Open roles of startups.",
)
for _area in (
    users,
    startups,
    applications,
    access,
    conversations,
    subscriptions,
    notifications,
    audit,
    overviews,
):
    router.include_router(_area.router)


def build(db: Repository, authenticator: Authenticator) -> FastAPI:
    """Build the API on a repository."""
    return application("CollabHub", router, db, authenticator, DESCRIPTION)
