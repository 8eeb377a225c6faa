"""A right that is withdrawn while a request runs is not used: the transaction checks it again.

Another request suspends the member, changes the role or takes the permission away, right before the first write.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest
from tablewright_systems.listbackup.archives.object_store import Memory
from tablewright_systems.listbackup.design.accounts import AccountMetadata, AccountType, BillingInfo
from tablewright_systems.listbackup.design.archives import Archive, FileFormat
from tablewright_systems.listbackup.design.jobs import Job, JobType
from tablewright_systems.listbackup.design.memberships import AccountRole, Permissions
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.design.tags import Tag, TagOf
from tablewright_systems.listbackup.design.teams import Team, TeamPermissions, TeamRole
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.proofs.fixtures import api_key_source, new_member, queued_job
from tablewright_systems.listbackup.service import (
    accounts,
    backups,
    closing,
    hierarchy,
    invitations,
    jobs,
    memberships,
    oauth_tokens,
    sources,
    tags,
    teams,
    webhooks,
)
from tablewright_systems.service import ApiError, Caller, Forbidden

from systems.tests.boards.interleaved import Interrupted
from tablewright import Connection, Repository


@dataclass(frozen=True)
class Setting:
    """An account with a source, a tag, a job, a team, an archive and two members."""

    db: Repository
    owner: Caller
    other: Caller
    account_id: str
    source: Source
    tag: Tag
    job: Job
    team: Team
    store: Memory
    archive: Archive

    @property
    def tag_name(self) -> TagOf:
        return TagOf(
            account_id=self.account_id,
            resource_type=self.tag.resource_type,
            tag_key=self.tag.tag_key,
            tag_value=self.tag.tag_value,
        )

    def during(self, event: Callable[[], object]) -> tuple[Repository, list[str]]:
        """Return the store on which an event runs before the first write, and a list that it is noted in."""
        happened: list[str] = []

        def run() -> None:
            event()
            happened.append("withdrawn")

        connection: Connection = Interrupted(self.db.connection, run)
        return Repository(self.db.design, connection, self.db.context), happened

    def items(self) -> list[str]:
        """Return the items of all tables."""
        names = [self.db.context.table_name(table) for table in self.db.design.tables]
        listed = [
            str(item)
            for name in names
            for item in self.db.connection.call("Scan", {"TableName": name})["Items"]
        ]
        return sorted(listed)


@pytest.fixture
def setting(db: Repository, caller: Caller, account_id: str) -> Setting:
    source = api_key_source(db, caller, account_id)
    tag = tags.create_tag(db, caller, account_id, ResourceType.SOURCE, tag_key="env", tag_value="test")
    job = queued_job(db, caller, account_id, JobType.BACKUP, source_id=source.source_id)
    team = teams.create_team(db, caller, account_id, team_name="Ops")
    other = new_member(db, caller, account_id)
    store = Memory()
    archive = backups.upload(db, caller, store, account_id, "contacts", CONTENT, FileFormat.JSON)
    return Setting(db, caller, other, account_id, source, tag, job, team, store, archive)


CONTENT = '[{"id": "c1"}]'


Flow = Callable[[Setting, Repository, Caller], object]

FLOWS: dict[str, Flow] = {
    "create source": lambda s, db, who: api_key_source(db, who, s.account_id),
    "change source": lambda s, db, who: sources.change_source(
        db, who, s.account_id, s.source.source_id, source_name="mine"
    ),
    "pause source": lambda s, db, who: sources.pause_source(db, who, s.account_id, s.source.source_id),
    "delete source": lambda s, db, who: sources.delete_source(db, who, s.account_id, s.source.source_id),
    "disconnect": lambda s, db, who: oauth_tokens.disconnect(db, who, s.account_id, s.source.source_id),
    "configure webhook": lambda s, db, who: webhooks.configure_webhook(
        db, who, s.account_id, s.source.source_id, "whsec_12345678"
    ),
    "create tag": lambda s, db, who: tags.create_tag(
        db, who, s.account_id, ResourceType.SOURCE, tag_key="env", tag_value="mine"
    ),
    "change tag": lambda s, db, who: tags.change_tag(db, who, s.tag_name, color="#000000"),
    "rename tag": lambda s, db, who: tags.rename_tag(db, who, s.tag_name, tag_key="env", tag_value="mine"),
    "delete tag": lambda s, db, who: tags.delete_tag(db, who, s.tag_name),
    "attach tag": lambda s, db, who: tags.attach(db, who, s.tag_name, s.source.source_id),
    "create job": lambda s, db, who: queued_job(db, who, s.account_id, source_id=s.source.source_id),
    "cancel job": lambda s, db, who: jobs.cancel_job(db, who, s.account_id, s.job.job_id),
    "create team": lambda s, db, who: teams.create_team(db, who, s.account_id, team_name="Mine"),
    "change team": lambda s, db, who: teams.change_team(
        db, who, s.account_id, s.team.team_id, team_name="Mine"
    ),
    "add to team": lambda s, db, who: teams.add_member(
        db, who, s.account_id, s.team.team_id, s.other.user_id
    ),
    "invite": lambda s, db, who: invitations.invite(db, who, s.account_id, "eve@example.org"),
    "suspend member": lambda s, db, who: memberships.suspend_member(db, who, s.account_id, s.other.user_id),
    "remove member": lambda s, db, who: memberships.remove_member(db, who, s.account_id, s.other.user_id),
    "change role": lambda s, db, who: memberships.change_role(
        db, who, s.account_id, s.other.user_id, AccountRole.READONLY
    ),
    "upload": lambda s, db, who: backups.upload(
        db, who, s.store, s.account_id, "contacts", CONTENT, FileFormat.JSON
    ),
    "delete archive": lambda s, db, who: backups.delete_archive(
        db, who, s.store, s.account_id, s.archive.archive_id
    ),
    "rename account": lambda s, db, who: accounts.change_account(
        db, who, s.account_id, account_name="Mine", metadata=AccountMetadata()
    ),
    "create child": lambda s, db, who: hierarchy.create_child(
        db, who, s.account_id, account_name="Mine", account_type=AccountType.LOCATION
    ),
}


@pytest.mark.parametrize("name", FLOWS)
def test_admin_who_is_suspended_changes_nothing(setting: Setting, name: str) -> None:
    admin = new_member(setting.db, setting.owner, setting.account_id, AccountRole.ADMIN)
    suspend = partial(
        memberships.suspend_member, setting.db, setting.owner, setting.account_id, admin.user_id
    )
    after: list[list[str]] = []

    def withdraw() -> None:
        suspend()
        after.append(setting.items())

    db, happened = setting.during(withdraw)
    with pytest.raises(Forbidden):
        FLOWS[name](setting, db, admin)
    assert happened == ["withdrawn"]
    assert setting.items() == after[0]


@pytest.mark.parametrize("name", FLOWS)
def test_admin_with_the_right_succeeds(setting: Setting, name: str) -> None:
    admin = new_member(setting.db, setting.owner, setting.account_id, AccountRole.ADMIN)
    before = setting.items()
    FLOWS[name](setting, setting.db, admin)
    assert setting.items() != before


OWNER_FLOWS: dict[str, Flow] = {
    "billing": lambda s, db, who: accounts.change_billing(db, who, s.account_id, BillingInfo()),
    "close": lambda s, db, who: closing.close_account(db, who, s.account_id),
    "rotate key": lambda s, db, who: accounts.rotate_key(db, who, s.account_id),
}


@pytest.mark.parametrize("name", OWNER_FLOWS)
def test_owner_who_becomes_a_member_changes_nothing(setting: Setting, name: str) -> None:
    former = new_member(setting.db, setting.owner, setting.account_id, AccountRole.OWNER)
    demote = partial(
        memberships.change_role,
        *(setting.db, setting.owner, setting.account_id, former.user_id, AccountRole.MEMBER),
    )
    after: list[list[str]] = []

    def withdraw() -> None:
        demote()
        after.append(setting.items())

    db, happened = setting.during(withdraw)
    with pytest.raises(Forbidden):
        OWNER_FLOWS[name](setting, db, former)
    assert happened == ["withdrawn"]
    assert setting.items() == after[0]


def test_permission_is_withdrawn(setting: Setting) -> None:
    """Another permission is not enough, and the same one with others is."""
    updating = Permissions(sources=[Right.READ, Right.UPDATE])
    member = new_member(setting.db, setting.owner, setting.account_id, permissions=updating)

    def grant(*rights: Right) -> object:
        return memberships.change_role(
            setting.db,
            setting.owner,
            setting.account_id,
            member.user_id,
            AccountRole.MEMBER,
            Permissions(sources=list(rights)),
        )

    rename = FLOWS["change source"]
    db, happened = setting.during(partial(grant, Right.READ))
    with pytest.raises(Forbidden, match="during this request"):
        rename(setting, db, member)
    grant(Right.UPDATE)
    db, again = setting.during(partial(grant, Right.READ, Right.UPDATE, Right.CREATE))
    rename(setting, db, member)
    assert happened == again == ["withdrawn"]


def test_member_is_removed_from_the_team_with_the_right(setting: Setting) -> None:
    member = new_member(setting.db, setting.owner, setting.account_id)
    rights = TeamPermissions(sources=[Right.READ, Right.UPDATE])
    team = teams.create_team(
        setting.db, setting.owner, setting.account_id, team_name="Backups", permissions=rights
    )
    place = (setting.account_id, team.team_id, member.user_id)
    teams.add_member(setting.db, setting.owner, *place)
    rename = FLOWS["change source"]
    rename(setting, setting.db, member)
    db, happened = setting.during(partial(teams.remove_member, setting.db, setting.owner, *place))
    with pytest.raises(Forbidden):
        rename(setting, db, member)
    assert happened == ["withdrawn"]


def member_with(setting: Setting, **rights: list[Right]) -> Caller:
    permissions = Permissions(**rights)
    return new_member(setting.db, setting.owner, setting.account_id, permissions=permissions)


def withdrawing(setting: Setting, member: Caller, **left: list[Right]) -> Repository:
    """Return a store on which the owner leaves a member only some rights, before the first write."""
    change = partial(
        memberships.change_role,
        *(setting.db, setting.owner, setting.account_id, member.user_id, AccountRole.MEMBER),
        Permissions(**left),
    )
    return setting.during(change)[0]


def test_member_cannot_restore_the_own_permissions_that_are_withdrawn(setting: Setting) -> None:
    granted = {"users": [Right.READ, Right.UPDATE], "sources": [Right.READ, Right.DELETE]}
    for left in ({}, {"users": [Right.READ, Right.UPDATE]}):
        member = member_with(setting, **granted)
        db = withdrawing(setting, member, **left)
        with pytest.raises(ApiError):
            memberships.change_role(
                db, member, setting.account_id, member.user_id, AccountRole.MEMBER, Permissions(**granted)
            )
        current = memberships.membership_of(setting.db, member.user_id, setting.account_id)
        assert current.permissions == Permissions(**left)


def test_member_cannot_grant_a_right_that_is_withdrawn(setting: Setting) -> None:
    updating = {"users": [Right.CREATE, Right.READ, Right.UPDATE]}
    deleting = Permissions(sources=[Right.DELETE])
    grants: dict[str, Callable[[Repository, Caller], object]] = {
        "role": lambda db, who: memberships.change_role(
            db, who, setting.account_id, setting.other.user_id, AccountRole.MEMBER, deleting
        ),
        "invitation": lambda db, who: invitations.invite(
            db, who, setting.account_id, "eve@example.org", AccountRole.MEMBER, deleting
        ),
        "team": lambda db, who: teams.create_team(
            db, who, setting.account_id, team_name="Mine", permissions=TeamPermissions(sources=[Right.DELETE])
        ),
        "permissions of a team": lambda db, who: teams.change_team(
            db,
            who,
            setting.account_id,
            setting.team.team_id,
            permissions=TeamPermissions(sources=[Right.DELETE]),
        ),
    }
    for grant in grants.values():
        member = member_with(setting, **updating, sources=[Right.DELETE])
        with pytest.raises(Forbidden, match="during this request"):
            grant(withdrawing(setting, member, **updating), member)


def test_team_loses_the_right_that_its_member_uses(setting: Setting) -> None:
    member = new_member(setting.db, setting.owner, setting.account_id)
    rights = TeamPermissions(sources=[Right.READ, Right.UPDATE])
    place = (setting.account_id, setting.team.team_id)
    teams.change_team(setting.db, setting.owner, *place, permissions=rights)
    teams.add_member(setting.db, setting.owner, *place, member.user_id)
    reading = TeamPermissions(sources=[Right.READ])
    db, _ = setting.during(partial(teams.change_team, setting.db, setting.owner, *place, permissions=reading))
    with pytest.raises(Forbidden, match="during this request"):
        FLOWS["change source"](setting, db, member)


def test_lead_who_is_removed_adds_no_member(setting: Setting) -> None:
    lead = new_member(setting.db, setting.owner, setting.account_id)
    place = (setting.account_id, setting.team.team_id)
    teams.add_member(setting.db, setting.owner, *place, lead.user_id, TeamRole.LEAD)
    db, _ = setting.during(partial(teams.remove_member, setting.db, setting.owner, *place, lead.user_id))
    with pytest.raises(Forbidden, match="during this request"):
        FLOWS["add to team"](setting, db, lead)


def test_member_without_the_right_any_more_does_not_join_a_team(setting: Setting) -> None:
    member = member_with(setting, users=[Right.READ, Right.UPDATE])
    db = withdrawing(setting, member)
    with pytest.raises(ApiError):
        teams.add_member(db, member, setting.account_id, setting.team.team_id, member.user_id)
    assert [team.team_id for team in setting.db.all(teams.own_teams(setting.db, member))] == []


DELETIONS: list[Flow] = [
    lambda s, db, who: tags.delete_tag(db, who, s.tag_name),
    lambda s, db, who: teams.delete_team(db, who, s.account_id, s.team.team_id),
]


@pytest.mark.parametrize("delete", DELETIONS, ids=["tag", "team"])
def test_suspended_admin_detaches_and_removes_nothing(setting: Setting, delete: Flow) -> None:
    tags.attach(setting.db, setting.owner, setting.tag_name, setting.source.source_id)
    admin = new_member(setting.db, setting.owner, setting.account_id, AccountRole.ADMIN)
    after: list[list[str]] = []

    def withdraw() -> None:
        memberships.suspend_member(setting.db, setting.owner, setting.account_id, admin.user_id)
        after.append(setting.items())

    db, _ = setting.during(withdraw)
    with pytest.raises(Forbidden):
        delete(setting, db, admin)
    assert setting.items() == after[0]


def test_tagging_the_team_with_the_right_needs_no_second_check(setting: Setting) -> None:
    member = new_member(setting.db, setting.owner, setting.account_id)
    place = (setting.account_id, setting.team.team_id)
    rights = TeamPermissions(sources=[Right.READ, Right.UPDATE])
    teams.change_team(setting.db, setting.owner, *place, permissions=rights)
    teams.add_member(setting.db, setting.owner, *place, member.user_id)
    kind = ResourceType.TEAM
    tags.create_tag(setting.db, setting.owner, setting.account_id, kind, tag_key="env", tag_value="ours")
    name = TagOf(account_id=setting.account_id, resource_type=kind, tag_key="env", tag_value="ours")
    assert tags.attach(setting.db, member, name, setting.team.team_id).resource_count == 1


def test_own_resources_need_no_second_check(setting: Setting) -> None:
    """A transaction cannot check an item twice: a member tags and adds the own membership."""
    admin = new_member(setting.db, setting.owner, setting.account_id, AccountRole.ADMIN)
    place = (setting.account_id, ResourceType.USER)
    tag = tags.create_tag(setting.db, admin, *place, tag_key="env", tag_value="me")
    name = TagOf(account_id=place[0], resource_type=place[1], tag_key="env", tag_value="me")
    assert tags.attach(setting.db, admin, name, admin.user_id).tag_id == tag.tag_id
    teams.add_member(setting.db, admin, setting.account_id, setting.team.team_id, admin.user_id)
    memberships.leave_account(setting.db, admin, setting.account_id)
