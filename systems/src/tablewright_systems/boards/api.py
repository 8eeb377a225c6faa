"""HTTP API of Boards: the operations of its services, which also check permissions."""

from fastapi import FastAPI

from tablewright import Repository
from tablewright_systems.boards.service import (
    authorization,
    boards,
    catalogue,
    joining,
    members,
    permissions,
    services,
    users,
)
from tablewright_systems.web import Authenticator, Router, application

DESCRIPTION = "Shared boards: users join with approval and use the board's services with permission."

router = Router()
for _area in (users, authorization, boards, joining, members, services, permissions, catalogue):
    router.include_router(_area.router)


def build(db: Repository, authenticator: Authenticator) -> FastAPI:
    """Build the API on a repository."""
    return application("Boards", router, db, authenticator, DESCRIPTION)
