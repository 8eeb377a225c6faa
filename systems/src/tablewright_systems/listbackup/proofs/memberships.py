"""Proofs of memberships: users in accounts, invitations, teams and the rights that they add."""

from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    AccountsOfUser,
    InvitationsOfAccount,
    Membership,
    MembershipStatus,
    Permissions,
    UsersOfAccount,
)
from tablewright_systems.listbackup.design.teams import (
    MembersOfTeam,
    TeamById,
    TeamPermissions,
    TeamRole,
    TeamsOfAccount,
    TeamsOfUser,
)
from tablewright_systems.listbackup.design.users import UserByEmail
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.proofs.fixtures import new_caller, new_member, new_owner, reload_account
from tablewright_systems.listbackup.service import invitations, memberships, notifications, teams, users
from tablewright_systems.listbackup.service.access import Area, require_right
from tablewright_systems.service import Conflict, Forbidden, Gone, NotFound
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")


@PROOFS("A17")
def accounts_of_user(context: ProofContext) -> None:
    """Get the accounts of a user."""
    ada, account = new_owner(context.db)
    bob = new_member(context.db, ada, account.account_id)
    own = users.own_user(context.db, bob).account_id
    with context.measured():
        listed = context.db.all(AccountsOfUser(user_id=bob.user_id))
    assert {joined.account_id for joined in listed} == {own, account.account_id}


@PROOFS("A18")
def membership(context: ProofContext) -> None:
    """Get a user's membership in an account."""
    ada, account = new_owner(context.db)
    bob = new_member(context.db, ada, account.account_id, AccountRole.READONLY)
    with context.measured():
        stored = context.db.run(Membership(user_id=bob.user_id, account_id=account.account_id))
    assert stored is not None
    assert (stored.role, stored.invited_by) == (AccountRole.READONLY, ada.user_id)


@PROOFS("A19")
def users_of_account(context: ProofContext) -> None:
    """Get the users of an account; invitations are listed separately."""
    ada, account = new_owner(context.db)
    bob = new_member(context.db, ada, account.account_id)
    guest = str(new_caller().claim("email"))
    invitations.invite(context.db, ada, account.account_id, guest)
    pattern = UsersOfAccount(account_id=account.account_id)
    context.eventually(lambda: len(context.db.run(pattern)) == 2)
    with context.measured():
        listed = context.db.all(pattern)
    assert [member.user_id for member in listed] == sorted([ada.user_id, bob.user_id])
    open_ones = InvitationsOfAccount(account_id=account.account_id)
    context.eventually(lambda: [invitation.email for invitation in context.db.run(open_ones)] == [guest])


@PROOFS("F3")
def invitation_to_membership(context: ProofContext) -> None:
    """Invite, accept, suspend, reinstate; the last owner stays; the role decides the rights."""
    db = context.db
    ada, account = new_owner(db)
    bob = new_caller()
    invitations.invite(db, ada, account.account_id, str(bob.claim("email")))
    with expect_error(Conflict, field="email"):
        invitations.invite(db, ada, account.account_id, str(bob.claim("email")))
    users.sign_up(db, bob, username=bob.user_id, name="Bob", account_name="Bob's")
    with context.measured():
        seat = invitations.accept(db, bob, account.account_id)
    assert seat.status is MembershipStatus.ACTIVE
    assert reload_account(db, account).users_used == 2
    with expect_error(NotFound):
        invitations.accept(db, bob, account.account_id)
    with expect_error(Forbidden):
        require_right(db, bob, account.account_id, Area.USERS, Right.DELETE)
    memberships.suspend_member(db, ada, account.account_id, bob.user_id)
    with expect_error(Forbidden):
        memberships.leave_account(db, bob, account.account_id)
    memberships.reinstate_member(db, ada, account.account_id, bob.user_id)
    with expect_error(Conflict, field="role"):
        memberships.leave_account(db, ada, account.account_id)
    memberships.leave_account(db, bob, account.account_id)
    assert reload_account(db, account).users_used == 1
    _rights_are_granted_only_by_those_who_have_them(context)
    _invitations_expire(context)


def _rights_are_granted_only_by_those_who_have_them(context: ProofContext) -> None:
    db = context.db
    ada, account = new_owner(db)
    here = account.account_id
    clerk = new_member(db, ada, here, permissions=Permissions(users=[Right.UPDATE]))
    carol = new_member(db, ada, here, AccountRole.READONLY, Permissions(sources=[Right.DELETE]))
    with expect_error(Forbidden, field="permissions"):
        memberships.change_role(
            db, clerk, here, carol.user_id, AccountRole.MEMBER, Permissions(sources=[Right.DELETE])
        )
    memberships.change_role(db, clerk, here, carol.user_id, AccountRole.MEMBER)
    with expect_error(Forbidden):
        require_right(db, carol, here, Area.SOURCES, Right.DELETE)
    with expect_error(Forbidden):
        memberships.change_role(db, clerk, here, carol.user_id, AccountRole.ADMIN)


def _invitations_expire(context: ProofContext) -> None:
    """An invited user is notified, and cannot accept the invitation after its time; then it no longer counts."""
    db = context.db
    (ada, account), (dave, _) = new_owner(db), new_owner(db)
    context.eventually(lambda: db.run(UserByEmail(email=str(dave.email))))
    invitations.invite(db, ada, account.account_id, str(dave.email))
    assert f"You are invited to {account.account_name}" in {
        notification.subject for notification in db.all(notifications.inbox(db, dave))
    }
    context.clock.advance(invitations.LIFETIME)
    with expect_error(Gone):
        invitations.accept(db, dave, account.account_id)

    def is_withdrawn() -> bool:
        invitations.withdraw_expired(db)
        return reload_account(db, account).users_used == 1

    context.eventually(is_withdrawn)


@PROOFS("A20")
def teams_of_account(context: ProofContext) -> None:
    """Get the teams of an account."""
    ada, account = new_owner(context.db)
    made = [teams.create_team(context.db, ada, account.account_id, team_name=name) for name in ("one", "two")]
    with context.measured():
        listed = context.db.all(TeamsOfAccount(account_id=account.account_id))
    assert {team.team_id for team in listed} == {team.team_id for team in made}


@PROOFS("A21")
def team_by_id(context: ProofContext) -> None:
    """Get team by ID, only for members of its account."""
    ada, account = new_owner(context.db)
    eve, _ = new_owner(context.db)
    team = teams.create_team(context.db, ada, account.account_id, team_name="one")
    context.eventually(lambda: context.db.run(TeamById(team_id=team.team_id)))
    with context.measured():
        view = teams.read_team(context.db, ada, team.team_id)
    assert view.team == team
    assert [member.role for member in view.members] == [TeamRole.LEAD]
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
        members = context.db.all(pattern)
    assert {member.team_id for member in members} == {team.team_id for team in made}


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
    assert {member.user_id: member.role for member in members} == {
        ada.user_id: TeamRole.LEAD,
        bob.user_id: TeamRole.MEMBER,
    }
    teams.remove_member(db, ada, account.account_id, team.team_id, bob.user_id)
    assert teams.get_team(db, account.account_id, team.team_id).member_count == 1
