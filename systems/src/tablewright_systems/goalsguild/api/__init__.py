"""HTTP API of GoalsGuild. Field names are in camelCase, as in the table and in GraphQL (F15)."""

from fastapi import FastAPI

from tablewright import Repository
from tablewright_systems.goalsguild.api import accounts, goals, offers, rooms
from tablewright_systems.goalsguild.service.permissions import refuse_suspended
from tablewright_systems.web import Authenticator, Router, application

DESCRIPTION = "Goals, tasks and milestones; rooms, threads and offers."

router = Router()
for part in (accounts, goals, rooms, offers):
    router.include_router(part.router)


def build(db: Repository, authenticator: Authenticator) -> FastAPI:
    """Build the API on a store."""
    return application("GoalsGuild", router, db, authenticator, DESCRIPTION, refuse_suspended)
