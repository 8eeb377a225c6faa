"""Teams: groups of an account's members, who share rights.

A member is an item of its own, so that two who join at once both join. The count stands in the team, with a cap.
"""

from dataclasses import dataclass
from typing import Any

from tablewright import Repository, writes
from tablewright_systems.api_errors import Conflict, Forbidden, NotFound
from tablewright_systems.authentication import Caller
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
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.service.access import Area, active_user, admit, enter, require_gift
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.store_errors import refusing

MOST_MEMBERS = 1000


@dataclass(frozen=True, slots=True)
class TeamWithMembers:
    """A team as the document has it, with its members in it."""

    team: Team
    members: list[TeamMember]


def create_team(
    db: Repository,
    caller: Caller,
    account_id: str,
    *,
    team_name: str,
    description: str = "",
    permissions: TeamPermissions | None = None,
) -> Team:
    """A new team, led by the caller."""
    access = admit(db, caller, account_id, Area.USERS, Right.CREATE)
    require_gift(db, access, permissions or TeamPermissions())
    team = Team(
        account_id=account_id,
        team_name=team_name,
        description=description,
        permissions=permissions or TeamPermissions(),
        created_by=caller.user_id,
        member_count=1,
    )
    lead = TeamMember(account_id=account_id, team_id=team.team_id, user_id=caller.user_id, role=TeamRole.LEAD)
    told = audit.record(caller, account_id, ResourceType.TEAM, team.team_id, Action.CREATE, after=team)
    db.transact(writes.Create(team), writes.Create(lead), told)
    return found_team(db, account_id, team.team_id)


def found_team(db: Repository, account_id: str, team_id: str) -> Team:
    """A team of an account."""
    team = db.run(TeamOfAccount(account_id=account_id, team_id=team_id))
    if team is None:
        raise NotFound(f"team {team_id}")
    return team


def read_team(db: Repository, caller: Caller, team_id: str) -> TeamWithMembers:
    """A team by its id alone: found through the index, then read from its account, which the caller must be in."""
    found = db.run(TeamById(team_id=team_id))
    if found is None:
        raise NotFound(f"team {team_id}")
    try:
        enter(db, caller, found.account_id)
    except Forbidden:
        raise NotFound(f"team {team_id}") from None
    team = found_team(db, found.account_id, team_id)
    return TeamWithMembers(team, db.all(MembersOfTeam(account_id=team.account_id, team_id=team_id)))


def teams_of(db: Repository, caller: Caller, account_id: str) -> TeamsOfAccount:
    """The pattern that finds the teams of an account; for all of its members."""
    enter(db, caller, account_id)
    return TeamsOfAccount(account_id=account_id)


def own_teams(db: Repository, caller: Caller) -> TeamsOfUser:
    """The pattern that finds the teams that the caller is in, in all accounts."""
    return TeamsOfUser(user_id=active_user(db, caller.user_id).user_id)


def change_team(
    db: Repository,
    caller: Caller,
    account_id: str,
    team_id: str,
    *,
    team_name: str | None = None,
    description: str | None = None,
    permissions: TeamPermissions | None = None,
) -> Team:
    """Rename a team, or change what its members may do."""
    access = admit(db, caller, account_id, Area.USERS, Right.UPDATE)
    require_gift(db, access, permissions or TeamPermissions())
    before = found_team(db, account_id, team_id)
    given = {"team_name": team_name, "description": description, "permissions": permissions}
    values: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if not values:
        return before
    told = audit.record(
        caller,
        account_id,
        ResourceType.TEAM,
        team_id,
        Action.UPDATE,
        before=before,
        after=before.changed(**values),
    )
    db.transact(writes.Update(TeamOfAccount(account_id=account_id, team_id=team_id), set=values), told)
    return found_team(db, account_id, team_id)


def add_member(
    db: Repository,
    caller: Caller,
    account_id: str,
    team_id: str,
    user_id: str,
    role: TeamRole = TeamRole.MEMBER,
) -> TeamMember:
    """Put an active member of the account into a team."""
    _require_lead(db, caller, account_id, team_id)
    member = TeamMember(account_id=account_id, team_id=team_id, user_id=user_id, role=role)
    told = audit.record(caller, account_id, ResourceType.TEAM, team_id, Action.JOIN, after=member)
    with refusing(
        {
            TeamMember: Conflict("that user is in the team already", "userId"),
            UserAccount: Conflict("that user is no active member of the account", "userId"),
            Team: Conflict(f"a team has at most {MOST_MEMBERS} members", "members"),
        }
    ):
        written = db.transact(
            writes.Create(member),
            writes.Check(
                Membership(user_id=user_id, account_id=account_id),
                UserAccount.status == MembershipStatus.ACTIVE,
            ),
            writes.Update(
                TeamOfAccount(account_id=account_id, team_id=team_id),
                add={"member_count": 1},
                when=Team.member_count < MOST_MEMBERS,
            ),
            told,
        )
    assert isinstance(written[0], TeamMember)
    return written[0]


def remove_member(db: Repository, caller: Caller, account_id: str, team_id: str, user_id: str) -> None:
    """Take somebody out of a team; everybody may go by themselves."""
    if caller.user_id == user_id:
        enter(db, caller, account_id)
    else:
        _require_lead(db, caller, account_id, team_id)
    _take_out(db, caller, account_id, team_id, user_id)


def leave_all_teams(db: Repository, caller: Caller, account_id: str, user_id: str) -> None:
    """Take somebody, who is no member of the account any more, out of its teams."""
    for seat in db.all(TeamsOfUser(user_id=user_id)):
        if seat.account_id == account_id:
            try:
                _take_out(db, caller, account_id, seat.team_id, user_id)
            except NotFound:
                continue  # the index is behind


def delete_team(db: Repository, caller: Caller, account_id: str, team_id: str) -> None:
    """End a team: first its members, then itself; what was interrupted is done by another call.

    Who joined in between is looked for once more, when nobody can join any longer.
    """
    admit(db, caller, account_id, Area.USERS, Right.DELETE)
    team = found_team(db, account_id, team_id)
    _remove_members(db, account_id, team_id)
    told = audit.record(caller, account_id, ResourceType.TEAM, team_id, Action.DELETE, before=team)
    db.transact(writes.Delete(TeamOfAccount(account_id=account_id, team_id=team_id)), told)
    _remove_members(db, account_id, team_id)


def _remove_members(db: Repository, account_id: str, team_id: str) -> None:
    members = db.all(MembersOfTeam(account_id=account_id, team_id=team_id))
    db.batch(map(writes.Delete, members))


def _require_lead(db: Repository, caller: Caller, account_id: str, team_id: str) -> None:
    """A lead of the team decides about its members; and who may change users, and may do what the team may."""
    access = enter(db, caller, account_id)
    team = found_team(db, account_id, team_id)
    seat = db.run(MemberOfTeam(account_id=account_id, team_id=team_id, user_id=caller.user_id))
    if seat is None or seat.role is not TeamRole.LEAD:
        admit(db, caller, account_id, Area.USERS, Right.UPDATE)
        require_gift(db, access, team.permissions)


def _take_out(db: Repository, caller: Caller, account_id: str, team_id: str, user_id: str) -> None:
    seat = MemberOfTeam(account_id=account_id, team_id=team_id, user_id=user_id)
    told = audit.record(
        caller, account_id, ResourceType.TEAM, team_id, Action.LEAVE, metadata={"userId": user_id}
    )
    with refusing({TeamMember: NotFound(f"member {user_id} of team {team_id}")}):
        db.transact(
            writes.Delete(seat, when=TeamMember.user_id == user_id),
            writes.Update(TeamOfAccount(account_id=account_id, team_id=team_id), add={"member_count": -1}),
            told,
        )
