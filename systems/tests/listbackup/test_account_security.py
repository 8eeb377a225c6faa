"""Accounts, memberships and activities over HTTP: rights that are not gained, fields that are not seen."""

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.listbackup.design.accounts import Account, AccountById, AccountType, Plan
from tablewright_systems.listbackup.design.memberships import AccountRole, Permissions
from tablewright_systems.listbackup.design.notifications import Announcement, Notification
from tablewright_systems.listbackup.design.teams import TeamMember, TeamPermissions, TeamRole
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.jobs import JOBS, finish_accounts, withdraw_invitations
from tablewright_systems.listbackup.proofs.fixtures import (
    account_tree,
    new_caller,
    new_member,
    new_owner,
    reload_account,
)
from tablewright_systems.listbackup.service import (
    alerts,
    closing,
    delivery,
    hierarchy,
    invitations,
    memberships,
    teams,
    users,
)
from tablewright_systems.listbackup.service.access import Area, has_right, require_member
from tablewright_systems.service import Caller, Conflict, Forbidden, Gone, JobRun
from tablewright_systems.web.authentication import LocalIssuer

from systems.tests.listbackup.api_client import ApiClient, NewOwner
from systems.tests.listbackup.faulty_store import items_of
from tablewright import Clock, Repository

NewApiMember = Any


@pytest.fixture
def member(db: Repository, client: TestClient, issuer: LocalIssuer) -> NewApiMember:
    def join(house: tuple[ApiClient, Account], **values: Any) -> ApiClient:
        owner, account = house
        return ApiClient(client, issuer, new_member(db, owner.caller, account.account_id, **values))

    return join


def rights_of(db: Repository, caller: Caller, account_id: str) -> set[tuple[Area, Right]]:
    access = require_member(db, caller, account_id)
    return {(area, right) for area in Area for right in Right if has_right(db, access, area, right)}


def test_a_role_alone_gives_no_stored_rights_back(
    db: Repository, create_owner: NewOwner, member: NewApiMember
) -> None:
    house = create_owner()
    owner, account = house
    stored = Permissions(sources=list(Right), billing=[Right.UPDATE])
    bob = member(house, role=AccountRole.READONLY, permissions=stored)
    steward = member(house, permissions=Permissions(users=[Right.UPDATE]))
    place = f"/accounts/{account.account_id}/users/{bob.caller.user_id}/role"
    changed = steward.call("PUT", place, role="member")
    assert changed["permissions"] == {"sources": [], "users": [], "billing": []}
    assert rights_of(db, bob.caller, account.account_id) == set()
    assert steward.rejected_field("PUT", place, 403, role="readonly") == "permissions"
    assert steward.rejected_field("PUT", place, 403, role="member", permissions={"sources": ["read"]})
    owner.call("PUT", place, role="member", permissions={"sources": ["read"]})
    kept = owner.call("PUT", place, role="member")
    assert kept["permissions"]["sources"] == ["read"], "the same role keeps its permissions"


def test_reinstating_a_member_needs_the_rights_that_come_back(
    create_owner: NewOwner, member: NewApiMember
) -> None:
    house = create_owner()
    owner, account = house
    bob = member(house, permissions=Permissions(sources=[Right.DELETE]))
    steward = member(house, permissions=Permissions(users=list(Right)))
    place = f"/accounts/{account.account_id}/users/{bob.caller.user_id}/suspension"
    steward.call("POST", place)
    assert steward.rejected_field("DELETE", place, 403) == "permissions"
    assert owner.call("DELETE", place)["status"] == "active"


def test_a_member_cannot_revoke_the_invitation_of_an_owner(
    create_owner: NewOwner, member: NewApiMember
) -> None:
    house = create_owner()
    owner, account = house
    place = f"/accounts/{account.account_id}/invitations"
    owner.call("POST", place, 201, email="boss@example.org", role="owner")
    clerk = member(house, permissions=Permissions(users=list(Right)))
    clerk.rejected_field("DELETE", f"{place}/boss@example.org", 403)
    owner.call("DELETE", f"{place}/boss@example.org", 204)


def test_a_lead_from_before_leaving_the_account_leads_nothing(db: Repository, clock: Clock) -> None:
    ada, account = new_owner(db)
    bob = new_member(db, ada, account.account_id)
    rights = TeamPermissions(sources=[Right.DELETE])
    team = teams.create_team(db, ada, account.account_id, team_name="makers", permissions=rights)
    clock.advance(1)
    left_over = TeamMember(
        account_id=account.account_id, team_id=team.team_id, user_id=bob.user_id, role=TeamRole.LEAD
    )
    memberships.remove_member(db, ada, account.account_id, bob.user_id)
    db.create(left_over)
    clock.advance(1)
    invitations.invite(db, ada, account.account_id, str(bob.email))
    invitations.accept(db, bob, account.account_id)
    eve = new_member(db, ada, account.account_id)
    with pytest.raises(Forbidden):
        teams.add_member(db, bob, account.account_id, team.team_id, eve.user_id)


def test_billing_in_activities_needs_the_right_to_read_it(
    create_owner: NewOwner, member: NewApiMember
) -> None:
    house = create_owner()
    owner, account = house
    place = f"/accounts/{account.account_id}"
    owner.call("PUT", f"{place}/billing", stripeCustomerId="cus_123", paymentMethod="card")
    team = owner.call("POST", f"{place}/teams", 201, teamName="r", permissions={"reports": ["read"]})[
        "teamId"
    ]
    reader = member(house)
    owner.call("POST", f"{place}/teams/{team}/members", 201, userId=reader.caller.user_id)
    guest = member(house, role=AccountRole.READONLY)
    listed = f"{place}/activities?limit=100"
    of_account = f"{place}/resources/account/{account.account_id}/activities?limit=100"
    for caller in (reader, guest):
        for path in (listed, of_account):
            assert "cus_123" not in str(caller.call("GET", path))
        events = caller.call("GET", listed)["items"]
        hidden = [event for event in events if "billingInfo" in (event["details"]["after"] or {})]
        assert {item["details"]["after"]["billingInfo"] for item in hidden} == {"***"}
        one = f"{place}/activities/{hidden[0]['createdAt']}/{hidden[0]['eventId']}"
        assert "cus_123" not in str(caller.call("GET", one))
    assert "cus_123" in str(owner.call("GET", listed))
    assert "cus_123" not in str(owner.call("GET", "/users/me/activities?limit=100")), (
        "no right is checked there"
    )


def test_personal_fields_in_activities_are_for_the_user_alone(
    create_owner: NewOwner, member: NewApiMember
) -> None:
    house = create_owner()
    owner, account = house
    owner.call("PATCH", "/users/me", preferences={"timezone": "Asia/Tokyo"})
    guest = member(house, role=AccountRole.READONLY)
    listed = f"/accounts/{account.account_id}/activities?limit=100"
    assert "Asia/Tokyo" in str(owner.call("GET", listed))
    assert "Asia/Tokyo" not in str(guest.call("GET", listed))


def test_names_are_in_members_teams_and_activities(create_owner: NewOwner, member: NewApiMember) -> None:
    house = create_owner()
    owner, account = house
    bob = member(house, role=AccountRole.READONLY)
    bob.call("PATCH", "/users/me", name="Bob", username="Bobby")
    place = f"/accounts/{account.account_id}"
    names = {item["userId"]: item["userName"] for item in bob.call("GET", f"{place}/users")["items"]}
    assert names == {owner.caller.user_id: "Ada", bob.caller.user_id: "Bob"}
    assert owner.call("GET", f"{place}/users/{bob.caller.user_id}")["username"] == "Bobby"
    assert owner.call("GET", f"{place}/users/by-username/BOBBY")["userId"] == bob.caller.user_id
    team = owner.call("POST", f"{place}/teams", 201, teamName="t")["teamId"]
    assert [item["userName"] for item in bob.call("GET", f"/teams/{team}")["members"]] == ["Ada"]
    events = bob.call("GET", f"{place}/activities?limit=100")["items"]
    assert {"Ada", "Bob"} <= {event["userName"] for event in events}


def test_usernames_of_other_accounts_cannot_be_probed(create_owner: NewOwner) -> None:
    owner, account = create_owner()
    eve, _ = create_owner()
    place = f"/accounts/{account.account_id}/users"
    owner.rejected_field("GET", f"{place}/by-username/{eve.caller.user_id}", 404)
    owner.rejected_field("GET", f"{place}/{eve.caller.user_id}", 404)
    eve.rejected_field("GET", f"{place}/by-username/{owner.caller.user_id}", 403)
    eve.rejected_field("GET", f"{place}/{owner.caller.user_id}", 403)


def test_an_account_is_found_by_its_path_by_members_only(create_owner: NewOwner) -> None:
    owner, account = create_owner()
    eve, _ = create_owner()
    path = f"/accounts/by-path?path={account.account_path}"
    assert owner.call("GET", path)["accountId"] == account.account_id
    eve.rejected_field("GET", path, 404)
    owner.rejected_field("GET", "/accounts/by-path?path=/unknown/", 404)
    owner.rejected_field("GET", "/accounts/by-path?path=no-path", 422)


def test_a_plan_is_not_for_members_to_choose(
    create_owner: NewOwner, client: TestClient, issuer: LocalIssuer, staff: ApiClient
) -> None:
    owner, account = create_owner(Plan.FREE)
    place = f"/accounts/{account.account_id}/plan"
    owner.rejected_field("PUT", place, 403, plan="enterprise")
    billing = ApiClient(client, issuer, Caller("stripe", {"roles": ["billing"]}))
    assert billing.call("PUT", place, plan="starter")["plan"] == "starter"
    assert staff.call("PUT", place, plan="professional")["limits"]["users"] == 100


def test_an_owner_who_closes_the_only_account_founds_a_new_one(
    db: Repository, create_owner: NewOwner
) -> None:
    owner, account = create_owner()
    place = f"/accounts/{account.account_id}"
    owner.call("DELETE", place)
    assert owner.call("GET", "/users/me")["accountId"] is None
    unfinished = list(db.iterate(hierarchy.unfinished_accounts()))
    assert [waiting.account_id for waiting in unfinished] == [account.account_id]
    fresh = owner.call("POST", "/accounts", 201, accountName="Again")
    assert (fresh["level"], fresh["plan"], fresh["owners"]) == (0, "free", 1)
    assert owner.call("GET", "/users/me")["accountId"] == fresh["accountId"]
    for _ in range(3):
        finish_accounts(JobRun(db))
    assert db.run(AccountById(account_id=account.account_id)) is None
    assert list(db.iterate(hierarchy.unfinished_accounts())) == []
    assert owner.call("GET", "/users/me")["accountId"] == fresh["accountId"]
    owner.call("POST", "/sessions", 201, accountId=fresh["accountId"])


def test_closing_one_of_several_accounts_replaces_the_primary_one(create_owner: NewOwner) -> None:
    owner, account = create_owner()
    second = owner.call("POST", "/accounts", 201, accountName="Second")
    assert owner.call("GET", "/users/me")["accountId"] == account.account_id
    owner.call("DELETE", f"/accounts/{account.account_id}")
    assert owner.call("GET", "/users/me")["accountId"] == second["accountId"]


def test_platform_roles_are_set_by_admins_and_mean_something(
    create_owner: NewOwner, staff: ApiClient
) -> None:
    ada, _ = create_owner()
    eve, _ = create_owner()
    of_ada = f"/users/{ada.caller.user_id}/role"
    ada.rejected_field("PUT", of_ada, 403, role="admin")
    ada.rejected_field("GET", "/accounts/roots", 403)
    staff.call("PUT", of_ada, role="admin")
    assert len(ada.call("GET", "/accounts/roots")["items"]) == 2
    assert ada.rejected_field("PUT", of_ada, 403, role="user") == "role"
    ada.call("PUT", f"/users/{eve.caller.user_id}/role", role="readonly")
    eve.rejected_field("POST", "/accounts", 403, accountName="More")
    eve.rejected_field(
        "PATCH", f"/accounts/{eve.call('GET', '/users/me')['accountId']}", 403, accountName="x"
    )
    staff.call("PUT", of_ada, role="user")
    ada.rejected_field("GET", "/accounts/roots", 403)
    staff.call("PUT", of_ada, role="admin")
    staff.call("PUT", f"/users/{ada.caller.user_id}/status", status="suspended")
    ada.rejected_field("GET", "/accounts/roots", 403)


def test_a_subtree_moves_to_the_top_and_back(
    db: Repository, create_owner: NewOwner, member: NewApiMember
) -> None:
    house = create_owner()
    owner, top = house
    _, division, location = account_tree(db, owner.caller, top)
    place = f"/accounts/{division.account_id}/parent"
    member(house, role=AccountRole.ADMIN).rejected_field("DELETE", place, 403)
    moved = owner.call("DELETE", place)
    assert (moved["level"], moved["parentAccountId"]) == (0, None)
    assert moved["accountPath"] == f"/{division.account_id}/"
    below = reload_account(db, location)
    assert (below.root_account_id, below.level) == (division.account_id, 1)
    assert below.account_path == f"/{division.account_id}/{location.account_id}/"
    assert owner.rejected_field("DELETE", place, 409) == "parentAccountId"
    owner.call("PUT", place, parentAccountId=top.account_id)
    assert reload_account(db, location).root_account_id == top.account_id
    assert reload_account(db, division).unfinished_since is None


def test_an_interrupted_move_is_listed_and_finished_by_the_job(
    db: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, top = new_owner(db)
    _, division, location = account_tree(db, ada, top)
    monkeypatch.setattr(hierarchy, "finish_move", lambda *_: False)
    hierarchy.move_to_top(db, ada, division.account_id)
    monkeypatch.undo()
    waiting = list(db.iterate(hierarchy.unfinished_accounts()))
    assert {item.account_id for item in waiting} == {top.account_id, division.account_id}
    with pytest.raises(Conflict):
        hierarchy.create_child(
            db, ada, top.account_id, account_name="blocked", account_type=AccountType.LOCATION
        )
    finish_accounts(JobRun(db))
    assert list(db.iterate(hierarchy.unfinished_accounts())) == []
    assert reload_account(db, location).root_account_id == division.account_id
    account_tree(db, ada, reload_account(db, top))


def test_a_wrong_number_of_children_does_not_block_a_tree_for_ever(db: Repository, clock: Clock) -> None:
    ada, top = new_owner(db)
    subsidiary, division, _ = account_tree(db, ada, top)
    db.update(AccountById(account_id=division.account_id), add={"children": 4})
    hierarchy.move_account(db, ada, division.account_id, top.account_id)
    assert reload_account(db, top).moving == division.account_id
    finish_accounts(JobRun(db))
    assert reload_account(db, top).moving == division.account_id, "the index may lag"
    clock.advance(hierarchy.MAX_INDEX_LAG)
    finish_accounts(JobRun(db))
    assert reload_account(db, top).moving is None
    assert reload_account(db, division).children == 1
    assert reload_account(db, subsidiary).children == 0


def test_the_job_continues_after_an_account_that_fails(
    db: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    owners = [new_owner(db) for _ in range(2)]
    for caller, account in owners:
        closing.close_account(db, caller, account.account_id)
    finish, failing = closing.finish_closing, owners[0][1].account_id

    def fail_once(db: Repository, account_id: str) -> bool:
        if account_id == failing:
            raise Conflict("not now")
        return finish(db, account_id)

    monkeypatch.setattr(closing, "finish_closing", fail_once)
    for _ in range(3):
        finish_accounts(JobRun(db))
    assert [item["accountId"]["S"] for item in items_of(db, Account)] == [failing]


def test_invited_users_are_notified(
    db: Repository, create_owner: NewOwner, client: TestClient, issuer: LocalIssuer
) -> None:
    owner, account = create_owner()
    bob, _ = create_owner()
    place = f"/accounts/{account.account_id}/invitations"
    owner.call("POST", place, 201, email=bob.caller.email)
    (notice,) = [
        item for item in bob.call("GET", "/users/me/notifications")["items"] if item["type"] == "in-app"
    ]
    assert notice["subject"] == f"You are invited to {account.account_name}"
    owner.call("POST", place, 201, email="Newcomer@example.org")
    (mail,) = [item for item in items_of(db, Notification) if "address" in item]
    assert (mail["address"], mail["type"], mail["status"]) == (
        {"S": "newcomer@example.org"},
        {"S": "email"},
        {"S": "pending"},
    )
    worker = Caller("w", {"roles": ["worker"]})
    assert "newcomer@example.org" in {claimed.address for claimed in delivery.claims(db, worker)}


def test_announcements_reach_every_owner_and_admin_once(db: Repository) -> None:
    ada, account = new_owner(db)
    admins = [new_member(db, ada, account.account_id, AccountRole.ADMIN) for _ in range(3)]
    bob = new_member(db, ada, account.account_id, permissions=Permissions(sources=list(Right)))
    db.transact(*alerts.source_failed(account.account_id, "s1", "our keap", "the token was revoked"))
    assert alerts.ANNOUNCEMENTS.deliver_due(db).failed == 0
    alerts.ANNOUNCEMENTS.deliver_due(db)
    sent = [item for item in items_of(db, Notification) if item["category"]["S"] == "source"]
    receivers = sorted(item["userId"]["S"] for item in sent if item["type"]["S"] == "in-app")
    assert receivers == sorted(item.user_id for item in (ada, *admins))
    assert bob.user_id not in receivers
    assert [item for item in items_of(db, Announcement) if "announcedIn" in item] == []


def test_an_announcement_interrupted_after_its_last_batch_is_not_repeated(db: Repository) -> None:
    _, account = new_owner(db)
    db.transact(*alerts.source_failed(account.account_id, "s1", "our keap", "broken"))
    (message,) = [item for item in db.iterate(alerts.ANNOUNCEMENTS.messages) if item.resource_id == "s1"]
    batches = list(alerts.ANNOUNCEMENTS.deliver(db, message))
    again = message.changed(position=batches[-1].position)
    assert list(alerts.ANNOUNCEMENTS.deliver(db, again)) == []


def test_invitations_expire_and_free_their_place(
    db: Repository, clock: Clock, create_owner: NewOwner
) -> None:
    owner, account = create_owner(Plan.FREE)
    bob, _ = create_owner()
    place = f"/accounts/{account.account_id}/invitations"
    owner.call("POST", place, 201, email=bob.caller.email)
    owner.call("POST", place, 201, email="late@example.org")
    assert owner.rejected_field("POST", place, 409, email="more@example.org") == "users"
    clock.advance(invitations.LIFETIME - timedelta(seconds=1))
    withdraw_invitations(JobRun(db))
    assert len(bob.call("GET", "/invitations")["items"]) == 1
    clock.advance(timedelta(seconds=1))
    assert bob.call("GET", "/invitations")["items"] == []
    with pytest.raises(Gone):
        invitations.accept(db, bob.caller, account.account_id)
    withdraw_invitations(JobRun(db))
    assert reload_account(db, account).users_used == 1
    owner.call("POST", place, 201, email="more@example.org")


def test_an_accepted_invitation_never_expires(db: Repository, clock: Clock) -> None:
    ada, account = new_owner(db)
    bob = new_member(db, ada, account.account_id)
    clock.advance(invitations.LIFETIME + timedelta(days=1))
    withdraw_invitations(JobRun(db))
    assert memberships.membership_of(db, bob.user_id, account.account_id).expires_at is None
    assert reload_account(db, account).users_used == 2


def test_domains_that_differ_have_different_users(db: Repository) -> None:
    one, other = (
        Caller(new_caller().user_id, {"email": f"bob@{domain}.de", "email_verified": True})
        for domain in ("strasse", "straße")
    )
    ada, account = new_owner(db)
    invitations.invite(db, ada, account.account_id, "bob@strasse.de")
    for caller in (one, other):
        users.sign_up(db, caller, username=caller.user_id, name="Bob", account_name="Bob's")
    assert len(invitations.own_invitations(db, one)) == 1
    assert invitations.own_invitations(db, other) == []


@pytest.mark.parametrize("name", ["evil\u202e", "a\x00b", "two\nlines\x1b"])
def test_names_have_no_control_characters(create_owner: NewOwner, name: str) -> None:
    owner, account = create_owner()
    place = f"/accounts/{account.account_id}"
    assert owner.rejected_field("PATCH", "/users/me", 422, name=name) == "name"
    assert owner.rejected_field("PATCH", "/users/me", 422, username=name) == "username"
    assert owner.rejected_field("PATCH", place, 422, accountName=name) == "accountName"
    assert owner.rejected_field("POST", "/accounts", 422, accountName=name) == "accountName"
    assert owner.rejected_field("POST", f"{place}/teams", 422, teamName=name) == "teamName"
    word = {"tagKey": "k", "tagValue": name}
    assert owner.rejected_field("POST", f"{place}/tags/source", 422, **word) == "tagValue"


def test_the_jobs_have_names_and_run_alone() -> None:
    assert [job.name for job in JOBS][-3:] == [
        "announcements",
        "unfinished-accounts",
        "expired-invitations",
    ]
    assert [job.name for job in JOBS if not job.exclusive] == ["worker"]
