"""HTTP API of Boards: one endpoint for each flow and list of the service, which also checks permissions."""

from typing import Annotated, Any

from fastapi import FastAPI, Query
from pydantic import Field

from tablewright import Repository
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
    authorization,
    boards,
    catalogue,
    joining,
    members,
    permissions,
    services,
    users,
)
from tablewright_systems.boards.service.joining import Terms
from tablewright_systems.boards.service.users import PublicProfile
from tablewright_systems.boards.values import (
    APPROVAL,
    APPROVE_JOIN,
    Answer,
    BoardName,
    NewServiceType,
    Role,
    ServiceType,
    ServiceTypes,
    UserName,
)
from tablewright_systems.service import MAX_LIMIT, Line, Prose, sorted_page
from tablewright_systems.web import (
    Authenticator,
    Body,
    CurrentCaller,
    Db,
    ExpectedVersion,
    ListReply,
    PageReply,
    PageRequest,
    Router,
    View,
    application,
    limited,
    problems,
)

DESCRIPTION = "Shared boards: users join with approval and use the board's services with permission."

router = Router()
router.describe(
    Users="Registration and profiles.",
    Boards="Boards and their owners.",
    Joining="Requests to join a board.",
    Members="Members of a board, and their roles.",
    Services="Services of a board.",
    Permissions="Who may use a service.",
    Catalogue="The types of services.",
)


Config = Annotated[dict[str, Any], Field(examples=[APPROVAL.model_dump(by_alias=True)])]
"""Settings of a service; the example is for the approval of join requests."""


class NewUserName(Body):
    """The name of a user."""

    user_name: UserName


class NewBoard(Body):
    """A new board."""

    board_name: BoardName
    enabled_services: ServiceTypes = Field(default_factory=lambda: [APPROVE_JOIN])


class NewBoardName(Body):
    """A new name of a board."""

    board_name: BoardName


class NewJoinRequest(Body):
    """A request to join."""

    answer: Answer | None = None


class NewRole(Body):
    """A new role."""

    role: Role


class UserReference(Body):
    """ID of a user."""

    user_id: str = Field(min_length=1, max_length=255)


class NewService(Body):
    """A new service of a board; the default configuration is that of its type."""

    service_type: ServiceType
    config: Config | None = None


class NewEntry(Body):
    """A service type to add to the catalogue."""

    service_type: NewServiceType
    display_name: Annotated[Line, Field(min_length=1, max_length=100)]
    description: Annotated[Prose, Field(max_length=1_000)]


class NewEntries(Body):
    """Service types to add to the catalogue."""

    entries: Annotated[list[NewEntry], Field(max_length=MAX_LIMIT)]


class Availability(View):
    """Whether a name is available now. Another user can take it until you do."""

    free: bool


class Deletion(View):
    """Whether a deletion is finished; if not, send the request again in a minute."""

    finished: bool


# --- Users ---


@router.post("/users", status_code=201, tags=["Users"], responses=problems(404))
def register(db: Db, caller: CurrentCaller, body: NewUserName) -> UserProfile:
    """Register as a user, with the verified e-mail address of your token."""
    return users.register(db, caller, body.user_name)


@router.get("/users/{user_id}", tags=["Users"])
def get_user(db: Db, caller: CurrentCaller, user_id: str) -> PublicProfile:
    """Get the public profile of a user."""
    return PublicProfile.model_validate(users.profile(db, user_id))


@router.get("/user-names", tags=["Users"], responses=problems(404))
def get_user_by_name(
    db: Db, caller: CurrentCaller, user_name: Annotated[UserName, Query(alias="userName")]
) -> PublicProfile:
    """Get the public profile of the user with a name."""
    return PublicProfile.model_validate(users.profile_by_name(db, user_name))


@router.get(
    "/user-names/availability",
    tags=["Users"],
    dependencies=[limited("user-names", 30)],
    responses=problems(404, 409, 429),
)
def get_user_name_availability(
    db: Db, caller: CurrentCaller, user_name: Annotated[UserName, Query(alias="userName")]
) -> Availability:
    """Check whether a user name is available."""
    return Availability(free=users.NAMES.is_free(db, user_name))


@router.get("/me", tags=["Users"], responses=problems(404))
def get_me(db: Db, caller: CurrentCaller) -> UserProfile:
    """Get your profile."""
    return users.my_profile(db, caller)


@router.patch("/me", tags=["Users"], responses=problems(404, 409))
def rename_me(db: Db, caller: CurrentCaller, body: NewUserName) -> UserProfile:
    """Change your name."""
    return users.rename(db, caller, body.user_name)


@router.delete("/me", status_code=202, tags=["Users"], responses=problems(404, 409))
def delete_me(db: Db, caller: CurrentCaller) -> Deletion:
    """Delete your account.

    The deletion is finished after a minute, by the same request or by a background job.
    """
    return Deletion(finished=users.delete_account(db, caller))


@router.get("/me/boards", tags=["Users"])
def list_my_boards(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[BoardMembership]:
    """List the boards that you are a member of, latest joined first."""
    return PageReply.of(members.my_boards(db, caller, paging))


@router.get("/me/owned-boards", tags=["Users"])
def list_owned_boards(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Board]:
    """List the boards that you own, newest first."""
    return PageReply.of(boards.owned_boards(db, caller, paging))


@router.get("/me/requests", tags=["Users"])
def list_my_requests(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[BoardJoinRequest]:
    """List your pending join requests, newest first."""
    return PageReply.of(joining.my_requests(db, caller, paging))


# --- Boards ---


@router.post("/boards", status_code=201, tags=["Boards"], responses=problems(404))
def create_board(db: Db, caller: CurrentCaller, body: NewBoard) -> Board:
    """Create a board that you own."""
    return boards.create_board(db, caller, body.board_name, body.enabled_services)


@router.get("/boards/{board_id}", tags=["Boards"])
def get_board(db: Db, caller: CurrentCaller, board_id: str) -> Board:
    """Get a board."""
    return authorization.board_of(db, board_id)


@router.patch("/boards/{board_id}", tags=["Boards"])
def rename_board(
    db: Db, caller: CurrentCaller, board_id: str, version: ExpectedVersion, body: NewBoardName
) -> Board:
    """Rename a board."""
    return boards.rename_board(db, caller, board_id, body.board_name, version)


@router.delete("/boards/{board_id}", status_code=204, tags=["Boards"])
def delete_board(db: Db, caller: CurrentCaller, board_id: str, version: ExpectedVersion) -> None:
    """Delete a board and all its data."""
    boards.delete_board(db, caller, board_id, version)


@router.put("/boards/{board_id}/owner", tags=["Boards"])
def transfer_board(
    db: Db, caller: CurrentCaller, board_id: str, version: ExpectedVersion, body: UserReference
) -> Board:
    """Transfer a board to another member."""
    return members.transfer(db, caller, board_id, body.user_id, version)


@router.get("/board-names", tags=["Boards"], responses=problems(404))
def get_board_by_name(
    db: Db, caller: CurrentCaller, board_name: Annotated[BoardName, Query(alias="boardName")]
) -> Board:
    """Get the board with a name."""
    return boards.board_by_name(db, board_name)


@router.get(
    "/board-names/availability",
    tags=["Boards"],
    dependencies=[limited("board-names", 30)],
    responses=problems(404, 409, 429),
)
def get_board_name_availability(
    db: Db, caller: CurrentCaller, board_name: Annotated[BoardName, Query(alias="boardName")]
) -> Availability:
    """Check whether a board name is available."""
    return Availability(free=boards.NAMES.is_free(db, board_name))


# --- Joining ---


@router.get("/boards/{board_id}/terms", tags=["Joining"])
def get_terms(db: Db, caller: CurrentCaller, board_id: str) -> Terms:
    """Get the requirements for joining a board."""
    return joining.terms(db, board_id)


@router.post("/boards/{board_id}/requests", status_code=201, tags=["Joining"], responses=problems(404))
def request_to_join(db: Db, caller: CurrentCaller, board_id: str, body: NewJoinRequest) -> BoardJoinRequest:
    """Request to join a board."""
    return joining.request_to_join(db, caller, board_id, body.answer)


@router.get("/boards/{board_id}/requests", tags=["Joining"], responses=problems(403, 404))
def list_requests(
    db: Db, caller: CurrentCaller, board_id: str, paging: PageRequest
) -> PageReply[BoardJoinRequest]:
    """List the pending join requests of a board."""
    return PageReply.of(joining.requests_of_board(db, caller, board_id, paging))


@router.get("/boards/{board_id}/requests/{user_id}", tags=["Joining"], responses=problems(403, 404))
def get_request(db: Db, caller: CurrentCaller, board_id: str, user_id: str) -> BoardJoinRequest:
    """Get a pending join request."""
    return joining.join_request(db, caller, board_id, user_id)


@router.post("/boards/{board_id}/requests/{user_id}/approval", status_code=201, tags=["Joining"])
def approve_request(db: Db, caller: CurrentCaller, board_id: str, user_id: str) -> BoardMembership:
    """Approve a join request."""
    return joining.approve(db, caller, board_id, user_id)


@router.delete("/boards/{board_id}/requests/{user_id}", status_code=204, tags=["Joining"])
def end_request(db: Db, caller: CurrentCaller, board_id: str, user_id: str) -> None:
    """Cancel your own join request, or reject the request of another user."""
    if user_id == caller.user_id:
        joining.cancel(db, caller, board_id)
    else:
        joining.reject(db, caller, board_id, user_id)


# --- Members ---


@router.post("/boards/{board_id}/members", status_code=201, tags=["Members"], responses=problems(404))
def join_board(db: Db, caller: CurrentCaller, board_id: str) -> BoardMembership:
    """Join a board that needs no approval."""
    return joining.join(db, caller, board_id)


@router.get("/boards/{board_id}/members", tags=["Members"], responses=problems(403, 404))
def list_members(
    db: Db, caller: CurrentCaller, board_id: str, paging: PageRequest
) -> PageReply[BoardMembership]:
    """List the members of a board."""
    return PageReply.of(members.members(db, caller, board_id, paging))


@router.get("/boards/{board_id}/members/{user_id}", tags=["Members"], responses=problems(403, 404))
def get_member(db: Db, caller: CurrentCaller, board_id: str, user_id: str) -> BoardMembership:
    """Get the membership of a user, with its role."""
    return members.membership(db, caller, board_id, user_id)


@router.patch("/boards/{board_id}/members/{user_id}", tags=["Members"])
def change_role(db: Db, caller: CurrentCaller, board_id: str, user_id: str, body: NewRole) -> BoardMembership:
    """Change the role of a member."""
    return members.change_role(db, caller, board_id, user_id, body.role)


@router.delete("/boards/{board_id}/members/{user_id}", status_code=204, tags=["Members"])
def remove_member(db: Db, caller: CurrentCaller, board_id: str, user_id: str) -> None:
    """Leave a board, or remove another member."""
    if user_id == caller.user_id:
        members.leave(db, caller, board_id)
    else:
        members.kick(db, caller, board_id, user_id)


# --- Services ---


@router.get("/boards/{board_id}/services", tags=["Services"], responses=problems(403, 404))
def list_services(
    db: Db,
    caller: CurrentCaller,
    board_id: str,
    paging: PageRequest,
    service_type: Annotated[ServiceType | None, Query(alias="serviceType")] = None,
) -> PageReply[BoardServiceSetting]:
    """List the services of a board by type, optionally of one type."""
    return PageReply.of(services.services(db, caller, board_id, service_type, paging))


@router.post("/boards/{board_id}/services", status_code=201, tags=["Services"])
def enable_service(db: Db, caller: CurrentCaller, board_id: str, body: NewService) -> BoardServiceSetting:
    """Enable a service on a board."""
    return services.enable_service(db, caller, board_id, body.service_type, body.config)


@router.get("/boards/{board_id}/services/{service_id}", tags=["Services"], responses=problems(403, 404))
def get_service(db: Db, caller: CurrentCaller, board_id: str, service_id: str) -> BoardServiceSetting:
    """Get a service of a board."""
    return services.service(db, caller, board_id, service_id)


@router.delete("/boards/{board_id}/services/{service_id}", status_code=204, tags=["Services"])
def disable_service(db: Db, caller: CurrentCaller, board_id: str, service_id: str) -> None:
    """Disable a service of a board."""
    services.disable_service(db, caller, board_id, service_id)


@router.put("/boards/{board_id}/services/{service_id}/config", tags=["Services"])
def configure_service(
    db: Db, caller: CurrentCaller, board_id: str, service_id: str, body: Config
) -> BoardServiceSetting:
    """Configure a service; the allowed settings depend on its type."""
    return services.configure(db, caller, board_id, service_id, body)


@router.put("/boards/{board_id}/services/{service_id}/default", tags=["Services"])
def make_service_default(
    db: Db, caller: CurrentCaller, board_id: str, service_id: str
) -> BoardServiceSetting:
    """Make a service the default of its type on the board."""
    return services.make_default(db, caller, board_id, service_id)


@router.get(
    "/boards/{board_id}/default-services/{service_type}", tags=["Services"], responses=problems(403, 404)
)
def get_default_service(
    db: Db, caller: CurrentCaller, board_id: str, service_type: ServiceType
) -> BoardServiceSetting:
    """Get the default service of a type on a board."""
    return services.default_service(db, caller, board_id, service_type)


@router.get("/services/{service_id}", tags=["Services"], responses=problems(403, 404))
def find_service(db: Db, caller: CurrentCaller, service_id: str) -> BoardServiceSetting:
    """Get a service by its ID alone."""
    return services.service_by_id(db, caller, service_id)


# --- Permissions ---


@router.get(
    "/boards/{board_id}/services/{service_id}/permissions", tags=["Permissions"], responses=problems(403, 404)
)
def list_permissions(
    db: Db, caller: CurrentCaller, board_id: str, service_id: str, paging: PageRequest
) -> PageReply[BoardServicePermission]:
    """List the users with permission to use a service."""
    return PageReply.of(permissions.permitted_users(db, caller, board_id, service_id, paging))


@router.post("/boards/{board_id}/services/{service_id}/permissions", status_code=201, tags=["Permissions"])
def grant_permission(
    db: Db, caller: CurrentCaller, board_id: str, service_id: str, body: UserReference
) -> BoardServicePermission:
    """Give a member permission to use a service."""
    return permissions.grant(db, caller, board_id, service_id, body.user_id)


@router.get(
    "/boards/{board_id}/services/{service_id}/permissions/{user_id}",
    tags=["Permissions"],
    responses=problems(403, 404),
)
def get_permission(
    db: Db, caller: CurrentCaller, board_id: str, service_id: str, user_id: str
) -> BoardServicePermission:
    """Get the permission of a user for a service."""
    return permissions.permission(db, caller, board_id, service_id, user_id)


@router.delete(
    "/boards/{board_id}/services/{service_id}/permissions/{user_id}", status_code=204, tags=["Permissions"]
)
def revoke_permission(db: Db, caller: CurrentCaller, board_id: str, service_id: str, user_id: str) -> None:
    """Revoke the permission of a user for a service."""
    permissions.revoke(db, caller, board_id, service_id, user_id)


@router.get("/catalogue", tags=["Catalogue"])
def list_catalogue(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[AvailableService]:
    """List the service types by name."""
    return PageReply.of(
        sorted_page(catalogue.entries(db), paging, "catalogue", lambda entry: entry.service_type)
    )


@router.get("/catalogue/{service_type}", tags=["Catalogue"])
def get_catalogue_entry(db: Db, caller: CurrentCaller, service_type: ServiceType) -> AvailableService:
    """Get a service type."""
    return catalogue.entry(db, service_type)


@router.post("/catalogue", tags=["Catalogue"])
def seed_catalogue(
    db: Db, caller: CurrentCaller, body: NewEntries | None = None
) -> ListReply[AvailableService]:
    """Add service types (administrators); without a body, those of the system itself.

    Existing types are unchanged. The reply lists the types that were added.
    """
    if body is None:
        return ListReply(items=catalogue.seed(db, caller))
    return ListReply(
        items=catalogue.seed(db, caller, [AvailableService(**entry.given()) for entry in body.entries])
    )


def build(db: Repository, authenticator: Authenticator) -> FastAPI:
    """Build the API on a store."""
    return application("Boards", router, db, authenticator, DESCRIPTION)
