"""What the HTTP APIs of the five systems share. One import brings what an API module needs.

from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router

router = Router("boards", "Boards and their owners.")

class NewBoard(Body):
    board_name: BoardName

@router.get("/boards")
def list_boards(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Board]: ...
"""

from tablewright_systems.service.schemas import Body, View, omittable
from tablewright_systems.web.api import application
from tablewright_systems.web.authentication import Authenticator, IdentityProvider, LocalIssuer
from tablewright_systems.web.entity_tags import ExpectedVersion
from tablewright_systems.web.openapi import problems
from tablewright_systems.web.replies import CountReply, ListReply, MixedEntries, PageReply
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
    "CountReply",
    "CurrentCaller",
    "Db",
    "ExpectedVersion",
    "IdentityProvider",
    "Limit",
    "ListReply",
    "LocalIssuer",
    "MixedEntries",
    "OptionalCaller",
    "PageReply",
    "PageRequest",
    "Router",
    "View",
    "application",
    "limited",
    "omittable",
    "problems",
]
