"""Teams: groups of an account's members that share rights.

Each member is an item of its own, so that concurrent joins do not overwrite each other. The team counts its members.
"""

from typing import Annotated

from pydantic import Field

from tablewright import Repository, fields, writes
from tablewright_systems.listbackup.design.memberships import Membership, MembershipStatus, UserAccount
from tablewright_systems.listbackup.design.teams import (
    MemberOfTeam,
    MembersOfTeam,
    Team,
    TeamById,
    TeamMember,
    TeamOfAccount,
    TeamPermissions,
    TeamRole,
    TeamsOfAccount,
    TeamsOfUser,
)
from tablewright_systems.listbackup.design.vocabulary import Id, Name, ResourceType, Right
from tablewright_systems.listbackup.service import audit
from tablewright_systems.listbackup.service.access import (
    Access,
    Area,
    Ground,
    active_user,
    is_current,
    require_can_grant,
    require_member,
    require_right,
    still_in_team,
)
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.user_names import with_names
from tablewright_systems.service import (
    Caller,
    Conflict,
    Forbidden,
    NotFound,
    Prose,
    require_found,
    transact,
    written,
)
from tablewright_systems.web import CurrentCaller, Db, Router, View

router = Router("Teams", "Teams of an account.")

Description = Annotated[Prose, Field(max_length=2000)]
MAX_MEMBERS = 1000
REMOVED_AT_ONCE = 50
"""Members that one transaction removes from a deleted team."""


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
    members: Annotated[list[TeamMemberView], Field(max_length=MAX_MEMBERS)]


@router.post("/accounts/{account_id}/teams", status_code=201)
def create_team(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    *,
    team_name: Name,
    description: Description = "",
    permissions: TeamPermissions | None = None,
) -> Team:
    """Create a team, with the caller as its lead."""
    access = require_right(db, caller, account_id, Area.USERS, Right.CREATE)
    access = require_can_grant(db, access, permissions or TeamPermissions())
    team = Team(
        account_id=account_id,
        team_name=team_name,
        description=description,
        permissions=permissions or TeamPermissions(),
        created_by=caller.user_id,
        member_count=1,
    )
    lead = TeamMember(account_id=account_id, team_id=team.team_id, user_id=caller.user_id, role=TeamRole.LEAD)
    activity = audit.record(caller, team, Action.CREATE, after=team)
    db.transact(writes.Create(team), writes.Create(lead), activity, *access.grounds)
    return get_team(db, account_id, team.team_id)


def get_team(db: Repository, account_id: str, team_id: str) -> Team:
    """Return a team of an account, or raise NotFound."""
    return require_found(db.run(TeamOfAccount(account_id=account_id, team_id=team_id)), f"team {team_id}")


@router.get("/teams/{team_id}")
def read_team(db: Db, caller: CurrentCaller, team_id: str) -> TeamView:
    """Get a team and its members."""
    indexed = require_found(db.run(TeamById(team_id=team_id)), f"team {team_id}")
    try:
        require_member(db, caller, indexed.account_id)
    except Forbidden:
        raise NotFound(f"team {team_id}") from None
    team = get_team(db, indexed.account_id, team_id)
    members = db.all(MembersOfTeam(account_id=team.account_id, team_id=team_id))
    return TeamView(team=team, members=with_names(db, TeamMemberView, members))


@router.get("/accounts/{account_id}/teams")
def teams_of(db: Db, caller: CurrentCaller, account_id: str) -> TeamsOfAccount:
    """List the teams of an account."""
    require_member(db, caller, account_id)
    return TeamsOfAccount(account_id=account_id)


@router.get("/teams")
def own_teams(db: Db, caller: CurrentCaller) -> TeamsOfUser:
    """List the caller's teams."""
    return TeamsOfUser(user_id=active_user(db, caller).user_id)


@router.patch("/accounts/{account_id}/teams/{team_id}")
def change_team(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    team_id: str,
    *,
    team_name: Name | None = None,
    description: Description | None = None,
    permissions: TeamPermissions | None = None,
) -> Team:
    """Rename a team, or change its description or permissions."""
    access = require_right(db, caller, account_id, Area.USERS, Right.UPDATE)
    access = require_can_grant(db, access, permissions or TeamPermissions())
    before = get_team(db, account_id, team_id)
    values = audit.present(team_name=team_name, description=description, permissions=permissions)
    key = TeamOfAccount(account_id=account_id, team_id=team_id)
    return audit.change(db, caller, before, values, key=key, access=access)


@router.post("/accounts/{account_id}/teams/{team_id}/members", status_code=201)
def add_member(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    team_id: str,
    user_id: Id,
    role: TeamRole = TeamRole.MEMBER,
) -> TeamMember:
    """Add a member of the account to a team."""
    access = _require_lead(db, caller, account_id, team_id)
    member = TeamMember(account_id=account_id, team_id=team_id, user_id=user_id, role=role)
    created = writes.Create(member, otherwise=Conflict("this user is already a member of the team", "userId"))
    is_member = writes.Check(
        Membership(user_id=user_id, account_id=account_id),
        UserAccount.status == MembershipStatus.ACTIVE,
        otherwise=Conflict("this user is not an active member of the account", "userId"),
    )
    counted = writes.Update(
        TeamOfAccount(account_id=account_id, team_id=team_id),
        add={"member_count": 1},
        when=Team.member_count < MAX_MEMBERS,
        otherwise=Conflict(f"a team has at most {MAX_MEMBERS} members", "members"),
    )
    activity = audit.record(caller, member, Action.JOIN, after=member)
    return written(transact(db, created, *access.checked(is_member, counted), activity), TeamMember)


@router.delete(
    "/accounts/{account_id}/teams/{team_id}/members/{user_id}",
    status_code=204,
    name="remove_member",
)
def remove_member(db: Db, caller: CurrentCaller, account_id: str, team_id: str, user_id: str) -> None:
    """Remove a member from a team."""
    if caller.user_id == user_id:
        access = require_member(db, caller, account_id)
    else:
        access = _require_lead(db, caller, account_id, team_id)
    _remove(db, caller, account_id, team_id, user_id, access)


def remove_from_all_teams(db: Repository, caller: Caller, account_id: str, user_id: str) -> None:
    """Remove a user whose membership has ended from the account's teams."""
    for membership in db.all(TeamsOfUser(user_id=user_id)):
        if membership.account_id == account_id:
            try:
                _remove(db, caller, account_id, membership.team_id, user_id)
            except NotFound:
                continue  # the index lags


@router.delete("/accounts/{account_id}/teams/{team_id}", status_code=204)
def delete_team(db: Db, caller: CurrentCaller, account_id: str, team_id: str) -> None:
    """Delete a team."""
    # Members who joined in the meantime are deleted at the end, when no user can join any more.
    access = require_right(db, caller, account_id, Area.USERS, Right.DELETE)
    team = get_team(db, account_id, team_id)
    members = db.all(MembersOfTeam(account_id=account_id, team_id=team_id))
    for first in range(0, len(members), REMOVED_AT_ONCE):
        removed = map(writes.Delete, members[first : first + REMOVED_AT_ONCE])
        db.transact(*removed, *access.grounds)
    activity = audit.record(caller, team, Action.DELETE, before=team)
    key = TeamOfAccount(account_id=account_id, team_id=team_id)
    db.transact(writes.Delete(key), activity, *access.grounds)
    db.batch(map(writes.Delete, db.all(MembersOfTeam(account_id=account_id, team_id=team_id))))


def _require_lead(db: Repository, caller: Caller, account_id: str, team_id: str) -> Access:
    """Require a lead of the team, or the right to change users and all rights of the team."""
    access = require_member(db, caller, account_id)
    team = get_team(db, account_id, team_id)
    lead = db.run(MemberOfTeam(account_id=account_id, team_id=team_id, user_id=caller.user_id))
    if lead is None or lead.role is not TeamRole.LEAD or not is_current(lead, access.membership):
        access = require_right(db, caller, account_id, Area.USERS, Right.UPDATE)
        return require_can_grant(db, access, team.permissions)
    return access.using(Ground(checks=(still_in_team(lead),)))


def _remove(
    db: Repository,
    caller: Caller,
    account_id: str,
    team_id: str,
    user_id: str,
    access: Access | None = None,
) -> None:
    membership = MemberOfTeam(account_id=account_id, team_id=team_id, user_id=user_id)
    team = audit.Resource(account_id, ResourceType.TEAM, team_id)
    activity = audit.record(caller, team, Action.LEAVE, metadata={"userId": user_id})
    absent = NotFound(f"member {user_id} of team {team_id}")
    removal: list[writes.Write] = [
        writes.Delete(membership, when=TeamMember.user_id == user_id, otherwise=absent),
        writes.Update(TeamOfAccount(account_id=account_id, team_id=team_id), add={"member_count": -1}),
    ]
    db.transact(*(access.checked(*removal) if access else removal), activity)
