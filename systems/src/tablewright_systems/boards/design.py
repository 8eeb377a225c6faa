"""Boards' design, in the order of its document. Numbers in comments are the document's lines.

Additions to the document are marked, and explained in DEVIATIONS.md. Fields of entities accept what other programs
wrote; new values are validated by the types of `values`, in the bodies of requests.
"""

import sys
from typing import Annotated, Any, ClassVar

from pydantic import Field

from tablewright import Design, Entity, Find, Get, Index, Keys, Query, Scan, Table, fields, migrations
from tablewright_systems.boards.values import (
    MAX_SERVICES,
    ApproveJoinConfig,
    BoardName,
    NoConfig,
    Role,
    ServiceType,
    UserName,
)
from tablewright_systems.service.schemas import EPOCH_AS_TIME
from tablewright_systems.service.stored_values import AS_STORED
from tablewright_systems.service.text import fold_email

# --- Tables: names are defined here; a legacy *_TABLE environment variable overrides them ---

KEY = ("PK", "SK")

user_profiles = Table(
    "UserProfiles", KEY, [Index("userName-index", "userName")], variable="USER_PROFILES_TABLE"
)
boards = Table(
    "Boards",
    KEY,
    # The document gives these indexes no sort key; without one, a list has no order.
    [Index("ownerId-index", "ownerId", "createdAt"), Index("boardName-index", "boardName")],
    variable="BOARDS_TABLE",
)
board_memberships = Table(
    "BoardMemberships", KEY, [Index("userId-index", "userId", "joinedAt")], variable="BOARD_MEMBERSHIPS_TABLE"
)
board_join_requests = Table(
    "BoardJoinRequests",
    KEY,
    [Index("userId-index", "userId", "createdAt")],
    ttl="expiresAt",  # R8
    variable="BOARD_JOIN_REQUESTS_TABLE",
)
available_services = Table("AvailableServices", KEY, variable="AVAILABLE_SERVICES_TABLE")
board_service_settings = Table(
    "BoardServiceSettings",
    KEY,
    [Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "GSI2PK", "GSI2SK")],
    variable="BOARD_SERVICE_SETTINGS_TABLE",
)
board_service_permissions = Table("BoardServicePermissions", KEY, variable="BOARD_SERVICE_PERMISSIONS_TABLE")

# --- Entities ---


class UserProfile(Entity, table=user_profiles):
    """Profile of a user."""

    user_id: str
    email: Annotated[str, fields.Unique(normalise=fold_email)]
    # The lock is not in the document: an index cannot enforce uniqueness.
    user_name: Annotated[
        str,
        fields.Unique(key=("USERNAME#{user_name:fold}", "UNIQUE"), attributes={"userId": "{user_id}"}),
    ]
    created_at: fields.Timestamp = fields.now()
    deleting_at: fields.Timestamp | None = None  # not in the document: blocks additions during deletion

    keys = Keys(primary=("USER#{user_id}", "PROFILE"))


class Board(Entity, table=boards):
    """A shared board."""

    board_id: str = fields.new_id()
    # The lock is not in the document: as for user names.
    board_name: Annotated[
        str,
        fields.Unique(key=("BOARDNAME#{board_name:fold}", "UNIQUE"), attributes={"boardId": "{board_id}"}),
    ]
    owner_id: str
    enabled_services: list[str] = Field(default_factory=list)
    created_at: fields.Timestamp = fields.now()
    version: Annotated[int, fields.Version()] = 0  # not in the document: serialises changes of its services
    deleting_at: fields.Timestamp | None = None  # not in the document: blocks additions during deletion

    keys = Keys(primary=("BOARD#{board_id}", "META"))


class BoardMembership(Entity, table=board_memberships):
    """Membership of a user in a board."""

    board_id: str
    user_id: str
    role: Annotated[Role, *AS_STORED] = Role.MEMBER
    joined_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("BOARD#{board_id}", "USER#{user_id}"))


class BoardJoinRequest(Entity, table=board_join_requests):
    """A pending request to join a board."""

    board_id: str
    user_id: str
    question: str | None = None  # not in the document: the setting can change after the answer
    answer: str | None = None
    expires_at: Annotated[int, fields.Ttl(), *EPOCH_AS_TIME]
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("BOARD#{board_id}", "REQUEST#{user_id}"))


class AvailableService(Entity, table=available_services, expect=fields.Expect(items=50)):
    """A service type that boards can enable."""

    service_type: str
    display_name: str
    description: str

    keys = Keys(primary=("SERVICETYPE#{service_type}", "META"))


class BoardServiceSetting(
    Entity, table=board_service_settings, expect=fields.Expect(per_partition=MAX_SERVICES)
):
    """A service of a board, with its configuration."""

    board_id: str
    service_id: str = fields.new_id()
    service_type: str
    is_default: bool
    config: ApproveJoinConfig | NoConfig | dict[str, Any] = Field(union_mode="left_to_right")

    keys = Keys(
        primary=("BOARD#{board_id}", "SERVICE#{service_id}"),
        GSI1=("BOARD#{board_id}", "SERVICETYPE#{service_type}#{service_id}"),
        GSI2=("SERVICE#{service_id}", "BOARD#{board_id}"),
    )


class BoardServicePermission(Entity, table=board_service_permissions):
    """Permission of a user to use a service of a board."""

    board_id: str
    user_id: str
    service_id: str
    granted_at: fields.Timestamp = fields.now()
    granted_by: str

    keys = Keys(primary=("BOARD#{board_id}#SERVICE#{service_id}", "USER#{user_id}"))


# --- Access patterns: users ---


class ProfileById(Get[UserProfile]):
    """Get profile by userId (A1)."""

    user_id: str
    consistent = True


class ProfilesByUserName(Query[UserProfile]):
    """Look up profile by userName, exact spelling (A2); programs without claims can write a name twice."""

    user_name: UserName
    key = "userName = {user_name}"


class UserNameClaim(Get[UserProfile]):
    """Check userName is free, ignoring case and form (A3)."""

    user_name: UserName
    key = "PK = USERNAME#{user_name:fold} AND SK = UNIQUE"
    consistent = True


# --- Access patterns: boards ---


class BoardById(Get[Board]):
    """Get board by id (A4)."""

    board_id: str
    consistent = True


class BoardsOfOwner(Query[Board]):
    """List boards owned by user, the newest first (A5)."""

    owner_id: str
    key = "ownerId = {owner_id}"
    descending = True


class BoardsByName(Query[Board]):
    """Look up board by name, exact spelling (A6); programs without claims can write a name twice."""

    board_name: BoardName
    key = "boardName = {board_name}"


class BoardNameClaim(Get[Board]):
    """Check board name is free, ignoring case and form (A6)."""

    board_name: BoardName
    key = "PK = BOARDNAME#{board_name:fold} AND SK = UNIQUE"
    consistent = True


# --- Access patterns: memberships ---


class MembersOfBoard(Query[BoardMembership]):
    """List members of a board (A7)."""

    board_id: str
    key = "PK = BOARD#{board_id}, begins_with(SK, 'USER#')"
    consistent = True


class Membership(Get[BoardMembership]):
    """Is user member, and in which role (A8)."""

    board_id: str
    user_id: str
    consistent = True


class BoardsOfUser(Query[BoardMembership]):
    """List boards a user belongs to, the latest joined first (A9)."""

    user_id: str
    key = "userId = {user_id}"
    descending = True


# --- Access patterns: join requests; expired ones are never returned ---


class RequestsOfBoard(Query[BoardJoinRequest]):
    """List pending join requests of a board (A10)."""

    board_id: str
    key = "PK = BOARD#{board_id}, begins_with(SK, 'REQUEST#')"
    consistent = True


class JoinRequest(Get[BoardJoinRequest]):
    """Get one join request (A11)."""

    board_id: str
    user_id: str
    consistent = True


class RequestsOfUser(Query[BoardJoinRequest]):
    """List a user's join requests, the newest first (A12)."""

    user_id: str
    key = "userId = {user_id}"
    descending = True


# --- Access patterns: services ---


class ServiceByType(Get[AvailableService]):
    """Get a catalogue entry by type (A13)."""

    service_type: ServiceType
    consistent = True


class ServiceCatalogue(Scan[AvailableService]):
    """List the service catalogue (A14)."""


class ServicesOfBoard(Query[BoardServiceSetting]):
    """List all services of a board, by type (A15)."""

    board_id: str
    key = "GSI1PK = BOARD#{board_id}, begins_with(GSI1SK, 'SERVICETYPE#')"


class ServicesOfBoardNow(Query[BoardServiceSetting]):
    """List all services of a board, strongly consistent, by the key of the table (R4)."""

    board_id: str
    key = "PK = BOARD#{board_id}, begins_with(SK, 'SERVICE#')"
    consistent = True


class ServicesOfBoardByType(Query[BoardServiceSetting]):
    """List a specific type (A16)."""

    board_id: str
    service_type: ServiceType
    # The document's prefix has no # at its end, and would also find the type tradesArchive for trades.
    key = "GSI1PK = BOARD#{board_id}, begins_with(GSI1SK, 'SERVICETYPE#{service_type}#')"


class BoardOfService(Find[BoardServiceSetting]):
    """Find the board of a service, and its configuration, by the ID of the service (A17)."""

    service_id: str
    key = "GSI2PK = SERVICE#{service_id}"


class ServiceSetting(Get[BoardServiceSetting]):
    """Get one service setting (A18)."""

    board_id: str
    service_id: str
    consistent = True


class DefaultService(Find[BoardServiceSetting]):
    """Find the default service of a type on a board; two would be an error (A19)."""

    board_id: str
    service_type: ServiceType
    is_default: bool = True
    key = "PK = BOARD#{board_id}, begins_with(SK, 'SERVICE#')"
    filter = "service_type = {service_type} AND is_default = {is_default}"
    consistent = True


# --- Access patterns: permissions ---


class UsersOfService(Query[BoardServicePermission]):
    """List users permitted on a service (A20)."""

    board_id: str
    service_id: str
    consistent = True


class ServicePermission(Get[BoardServicePermission]):
    """Does user have permission on service (A21)."""

    board_id: str
    service_id: str
    user_id: str
    consistent = True


# --- Scans: background work, and reads without an index in development only, see `index_fallback` ---


class ProfilesBeingDeleted(Scan[UserProfile]):
    """List the users whose deletion has begun, for the job that finishes it."""

    filter = "attribute_exists(deleting_at)"
    suppress: ClassVar = {"TW303": "a background job that runs a few times a day"}


class AllProfiles(Scan[UserProfile]):
    """List all profiles, without an index."""

    suppress: ClassVar = {"TW303": "in development only, where a table lacks its index (133)"}


class AllBoards(Scan[Board]):
    """List all boards, without an index."""

    suppress: ClassVar = AllProfiles.suppress


class AllMemberships(Scan[BoardMembership]):
    """List all memberships, without an index."""

    suppress: ClassVar = AllProfiles.suppress


class AllRequests(Scan[BoardJoinRequest]):
    """List all join requests, without an index."""

    suppress: ClassVar = AllProfiles.suppress


class AllServices(Scan[BoardServiceSetting]):
    """List all services of all boards, without an index."""

    suppress: ClassVar = AllProfiles.suppress


# --- Migrations: rows as the document prints them have no claims ---

claims_of_users = migrations.Migration("2026-11-claims-of-users", UserProfile)
claims_of_boards = migrations.Migration("2026-11-claims-of-boards", Board)

design = Design.of(
    sys.modules[__name__],
    "boards",
    suppress={
        "TW106": "items with equal times are ordered by the table key, and cursors contain it: no page loses one",
    },
)
