"""Memberships, invitations and teams. A team is returned with its members, as in the document."""

from typing import Annotated, Any

from fastapi import Response
from pydantic import Field

from tablewright import fields
from tablewright_systems.listbackup.api.names import Name, page_with_names, with_names
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    Invitation,
    MembershipStatus,
    Permissions,
    UserAccount,
)
from tablewright_systems.listbackup.design.teams import Team, TeamMember, TeamPermissions, TeamRole
from tablewright_systems.listbackup.design.vocabulary import Email, Id, NewEmail, Username
from tablewright_systems.listbackup.service import invitations, memberships, teams
from tablewright_systems.service import Prose, sorted_page
from tablewright_systems.web import (
    Body,
    CurrentCaller,
    Db,
    MixedEntries,
    PageReply,
    PageRequest,
    Router,
    View,
    problems,
)

router = Router("Memberships", "Members of an account, and invitations.")

INVITATIONS = MixedEntries(membership=UserAccount, invitation=Invitation)
"""A user who has signed up has a pending membership, an unknown address has an invitation."""


class NewInvitation(Body):
    """A new invitation: address, role and permissions."""

    email: NewEmail
    role: AccountRole = AccountRole.MEMBER
    permissions: Permissions | None = None


class MemberView(View):
    """A member of an account, or an invited user, with the user's names."""

    user_id: str
    user_name: str | None
    username: str | None
    account_id: str
    role: AccountRole
    permissions: Permissions
    joined_at: fields.Timestamp | None
    invited_by: str | None
    status: MembershipStatus


class RoleChange(Body):
    """The new role and permissions of a member; without permissions, a new role starts with none."""

    role: AccountRole
    permissions: Permissions | None = None


@router.get("/memberships")
def own_memberships(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[UserAccount]:
    """List the accounts that the caller is a member of or invited to."""
    return PageReply.of(paging.run(db, memberships.own_memberships(db, caller)))


@router.get("/invitations", response_model=INVITATIONS.page)
def own_invitations(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Any]:
    """List the invitations that the caller can accept."""
    open_invitations = invitations.own_invitations(db, caller)
    page = sorted_page(
        open_invitations,
        paging,
        "invitations",
        lambda invitation: (invitation.account_id, isinstance(invitation, Invitation)),
    )
    return PageReply.map(page, INVITATIONS.entry)


@router.post("/invitations/{account_id}/acceptance", status_code=201, responses=problems(404, 410))
def accept(db: Db, caller: CurrentCaller, account_id: str) -> UserAccount:
    """Accept an invitation to an account."""
    return invitations.accept(db, caller, account_id)


@router.delete(
    "/invitations/{account_id}", status_code=204, response_class=Response, responses=problems(404, 409, 410)
)
def decline(db: Db, caller: CurrentCaller, account_id: str) -> None:
    """Decline an invitation to an account."""
    invitations.decline(db, caller, account_id)


@router.get("/accounts/{account_id}/users")
def members_of(db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest) -> PageReply[MemberView]:
    """List the users of an account, with their names."""
    page = paging.run(db, memberships.members_of(db, caller, account_id))
    return page_with_names(db, MemberView, page)


@router.get("/accounts/{account_id}/users/by-username/{username}")
def member_by_username(db: Db, caller: CurrentCaller, account_id: str, username: Username) -> MemberView:
    """Get the member of an account with a username."""
    member = memberships.member_by_username(db, caller, account_id, username)
    return with_names(db, MemberView, [member])[0]


@router.get("/accounts/{account_id}/users/{user_id}")
def read_member(db: Db, caller: CurrentCaller, account_id: str, user_id: str) -> MemberView:
    """Get a member of an account."""
    return with_names(db, MemberView, [memberships.read_member(db, caller, account_id, user_id)])[0]


@router.put("/accounts/{account_id}/users/{user_id}/role")
def change_role(
    db: Db, caller: CurrentCaller, account_id: str, user_id: str, body: RoleChange
) -> UserAccount:
    """Change a member's role or permissions."""
    return memberships.change_role(db, caller, account_id, user_id, body.role, body.permissions)


@router.post("/accounts/{account_id}/users/{user_id}/suspension")
def suspend_member(db: Db, caller: CurrentCaller, account_id: str, user_id: str) -> UserAccount:
    """Suspend a member."""
    return memberships.suspend_member(db, caller, account_id, user_id)


@router.delete("/accounts/{account_id}/users/{user_id}/suspension")
def reinstate_member(db: Db, caller: CurrentCaller, account_id: str, user_id: str) -> UserAccount:
    """Reactivate a suspended member."""
    return memberships.reinstate_member(db, caller, account_id, user_id)


@router.delete("/accounts/{account_id}/users/me", status_code=204, response_class=Response)
def leave_account(db: Db, caller: CurrentCaller, account_id: str) -> None:
    """Leave an account."""
    memberships.leave_account(db, caller, account_id)


@router.delete("/accounts/{account_id}/users/{user_id}", status_code=204, response_class=Response)
def remove_member(db: Db, caller: CurrentCaller, account_id: str, user_id: str) -> None:
    """Remove a member from an account."""
    memberships.remove_member(db, caller, account_id, user_id)


@router.get("/accounts/{account_id}/invitations")
def invitations_of(
    db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest
) -> PageReply[Invitation]:
    """List an account's invitations by e-mail address."""
    return PageReply.of(paging.run(db, invitations.invitations_of(db, caller, account_id)))


@router.post("/accounts/{account_id}/invitations", status_code=201, response_model=INVITATIONS.model)
def invite(db: Db, caller: CurrentCaller, account_id: str, body: NewInvitation) -> View:
    """Invite the user of an e-mail address: a user gets a pending membership, other people an invitation."""
    made = invitations.invite(db, caller, account_id, body.email, body.role, body.permissions)
    return INVITATIONS.entry(made)


@router.delete(
    "/accounts/{account_id}/invitations/{email}",
    status_code=204,
    response_class=Response,
    responses=problems(404, 409, 410),
)
def revoke(db: Db, caller: CurrentCaller, account_id: str, email: Email) -> None:
    """Revoke an invitation."""
    invitations.revoke(db, caller, account_id, email)


team_router = Router("Teams", "Teams of an account.")

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


@team_router.get("/accounts/{account_id}/teams")
def teams_of(db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest) -> PageReply[Team]:
    """List the teams of an account."""
    return PageReply.of(paging.run(db, teams.teams_of(db, caller, account_id)))


@team_router.post("/accounts/{account_id}/teams", status_code=201)
def create_team(db: Db, caller: CurrentCaller, account_id: str, body: NewTeam) -> Team:
    """Create a team."""
    return teams.create_team(db, caller, account_id, **dict(body))


@team_router.get("/teams")
def own_teams(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[TeamMember]:
    """List the caller's teams."""
    return PageReply.of(paging.run(db, teams.own_teams(db, caller)))


@team_router.get("/teams/{team_id}")
def read_team(db: Db, caller: CurrentCaller, team_id: str) -> TeamView:
    """Get a team and its members."""
    team = teams.read_team(db, caller, team_id)
    return TeamView(team=team.team, members=with_names(db, TeamMemberView, team.members))


@team_router.patch("/accounts/{account_id}/teams/{team_id}")
def change_team(db: Db, caller: CurrentCaller, account_id: str, team_id: str, body: TeamChanges) -> Team:
    """Rename a team, or change its description or permissions."""
    return teams.change_team(db, caller, account_id, team_id, **body.given())


@team_router.delete("/accounts/{account_id}/teams/{team_id}", status_code=204, response_class=Response)
def delete_team(db: Db, caller: CurrentCaller, account_id: str, team_id: str) -> None:
    """Delete a team."""
    teams.delete_team(db, caller, account_id, team_id)


@team_router.post("/accounts/{account_id}/teams/{team_id}/members", status_code=201)
def add_member(db: Db, caller: CurrentCaller, account_id: str, team_id: str, body: NewMember) -> TeamMember:
    """Add a member of the account to a team."""
    return teams.add_member(db, caller, account_id, team_id, body.user_id, body.role)


@team_router.delete(
    "/accounts/{account_id}/teams/{team_id}/members/{user_id}",
    status_code=204,
    response_class=Response,
    name="remove_member",
)
def remove_from_team(db: Db, caller: CurrentCaller, account_id: str, team_id: str, user_id: str) -> None:
    """Remove a member from a team."""
    teams.remove_member(db, caller, account_id, team_id, user_id)
