"""Teams (F5).

Each member is an item of its own: a list inside the team would lose concurrent changes, and is limited to 400 KB.
"""

from enum import Enum
from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Entity, Find, Get, Index, Keys, Query, Table, fields
from tablewright_systems.listbackup.design.vocabulary import AWS_MANAGED_KEY, Id, Part, Right, new_uuid
from tablewright_systems.service import Timestamped

teams = Table(
    "${AWS::StackName}-teams",
    key=("accountId", "teamId"),
    encryption_key=AWS_MANAGED_KEY,
    indexes=[Index("teamId-index", "teamId"), Index("userId-teamId-index", "userId", "teamId")],
    discriminator="entityType",
)


class TeamRole(Enum):
    """The role of a user in a team."""

    LEAD = "lead"
    MEMBER = "member"


class TeamPermissions(Part):
    """The rights of a team's members, by kind of resource."""

    sources: list[Right] = Field(default_factory=list, max_length=5)
    reports: list[Right] = Field(default_factory=list, max_length=5)
    settings: list[Right] = Field(default_factory=list, max_length=5)


class Team(Timestamped, table=teams, type="TEAM", schema_version=1):
    """A group of users in an account."""

    account_id: Id
    team_id: Id = new_uuid()
    team_name: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[str, Field(max_length=2000)] = ""
    permissions: TeamPermissions = Field(default_factory=TeamPermissions)
    created_by: Id
    member_count: Annotated[int, fields.Counter()] = 0

    suppress: ClassVar = {"TW107": "an id contains no #"}


class TeamMember(Entity, table=teams, type="TEAM_MEMBER", schema_version=1):
    """A user in a team."""

    account_id: Annotated[Id, Field(alias="memberOfAccount")]
    team_id: Annotated[Id, Field(alias="memberOfTeam")]
    user_id: Id
    role: TeamRole = TeamRole.MEMBER
    joined_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("{account_id}#members", "{team_id}#{user_id}"))


class TeamsOfAccount(Query[Team]):
    """Get the teams of an account."""

    account_id: str
    consistent = True


class TeamOfAccount(Get[Team]):
    """Get a team of an account."""

    account_id: str
    team_id: str
    consistent = True


class TeamById(Find[Team]):
    """Get team by ID."""

    team_id: str
    index = "teamId-index"


class MemberOfTeam(Get[TeamMember]):
    """Get a user's membership in a team."""

    account_id: str
    team_id: str
    user_id: str
    consistent = True


class MembersOfTeam(Query[TeamMember]):
    """Get the members of a team."""

    account_id: str
    team_id: str
    key = "accountId = {account_id}#members AND begins_with(teamId, {team_id}#)"
    consistent = True


class TeamMembersOfAccount(Query[TeamMember]):
    """Get the members of all teams of an account, team by team."""

    account_id: str
    key = "accountId = {account_id}#members"
    consistent = True


class TeamsOfUser(Query[TeamMember]):
    """Get the teams that a user is in."""

    user_id: str
    index = "userId-teamId-index"


ENTITIES = (Team, TeamMember)
PATTERNS = (
    TeamsOfAccount,
    TeamOfAccount,
    TeamById,
    MemberOfTeam,
    MembersOfTeam,
    TeamMembersOfAccount,
    TeamsOfUser,
)
