"""Proofs of teams: reading them, their members, the rights that they add."""

from tablewright_systems.listbackup.design.teams import (
    MembersOfTeam,
    TeamById,
    TeamPermissions,
    TeamRole,
    TeamsOfAccount,
    TeamsOfUser,
)
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.proofs.fixtures import new_member, new_owner
from tablewright_systems.listbackup.service.access import Area, require_right
from tablewright_systems.listbackup.service.users import teams
from tablewright_systems.service import Conflict, Forbidden, NotFound
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")


@PROOFS("A20")
def teams_of_account(context: ProofContext) -> None:
    """Get the teams of an account."""
    ada, account = new_owner(context.db)
    made = [teams.create_team(context.db, ada, account.account_id, team_name=name) for name in ("one", "two")]
    with context.measured():
        found = context.db.all(TeamsOfAccount(account_id=account.account_id))
    assert {each.team_id for each in found} == {each.team_id for each in made}


@PROOFS("A21")
def team_by_id(context: ProofContext) -> None:
    """Get team by ID, only for members of its account."""
    ada, account = new_owner(context.db)
    eve, _ = new_owner(context.db)
    team = teams.create_team(context.db, ada, account.account_id, team_name="one")
    context.eventually(lambda: context.db.run(TeamById(team_id=team.team_id)))
    with context.measured():
        found = teams.read_team(context.db, ada, team.team_id)
    assert found.team == team
    assert [each.role for each in found.members] == [TeamRole.LEAD]
    with expect_error(NotFound):
        teams.read_team(context.db, eve, team.team_id)


@PROOFS("A46")
def teams_of_user(context: ProofContext) -> None:
    """Get the teams that a user is in."""
    ada, account = new_owner(context.db)
    made = [teams.create_team(context.db, ada, account.account_id, team_name=name) for name in ("one", "two")]
    pattern = TeamsOfUser(user_id=ada.user_id)
    context.eventually(lambda: len(context.db.run(pattern)) == 2)
    with context.measured():
        found = context.db.all(pattern)
    assert {each.team_id for each in found} == {each.team_id for each in made}


@PROOFS("F5")
def team_permissions(context: ProofContext) -> None:
    """Teams have leads and members; their permissions are added to the member's own."""
    db = context.db
    ada, account = new_owner(db)
    bob = new_member(db, ada, account.account_id)
    team = teams.create_team(
        db,
        ada,
        account.account_id,
        team_name="makers",
        permissions=TeamPermissions(sources=[Right.CREATE]),
    )
    with expect_error(Forbidden):
        require_right(db, bob, account.account_id, Area.SOURCES, Right.CREATE)
    with context.measured():
        teams.add_member(db, ada, account.account_id, team.team_id, bob.user_id)
    context.eventually(lambda: db.all(TeamsOfUser(user_id=bob.user_id)))
    require_right(db, bob, account.account_id, Area.SOURCES, Right.CREATE)
    with expect_error(Conflict, field="userId"):
        teams.add_member(db, ada, account.account_id, team.team_id, bob.user_id)
    members = db.all(MembersOfTeam(account_id=account.account_id, team_id=team.team_id))
    assert {each.user_id: each.role for each in members} == {
        ada.user_id: TeamRole.LEAD,
        bob.user_id: TeamRole.MEMBER,
    }
    teams.remove_member(db, ada, account.account_id, team.team_id, bob.user_id)
    assert teams.get_team(db, account.account_id, team.team_id).member_count == 1
