"""Boards over HTTP: every flow and every list of the service under its own path. Who may do what, the service says."""

from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Query
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from tablewright import Repository
from tablewright_systems.authentication import Authenticator
from tablewright_systems.boards.design import (
    AvailableService,
    Board,
    BoardJoinRequest,
    BoardMembership,
    BoardServicePermission,
    BoardServiceSetting,
    UserProfile,
)
from tablewright_systems.boards.service import (
    boards,
    catalogue,
    joining,
    members,
    permissions,
    rights,
    services,
    users,
)
from tablewright_systems.boards.service.joining import Terms
from tablewright_systems.boards.service.users import PublicProfile
from tablewright_systems.boards.values import (
    APPROVE_JOIN,
    Answer,
    BoardName,
    Email,
    Role,
    ServiceType,
    ServiceTypes,
    UserName,
)
from tablewright_systems.http_api import CurrentCaller, Cursor, Db, Limit, PageReply, application

DESCRIPTION = "People who share a board, join it by approval, and use its services by permission."

router = APIRouter()


class Body(BaseModel):
    """What a request says."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class Registration(Body):
    """A new user; the e-mail address is needed where the token has none."""

    user_name: UserName
    email: Email | None = None


class NewUserName(Body):
    """Another name."""

    user_name: UserName


class NewBoard(Body):
    """A board to be made."""

    board_name: BoardName
    enabled_services: ServiceTypes = Field(default_factory=lambda: [APPROVE_JOIN])


class NewBoardName(Body):
    """Another name."""

    board_name: BoardName


class Asking(Body):
    """A request to join."""

    answer: Answer | None = None


class NewRole(Body):
    """Another role."""

    role: Role


class Somebody(Body):
    """Whom it is about."""

    user_id: str = Field(min_length=1, max_length=255)


class NewService(Body):
    """A service for a board; without a configuration it starts with that of its type."""

    service_type: ServiceType
    config: dict[str, Any] | None = None


class Availability(BaseModel):
    """Whether a name is free at this moment; only taking it makes sure."""

    free: bool


class Deletion(BaseModel):
    """Whether a deletion is finished; if not, ask for it again in a minute."""

    finished: bool


# --- Users ---


@router.post("/users", status_code=201, tags=["users"])
def register(db: Db, who: CurrentCaller, body: Registration) -> UserProfile:
    """Become a user."""
    return users.register(db, who, body.user_name, body.email)


@router.get("/users/{user_id}", tags=["users"])
def get_user(db: Db, who: CurrentCaller, user_id: str) -> PublicProfile:
    """A user, as others see them."""
    return users.profile(db, user_id)


@router.get("/user-names/{user_name}", tags=["users"])
def get_user_by_name(db: Db, who: CurrentCaller, user_name: UserName) -> PublicProfile:
    """A user by name."""
    return users.profile_by_name(db, user_name)


@router.get("/user-names/{user_name}/availability", tags=["users"])
def get_user_name_availability(db: Db, who: CurrentCaller, user_name: UserName) -> Availability:
    """Whether nobody has a name."""
    return Availability(free=users.is_name_free(db, user_name))


@router.get("/me", tags=["users"])
def get_me(db: Db, who: CurrentCaller) -> UserProfile:
    """All of my own profile."""
    return users.my_profile(db, who)


@router.patch("/me", tags=["users"])
def rename_me(db: Db, who: CurrentCaller, body: NewUserName) -> UserProfile:
    """Take another name."""
    return users.rename(db, who, body.user_name)


@router.delete("/me", status_code=202, tags=["users"])
def delete_me(db: Db, who: CurrentCaller) -> Deletion:
    """Delete my account; to be asked again until it is finished."""
    return Deletion(finished=users.delete_account(db, who))


@router.get("/me/boards", tags=["users"])
def list_my_boards(
    db: Db, who: CurrentCaller, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[BoardMembership]:
    """The boards that I belong to, the latest joined first."""
    return PageReply.of(members.my_boards(db, who, limit, cursor))


@router.get("/me/owned-boards", tags=["users"])
def list_owned_boards(
    db: Db, who: CurrentCaller, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[Board]:
    """The boards that I own, the newest first."""
    return PageReply.of(boards.owned_boards(db, who, limit, cursor))


@router.get("/me/requests", tags=["users"])
def list_my_requests(
    db: Db, who: CurrentCaller, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[BoardJoinRequest]:
    """My pending requests to join, the newest first."""
    return PageReply.of(joining.my_requests(db, who, limit, cursor))


# --- Boards ---


@router.post("/boards", status_code=201, tags=["boards"])
def create_board(db: Db, who: CurrentCaller, body: NewBoard) -> Board:
    """Make a board, and own it."""
    return boards.create_board(db, who, body.board_name, body.enabled_services)


@router.get("/boards/{board_id}", tags=["boards"])
def get_board(db: Db, who: CurrentCaller, board_id: str) -> Board:
    """A board."""
    return rights.board_of(db, board_id)


@router.patch("/boards/{board_id}", tags=["boards"])
def rename_board(db: Db, who: CurrentCaller, board_id: str, body: NewBoardName) -> Board:
    """Give a board another name."""
    return boards.rename_board(db, who, board_id, body.board_name)


@router.delete("/boards/{board_id}", status_code=204, tags=["boards"])
def delete_board(db: Db, who: CurrentCaller, board_id: str) -> None:
    """Delete a board with all that belongs to it."""
    boards.delete_board(db, who, board_id)


@router.put("/boards/{board_id}/owner", tags=["boards"])
def transfer_board(db: Db, who: CurrentCaller, board_id: str, body: Somebody) -> Board:
    """Give a board to another member."""
    return members.transfer(db, who, board_id, body.user_id)


@router.get("/board-names/{board_name}", tags=["boards"])
def get_board_by_name(db: Db, who: CurrentCaller, board_name: BoardName) -> Board:
    """A board by name."""
    return boards.board_by_name(db, board_name)


@router.get("/board-names/{board_name}/availability", tags=["boards"])
def get_board_name_availability(db: Db, who: CurrentCaller, board_name: BoardName) -> Availability:
    """Whether no board has a name."""
    return Availability(free=boards.is_name_free(db, board_name))


# --- Joining ---


@router.get("/boards/{board_id}/terms", tags=["joining"])
def get_terms(db: Db, who: CurrentCaller, board_id: str) -> Terms:
    """What it takes to join a board."""
    return joining.terms(db, board_id)


@router.post("/boards/{board_id}/requests", status_code=201, tags=["joining"])
def request_to_join(db: Db, who: CurrentCaller, board_id: str, body: Asking) -> BoardJoinRequest:
    """Ask to be let in."""
    return joining.request_to_join(db, who, board_id, body.answer)


@router.get("/boards/{board_id}/requests", tags=["joining"])
def list_requests(
    db: Db, who: CurrentCaller, board_id: str, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[BoardJoinRequest]:
    """Who waits to be let in."""
    return PageReply.of(joining.requests_of_board(db, who, board_id, limit, cursor))


@router.get("/boards/{board_id}/requests/{user_id}", tags=["joining"])
def get_request(db: Db, who: CurrentCaller, board_id: str, user_id: str) -> BoardJoinRequest:
    """One pending request."""
    return joining.join_request(db, who, board_id, user_id)


@router.post("/boards/{board_id}/requests/{user_id}/approval", status_code=201, tags=["joining"])
def approve_request(db: Db, who: CurrentCaller, board_id: str, user_id: str) -> BoardMembership:
    """Let somebody in."""
    return joining.approve(db, who, board_id, user_id)


@router.delete("/boards/{board_id}/requests/{user_id}", status_code=204, tags=["joining"])
def end_request(db: Db, who: CurrentCaller, board_id: str, user_id: str) -> None:
    """Cancel my own request, or reject somebody else's."""
    if user_id == who.user_id:
        joining.cancel(db, who, board_id)
    else:
        joining.reject(db, who, board_id, user_id)


# --- Members ---


@router.post("/boards/{board_id}/members", status_code=201, tags=["members"])
def join_board(db: Db, who: CurrentCaller, board_id: str) -> BoardMembership:
    """Join a board that needs no approval."""
    return joining.join(db, who, board_id)


@router.get("/boards/{board_id}/members", tags=["members"])
def list_members(
    db: Db, who: CurrentCaller, board_id: str, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[BoardMembership]:
    """The members of a board."""
    return PageReply.of(members.members(db, who, board_id, limit, cursor))


@router.get("/boards/{board_id}/members/{user_id}", tags=["members"])
def get_member(db: Db, who: CurrentCaller, board_id: str, user_id: str) -> BoardMembership:
    """Whether somebody is a member, and in which role."""
    return members.membership(db, who, board_id, user_id)


@router.patch("/boards/{board_id}/members/{user_id}", tags=["members"])
def change_role(db: Db, who: CurrentCaller, board_id: str, user_id: str, body: NewRole) -> BoardMembership:
    """Make a member a manager, or a manager a member."""
    return members.change_role(db, who, board_id, user_id, body.role)


@router.delete("/boards/{board_id}/members/{user_id}", status_code=204, tags=["members"])
def remove_member(db: Db, who: CurrentCaller, board_id: str, user_id: str) -> None:
    """Leave a board, or make somebody else leave."""
    if user_id == who.user_id:
        members.leave(db, who, board_id)
    else:
        members.kick(db, who, board_id, user_id)


# --- Services ---


@router.get("/boards/{board_id}/services", tags=["services"])
def list_services(
    db: Db,
    who: CurrentCaller,
    board_id: str,
    service_type: Annotated[ServiceType | None, Query(alias="serviceType")] = None,
    cursor: Cursor = None,
    limit: Limit = 20,
) -> PageReply[BoardServiceSetting]:
    """The services of a board, by type, or those of one type."""
    return PageReply.of(services.services(db, who, board_id, service_type, limit, cursor))


@router.post("/boards/{board_id}/services", status_code=201, tags=["services"])
def enable_service(db: Db, who: CurrentCaller, board_id: str, body: NewService) -> BoardServiceSetting:
    """Give a board a service."""
    return services.enable_service(db, who, board_id, body.service_type, body.config)


@router.get("/boards/{board_id}/services/{service_id}", tags=["services"])
def get_service(db: Db, who: CurrentCaller, board_id: str, service_id: str) -> BoardServiceSetting:
    """One service of a board."""
    return services.service(db, who, board_id, service_id)


@router.delete("/boards/{board_id}/services/{service_id}", status_code=204, tags=["services"])
def disable_service(db: Db, who: CurrentCaller, board_id: str, service_id: str) -> None:
    """Take a service from a board."""
    services.disable_service(db, who, board_id, service_id)


@router.put("/boards/{board_id}/services/{service_id}/config", tags=["services"])
def configure_service(
    db: Db, who: CurrentCaller, board_id: str, service_id: str, body: dict[str, Any]
) -> BoardServiceSetting:
    """Configure a service, as its type allows."""
    return services.configure(db, who, board_id, service_id, body)


@router.put("/boards/{board_id}/services/{service_id}/default", tags=["services"])
def make_service_default(db: Db, who: CurrentCaller, board_id: str, service_id: str) -> BoardServiceSetting:
    """Make a service the default of its type."""
    return services.make_default(db, who, board_id, service_id)


@router.get("/boards/{board_id}/default-services/{service_type}", tags=["services"])
def get_default_service(
    db: Db, who: CurrentCaller, board_id: str, service_type: ServiceType
) -> BoardServiceSetting:
    """The default service of a type."""
    return services.default_service(db, who, board_id, service_type)


@router.get("/services/{service_id}", tags=["services"])
def find_service(db: Db, who: CurrentCaller, service_id: str) -> BoardServiceSetting:
    """A service, by its id alone."""
    return services.service_by_id(db, who, service_id)


# --- Permissions ---


@router.get("/boards/{board_id}/services/{service_id}/permissions", tags=["permissions"])
def list_permissions(
    db: Db, who: CurrentCaller, board_id: str, service_id: str, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[BoardServicePermission]:
    """Who may use a service."""
    return PageReply.of(permissions.permitted_users(db, who, board_id, service_id, limit, cursor))


@router.post("/boards/{board_id}/services/{service_id}/permissions", status_code=201, tags=["permissions"])
def grant_permission(
    db: Db, who: CurrentCaller, board_id: str, service_id: str, body: Somebody
) -> BoardServicePermission:
    """Permit a member to use a service."""
    return permissions.grant(db, who, board_id, service_id, body.user_id)


@router.get("/boards/{board_id}/services/{service_id}/permissions/{user_id}", tags=["permissions"])
def get_permission(
    db: Db, who: CurrentCaller, board_id: str, service_id: str, user_id: str
) -> BoardServicePermission:
    """Whether somebody may use a service."""
    return permissions.permission(db, who, board_id, service_id, user_id)


@router.delete(
    "/boards/{board_id}/services/{service_id}/permissions/{user_id}", status_code=204, tags=["permissions"]
)
def revoke_permission(db: Db, who: CurrentCaller, board_id: str, service_id: str, user_id: str) -> None:
    """Permit it no longer."""
    permissions.revoke(db, who, board_id, service_id, user_id)


# --- Catalogue ---


@router.get("/catalogue", tags=["catalogue"])
def list_catalogue(db: Db, who: CurrentCaller) -> list[AvailableService]:
    """All types of service."""
    return catalogue.entries(db)


@router.get("/catalogue/{service_type}", tags=["catalogue"])
def get_catalogue_entry(db: Db, who: CurrentCaller, service_type: ServiceType) -> AvailableService:
    """A type of service."""
    return catalogue.entry(db, service_type)


@router.post("/catalogue", tags=["catalogue"])
def seed_catalogue(
    db: Db, who: CurrentCaller, entries: list[AvailableService] | None = None
) -> list[AvailableService]:
    """Put entries into the catalogue, for administrators; those that are there stay as they are. Which were new."""
    return catalogue.seed(db, who, catalogue.SEED if entries is None else entries)


def build(db: Repository, gate: Authenticator) -> FastAPI:
    """The API on a store."""
    return application("Boards", router, db, gate, DESCRIPTION)
