"""HTTP API of GoalsGuild. Field names are in camelCase, as in the table and in GraphQL (F15)."""

from fastapi import FastAPI

from tablewright import Repository
from tablewright_systems.goalsguild.service import (
    accounts,
    assistance,
    goals,
    logins,
    offers,
    reminders,
    rooms,
    users,
)
from tablewright_systems.goalsguild.service.permissions import refuse_suspended
from tablewright_systems.web import Authenticator, Router, application

DESCRIPTION = "Goals, tasks and milestones; rooms, threads and offers."

router = Router()
for _area in (
    *(users, logins, accounts),
    *(goals, reminders),
    *(rooms, assistance, offers),
):
    router.include_router(_area.router)


def build(db: Repository, authenticator: Authenticator) -> FastAPI:
    """Build the API on a store."""
    return application("GoalsGuild", router, db, authenticator, DESCRIPTION, refuse_suspended)
