"""Boards and their members: seven tables, as written."""

from typing import Annotated, Literal

from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Ttl
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.patterns import Find, Get, Query, Scan
from tablewright.design.tables import Table
from tests.checks.real_designs.maps import Map

KEY = ("PK", "SK")
user_profiles = Table("UserProfiles", KEY, [Index("userName-index", "userName")], literal=True)
boards = Table(
    "Boards",
    KEY,
    [Index("ownerId-index", "ownerId"), Index("boardName-index", "boardName")],
    literal=True,
)
board_memberships = Table("BoardMemberships", KEY, [Index("userId-index", "userId")], literal=True)
board_join_requests = Table("BoardJoinRequests", KEY, [Index("userId-index", "userId")], literal=True)
available_services = Table("AvailableServices", KEY, literal=True)
board_service_settings = Table(
    "BoardServiceSettings",
    KEY,
    [Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "GSI2PK", "GSI2SK")],
    literal=True,
)
board_service_permissions = Table("BoardServicePermissions", KEY, literal=True)


class UserProfile(Entity, table=user_profiles):
    user_id: str
    email: str
    user_name: str
    created_at: str

    keys = Keys(primary=("USER#{user_id}", "PROFILE"))


class Board(Entity, table=boards):
    board_id: str
    board_name: str
    owner_id: str
    enabled_services: list[str]
    created_at: str

    keys = Keys(primary=("BOARD#{board_id}", "META"))


class BoardMembership(Entity, table=board_memberships):
    board_id: str
    user_id: str
    role: Literal["member", "manager", "owner"]
    joined_at: str

    keys = Keys(primary=("BOARD#{board_id}", "USER#{user_id}"))


class BoardJoinRequest(Entity, table=board_join_requests):
    board_id: str
    user_id: str
    answer: str
    expires_at: Annotated[int, Ttl()]
    created_at: str

    keys = Keys(primary=("BOARD#{board_id}", "REQUEST#{user_id}"))


class AvailableService(Entity, table=available_services):
    service_type: str
    display_name: str
    description: str

    keys = Keys(primary=("SERVICETYPE#{service_type}", "META"))


class ServiceConfig(Map):
    ttl_days: int
    ask_question: bool
    question_text: str


class BoardServiceSetting(Entity, table=board_service_settings):
    board_id: str
    service_id: str
    service_type: str
    is_default: bool
    config: ServiceConfig

    keys = Keys(
        primary=("BOARD#{board_id}", "SERVICE#{service_id}"),
        GSI1=("BOARD#{board_id}", "SERVICETYPE#{service_type}#{service_id}"),
        GSI2=("SERVICE#{service_id}", "BOARD#{board_id}"),
    )


class BoardServicePermission(Entity, table=board_service_permissions):
    board_id: str
    user_id: str
    service_id: str
    granted_at: str
    granted_by: str

    keys = Keys(primary=("BOARD#{board_id}#SERVICE#{service_id}", "USER#{user_id}"))


class ProfileById(Get[UserProfile]):
    user_id: str


class ProfileByUserName(Find[UserProfile]):
    """Username uniqueness and lookup."""

    user_name: str
    key = "userName = {user_name}"


class BoardById(Get[Board]):
    board_id: str


class BoardsOfOwner(Query[Board]):
    """Query by owner."""

    owner_id: str
    key = "ownerId = {owner_id}"


class BoardByName(Find[Board]):
    """Unique name check."""

    board_name: str
    key = "boardName = {board_name}"


class MembersOfBoard(Query[BoardMembership]):
    board_id: str


class Membership(Get[BoardMembership]):
    board_id: str
    user_id: str


class BoardsOfUser(Query[BoardMembership]):
    """List user-related items."""

    user_id: str
    key = "userId = {user_id}"


class BoardsOfUserWithoutIndex(Scan[BoardMembership]):
    """Services attempt GSI queries first and fall back to Scan in development if GSIs are missing."""

    user_id: str
    filter = "user_id = {user_id}"


class RequestsOfBoard(Query[BoardJoinRequest]):
    board_id: str


class JoinRequest(Get[BoardJoinRequest]):
    board_id: str
    user_id: str


class RequestsOfUser(Query[BoardJoinRequest]):
    """List user-related items."""

    user_id: str
    key = "userId = {user_id}"


class ServiceByType(Get[AvailableService]):
    service_type: str


class ServiceCatalogue(Scan[AvailableService]):
    """The catalogue, which is seeded manually."""


class ServicesOfBoard(Query[BoardServiceSetting]):
    """List all services of a board."""

    board_id: str
    key = "GSI1PK = BOARD#{board_id}, begins_with(GSI1SK, 'SERVICETYPE#')"


class ServicesOfBoardByType(Query[BoardServiceSetting]):
    """List a specific type (e.g., `trades`)."""

    board_id: str
    service_type: str
    key = "GSI1PK = BOARD#{board_id}, begins_with(GSI1SK, 'SERVICETYPE#{service_type}')"


class BoardOfService(Find[BoardServiceSetting]):
    """Given a `serviceId`, find its owning board and config in O(1)."""

    service_id: str
    key = "GSI2PK = SERVICE#{service_id}"


class ServiceSetting(Get[BoardServiceSetting]):
    board_id: str
    service_id: str


class UsersOfService(Query[BoardServicePermission]):
    board_id: str
    service_id: str


class ServicePermission(Get[BoardServicePermission]):
    board_id: str
    service_id: str
    user_id: str
