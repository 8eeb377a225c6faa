"""CollabHub over HTTP, by area. Who may do what, the service says."""

from fastapi import APIRouter, FastAPI

from tablewright import Repository
from tablewright_systems.authentication import Authenticator
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
from tablewright_systems.http_api import application

DESCRIPTION = (
    "Founders look for people and money; talents apply, investors ask for access, and all of them talk."
)

router = APIRouter()
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
    """The API, on a store."""
    return application("CollabHub", router, db, authenticator, DESCRIPTION)
