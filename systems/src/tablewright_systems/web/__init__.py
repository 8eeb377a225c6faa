"""What the HTTP APIs of the five systems share. One import brings what an API module needs.

from tablewright_systems.web import CurrentCaller, Db, Router

router = Router("Boards", "Boards and their owners.")

@router.post("/boards", status_code=201)
def create_board(db: Db, caller: CurrentCaller, board_name: BoardName) -> Board: ...

@router.get("/boards/{board_id}/members")
def members(db: Db, caller: CurrentCaller, board_id: str) -> MembersOfBoard: ...
"""

from tablewright_systems.service.schemas import Body, View, omittable
from tablewright_systems.web.api import application
from tablewright_systems.web.authentication import Authenticator, IdentityProvider, LocalIssuer
from tablewright_systems.web.entity_tags import ExpectedVersion
from tablewright_systems.web.openapi import problems
from tablewright_systems.web.replies import MixedEntries
from tablewright_systems.web.requests import (
    AUTHENTICATED,
    Actor,
    ClientNetwork,
    CurrentCaller,
    Db,
    Limit,
    OptionalCaller,
    PageRequest,
    limited,
)
from tablewright_systems.web.routers import Router

__all__ = [
    "AUTHENTICATED",
    "Actor",
    "Authenticator",
    "Body",
    "ClientNetwork",
    "CurrentCaller",
    "Db",
    "ExpectedVersion",
    "IdentityProvider",
    "Limit",
    "LocalIssuer",
    "MixedEntries",
    "OptionalCaller",
    "PageRequest",
    "Router",
    "View",
    "application",
    "limited",
    "omittable",
    "problems",
]
