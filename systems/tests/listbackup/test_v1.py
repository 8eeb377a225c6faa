"""From V1 to V2 in one command, with rows as the document prints them, older ones and broken ones."""

import base64
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tablewright_systems.listbackup.design import design
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.design.users import UserRole
from tablewright_systems.listbackup.migrations import V1_KEY, encrypt_v1
from tablewright_systems.listbackup.proofs.document_rows import document_rows, store
from tablewright_systems.listbackup.service import (
    activities,
    hierarchy,
    memberships,
    notifications,
    sessions,
    sources,
    tags,
    teams,
    users,
)
from tablewright_systems.listbackup.service.access import get_account
from tablewright_systems.listbackup.v1 import complete_rows, migrate_v1
from tablewright_systems.service import Caller

from tablewright import Clock, Repository, connect, keyrings, migrations

ADA, BOB = Caller("ada"), Caller("bob")


@pytest.fixture(autouse=True)
def _v1_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(V1_KEY, base64.b64encode(b"k" * 32).decode())


def migrated(db: Repository) -> tuple[bool, list[str]]:
    lines: list[str] = []
    return migrate_v1(db, lines.append, pause=lambda _: None), lines


def test_rows_of_the_document_become_accounts_with_owners(db: Repository) -> None:
    store(db, document_rows(db.now()))
    is_complete, lines = migrated(db)
    assert is_complete, lines
    top, child = get_account(db, "top"), get_account(db, "child")
    assert (top.owners, top.users_used, top.children, top.sources_used) == (1, 2, 1, 1)
    assert (child.owners, child.users_used, child.account_path, child.level) == (1, 1, "/top/child/", 1)
    assert (child.account_type.value, child.root_account_id) == ("division", "top")
    assert memberships.membership_of(db, "ada", "child").role.value == "owner", (
        "its creator, who had no membership"
    )
    assert hierarchy.account_by_path(db, ADA, "/top/child/").account_id == "child"


def test_migrated_users_sign_in_and_find_their_data(db: Repository) -> None:
    store(db, document_rows(db.now()))
    migrated(db)
    assert users.own_user(db, ADA).display_email == "Ada@Example.org"
    assert users.get_user(db, "bob").role is UserRole.USER, "an admin of V1 is not one of the platform"
    sessions.sign_in(db, BOB, "top")
    team = teams.read_team(db, ADA, "team-1")
    assert {member.user_id: member.role.value for member in team.members} == {"ada": "lead", "bob": "member"}
    assert team.team.member_count == 2
    source = sources.read_source(db, ADA, "top", "source-1")
    assert source.credentials is not None
    assert source.credentials.encrypted_data == "api-key-1"
    (tag,) = tags.tags_of_resource(db, ADA, "top", "source", "source-1")  # type: ignore[arg-type]
    assert (tag.tag_key, tag.resource_count) == ("category", 1)
    events = activities.activities_of_account(db, ADA, "top")
    assert [event.event_id for event in events if event.event_type == "source.created"] == ["event-1"]
    assert [item.subject for item in db.all(notifications.inbox(db, ADA))] == ["News"]


def test_migrated_data_can_be_changed(db: Repository) -> None:
    store(db, document_rows(db.now()))
    migrated(db)
    users.change_profile(db, ADA, username="countess")
    memberships.change_role(db, ADA, "top", "bob", AccountRole.READONLY)
    teams.remove_member(db, ADA, "top", "team-1", "bob")
    hierarchy.move_to_top(db, ADA, "child")
    memberships.remove_member(db, ADA, "top", "bob")
    assert get_account(db, "top").users_used == 1


def test_a_second_run_changes_nothing(db: Repository) -> None:
    store(db, document_rows(db.now()))
    migrated(db)
    teams.remove_member(db, ADA, "top", "team-1", "bob")
    before = get_account(db, "top")
    assert migrated(db)[0]
    assert get_account(db, "top") == before
    assert len(teams.read_team(db, ADA, "team-1").members) == 1, "a removed member does not come back"


def test_broken_rows_are_reported_and_migrated_when_repaired(db: Repository) -> None:
    rows = document_rows(db.now())
    rows["teams"][0]["members"] += [{"role": "member"}, {"userId": "eve", "role": "king", "joinedAt": "x"}]
    rows["accounts"] += [
        {"accountId": "lost", "accountName": "Lost", "parentAccountId": "nowhere", "ownerId": "ada"},
        {"accountId": "ownerless", "accountName": "Ownerless"},
    ]
    rows["users"].append({"userId": "twin", "email": "BOB@example.org", "username": "twin", "name": "Twin"})
    store(db, rows)
    is_complete, lines = migrated(db)
    assert not is_complete
    text = "\n".join(lines)
    for part in (
        "its parent nowhere does not exist",
        "it has no owner",
        "another User has it",
        "team team-1",
    ):
        assert part in text
    assert teams.read_team(db, ADA, "team-1").team.member_count == 2
    store(db, {"accounts": [rows["accounts"][-2] | {"parentAccountId": "top"}]})
    assert "its parent nowhere" not in "\n".join(migrated(db)[1])
    assert get_account(db, "lost").account_path == "/top/lost/"
    assert get_account(db, "lost").owners == 1


def test_older_rows_are_migrated_too(db: Repository) -> None:
    dates = {"createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z"}
    user = {"userId": "ada", "email": " Ada@Example.ORG", "username": "Ada", "name": "Ada", "accountId": "a"}
    source = {"accountId": "a", "sourceId": "s", "sourceName": "S", "platform": "keap"}
    older = {
        "users": [user | dates],
        "accounts": [{"accountId": "a", "accountName": "A", "ownerId": "ada", **dates}],
        "sources": [source | {"secret": encrypt_v1("k", "s"), **dates}],
    }
    store(db, older)
    is_complete, lines = migrated(db)
    assert is_complete, lines
    account = get_account(db, "a")
    assert (account.owners, account.sources_used, account.plan.value) == (1, 1, "free")
    assert users.own_user(db, ADA).account_id == "a"
    assert sources.read_source(db, ADA, "a", "s").source_name == "S"


def test_without_completed_rows_an_account_is_not_migrated(db: Repository) -> None:
    store(db, {"accounts": [{"accountId": "a", "accountName": "A", "ownerId": "ada"}]})
    results = migrations.migrate(db, allow_incomplete=True, pause=lambda _: None)
    reasons = [reject.reason for result in results for reject in result.rejects]
    assert reasons == ["it has no owner; run: python -m tablewright_systems.listbackup.v1"]
    complete_rows(db, lambda _: None)
    complete_rows(db, lambda _: None)
    assert not any(migrations.retry(db, pause=lambda _: None).values())


def test_the_command_migrates_a_file(tmp_path: Path) -> None:
    keys = keyrings.KeyFile.create(tmp_path / "keys.json")
    data = tmp_path / "data.db"

    def opened(clock: Clock | None = None) -> Any:
        return connect(design, str(data), environment="lb", secrets=keys, clock=clock)

    with opened() as db:
        store(db, document_rows(db.now()))
    command = [sys.executable, "-m", "tablewright_systems.listbackup.v1", "--on", str(data)]
    options = ["--env", "lb", "--keys", str(tmp_path / "keys.json")]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "v2-3-accounts-in-a-hierarchy: 2 changed" in done.stdout
    with opened() as db:
        assert get_account(db, "top").owners == 1
