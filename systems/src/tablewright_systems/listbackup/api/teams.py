"""Teams. A team is returned with its members, as in the document."""

from typing import Annotated

from fastapi import Response
from pydantic import Field

from tablewright import fields
from tablewright_systems.listbackup.api.names import Name, with_names
from tablewright_systems.listbackup.design.teams import Team, TeamMember, TeamPermissions, TeamRole
from tablewright_systems.listbackup.design.vocabulary import Id
from tablewright_systems.listbackup.service.users import teams
from tablewright_systems.service import Prose
from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router, View

router = Router("Teams", "Teams of an account.")

Description = Annotated[Prose, Field(max_length=2000)]


class NewTeam(Body):
    """A new team."""

    team_name: Name
    description: Description = ""
    permissions: TeamPermissions | None = None


class TeamChanges(Body):
    """Changes of a team."""

    team_name: Name | None = None
    description: Description | None = None
    permissions: TeamPermissions | None = None


class NewMember(Body):
    """A new member of a team."""

    user_id: Id
    role: TeamRole = TeamRole.MEMBER


class TeamMemberView(View):
    """A member of a team, with the user's names."""

    user_id: str
    user_name: str | None
    username: str | None
    role: TeamRole
    joined_at: fields.Timestamp


class TeamView(View):
    """A team and its members."""

    team: Team
    members: Annotated[list[TeamMemberView], Field(max_length=teams.MAX_MEMBERS)]


@router.get("/accounts/{account_id}/teams")
def teams_of(db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest) -> PageReply[Team]:
    """List the teams of an account."""
    return PageReply.of(paging.run(db, teams.teams_of(db, caller, account_id)))


@router.post("/accounts/{account_id}/teams", status_code=201)
def create_team(db: Db, caller: CurrentCaller, account_id: str, body: NewTeam) -> Team:
    """Create a team."""
    return teams.create_team(db, caller, account_id, **dict(body))


@router.get("/teams")
def own_teams(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[TeamMember]:
    """List the caller's teams."""
    return PageReply.of(paging.run(db, teams.own_teams(db, caller)))


@router.get("/teams/{team_id}")
def read_team(db: Db, caller: CurrentCaller, team_id: str) -> TeamView:
    """Get a team and its members."""
    found = teams.read_team(db, caller, team_id)
    return TeamView(team=found.team, members=with_names(db, TeamMemberView, found.members))


@router.patch("/accounts/{account_id}/teams/{team_id}")
def change_team(db: Db, caller: CurrentCaller, account_id: str, team_id: str, body: TeamChanges) -> Team:
    """Rename a team, or change its description or permissions."""
    return teams.change_team(db, caller, account_id, team_id, **body.given())


@router.delete("/accounts/{account_id}/teams/{team_id}", status_code=204, response_class=Response)
def delete_team(db: Db, caller: CurrentCaller, account_id: str, team_id: str) -> None:
    """Delete a team."""
    teams.delete_team(db, caller, account_id, team_id)


@router.post("/accounts/{account_id}/teams/{team_id}/members", status_code=201)
def add_member(db: Db, caller: CurrentCaller, account_id: str, team_id: str, body: NewMember) -> TeamMember:
    """Add a member of the account to a team."""
    return teams.add_member(db, caller, account_id, team_id, body.user_id, body.role)


@router.delete(
    "/accounts/{account_id}/teams/{team_id}/members/{user_id}", status_code=204, response_class=Response
)
def remove_member(db: Db, caller: CurrentCaller, account_id: str, team_id: str, user_id: str) -> None:
    """Remove a member from a team."""
    teams.remove_member(db, caller, account_id, team_id, user_id)
