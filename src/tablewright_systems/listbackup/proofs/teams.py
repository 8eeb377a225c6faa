"""Proofs of teams: finding them, their members, what they add to rights."""

from tablewright_systems.listbackup.design.teams import (
    MembersOfTeam,
    TeamById,
    TeamPermissions,
    TeamRole,
    TeamsOfAccount,
    TeamsOfUser,
)
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.proofs.cast import founder, member, refused
from tablewright_systems.listbackup.service.access import Area, admit
from tablewright_systems.listbackup.service.users import teams
from tablewright_systems.problems import Conflict, Forbidden, NotFound
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("listbackup")


@PROOFS("A20", "001:147")
def teams_of_account(stage: Stage) -> None:
    """Get the teams of an account."""
    ada, account = founder(stage.db)
    made = [teams.create_team(stage.db, ada, account.account_id, team_name=name) for name in ("one", "two")]
    with stage.measured():
        found = stage.db.all(TeamsOfAccount(account_id=account.account_id))
    assert {each.team_id for each in found} == {each.team_id for each in made}


@PROOFS("A21", "001:176")
def team_by_id(stage: Stage) -> None:
    """Get team by ID, and only for those who are in its account."""
    ada, account = founder(stage.db)
    eve, _ = founder(stage.db)
    team = teams.create_team(stage.db, ada, account.account_id, team_name="one")
    stage.eventually(lambda: stage.db.run(TeamById(team_id=team.team_id)))
    with stage.measured():
        found = teams.read_team(stage.db, ada, team.team_id)
    assert found.team == team
    assert [each.role for each in found.members] == [TeamRole.LEAD]
    with refused(NotFound):
        teams.read_team(stage.db, eve, team.team_id)


@PROOFS("A46", "001:157")
def teams_of_user(stage: Stage) -> None:
    """Get the teams that a user is in."""
    ada, account = founder(stage.db)
    made = [teams.create_team(stage.db, ada, account.account_id, team_name=name) for name in ("one", "two")]
    pattern = TeamsOfUser(user_id=ada.user_id)
    stage.eventually(lambda: len(stage.db.run(pattern)) == 2)
    with stage.measured():
        found = stage.db.all(pattern)
    assert {each.team_id for each in found} == {each.team_id for each in made}


@PROOFS("F5", "001:164")
def team_permissions(stage: Stage) -> None:
    """Teams with leads and members, whose permissions are added to the user's own."""
    db = stage.db
    ada, account = founder(db)
    bob = member(db, ada, account.account_id)
    team = teams.create_team(
        db,
        ada,
        account.account_id,
        team_name="makers",
        permissions=TeamPermissions(sources=[Right.CREATE]),
    )
    with refused(Forbidden):
        admit(db, bob, account.account_id, Area.SOURCES, Right.CREATE)
    with stage.measured():
        teams.add_member(db, ada, account.account_id, team.team_id, bob.user_id)
    stage.eventually(lambda: db.all(TeamsOfUser(user_id=bob.user_id)))
    admit(db, bob, account.account_id, Area.SOURCES, Right.CREATE)
    with refused(Conflict, field="userId"):
        teams.add_member(db, ada, account.account_id, team.team_id, bob.user_id)
    members = db.all(MembersOfTeam(account_id=account.account_id, team_id=team.team_id))
    assert {each.user_id: each.role for each in members} == {
        ada.user_id: TeamRole.LEAD,
        bob.user_id: TeamRole.MEMBER,
    }
    teams.remove_member(db, ada, account.account_id, team.team_id, bob.user_id)
    assert teams.found_team(db, account.account_id, team.team_id).member_count == 1
