"""Rights in an account: members cannot gain, grant or keep more rights than they have."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.listbackup.design.accounts import Account, BillingInfo
from tablewright_systems.listbackup.design.memberships import AccountRole, Permissions
from tablewright_systems.listbackup.design.teams import MembersOfTeam
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.proofs.fixtures import new_caller, new_member
from tablewright_systems.listbackup.service import audit, teams
from tablewright_systems.service.callers import Caller
from tablewright_systems.web.authentication import LocalIssuer

from systems.tests.listbackup.api_client import ApiClient, NewOwner
from tablewright import Repository

ALL = ["read", "create", "update", "delete"]
BILLS = {"paymentMethod": "card"}


@pytest.fixture
def house(create_owner: NewOwner) -> tuple[ApiClient, Account]:
    return create_owner()


@pytest.fixture
def steward(
    db: Repository, client: TestClient, issuer: LocalIssuer, house: tuple[ApiClient, Account]
) -> ApiClient:
    """A member who has all rights about users, and no others."""
    return joined(db, client, issuer, house, Permissions(users=list(Right)))


def joined(
    db: Repository,
    client: TestClient,
    issuer: LocalIssuer,
    house: tuple[ApiClient, Account],
    permissions: Permissions | None = None,
    role: AccountRole = AccountRole.MEMBER,
) -> ApiClient:
    owner, account = house
    caller = new_member(db, owner.caller, account.account_id, role, permissions)
    return ApiClient(client, issuer, caller)


@pytest.mark.parametrize("permissions", [{"billing": ["update"]}, {"sources": ["read"]}])
def test_members_cannot_grant_rights_to_themselves(
    steward: ApiClient, house: tuple[ApiClient, Account], permissions: dict[str, Any]
) -> None:
    place = f"/accounts/{house[1].account_id}"
    own = f"{place}/users/{steward.caller.user_id}/role"
    assert steward.rejected_field("PUT", own, 403, role="member", permissions=permissions) == "permissions"
    assert steward.rejected_field("PUT", own, 403, role="readonly") == "permissions"
    steward.rejected_field("PUT", own, 403, role="admin")
    steward.rejected_field("PUT", f"{place}/billing", 403, **BILLS)
    assert steward.call("PUT", own, role="member", permissions={"users": ALL})["permissions"]["users"] == ALL


def test_members_cannot_grant_rights_they_do_not_have(
    steward: ApiClient, house: tuple[ApiClient, Account]
) -> None:
    place = f"/accounts/{house[1].account_id}/invitations"
    wish = {"email": "bob@example.org", "permissions": {"sources": ["delete"]}}
    assert steward.rejected_field("POST", place, 403, **wish) == "permissions"
    steward.call("POST", place, 201, **wish | {"permissions": {"users": ["read"]}})


def test_members_cannot_gain_rights_through_a_team(
    steward: ApiClient, house: tuple[ApiClient, Account]
) -> None:
    owner, account = house
    place = f"/accounts/{account.account_id}/teams"
    wish = {"teamName": "mine", "permissions": {"sources": ["read"]}}
    assert steward.rejected_field("POST", place, 403, **wish) == "permissions"
    mine = steward.call("POST", place, 201, teamName="mine")["teamId"]
    assert (
        steward.rejected_field("PATCH", f"{place}/{mine}", 403, permissions={"settings": ["update"]})
        == "permissions"
    )
    strong = owner.call("POST", place, 201, **wish)["teamId"]
    myself = {"userId": steward.caller.user_id}
    assert steward.rejected_field("POST", f"{place}/{strong}/members", 403, **myself) == "permissions"
    owner.call("POST", f"{place}/{strong}/members", 201, **myself)


def test_an_admin_cannot_grant_rights_of_owners(
    db: Repository, client: TestClient, issuer: LocalIssuer, house: tuple[ApiClient, Account]
) -> None:
    admin = joined(db, client, issuer, house, role=AccountRole.ADMIN)
    own = f"/accounts/{house[1].account_id}/users/{admin.caller.user_id}/role"
    admin.rejected_field("PUT", own, 403, role="member", permissions={"billing": ["update"]})
    admin.call("PUT", own, role="member", permissions={"billing": ["read"], "sources": ALL})


def test_billing_is_visible_only_with_the_right_in_that_account(
    db: Repository, client: TestClient, issuer: LocalIssuer, house: tuple[ApiClient, Account]
) -> None:
    owner, account = house
    place = f"/accounts/{account.account_id}"
    child = owner.call("POST", f"{place}/children", 201, accountName="Child", accountType="location")
    for item in (account.account_id, child["accountId"]):
        owner.call("PUT", f"/accounts/{item}/billing", **BILLS)
    assert owner.call("GET", place)["billingInfo"]["paymentMethod"] == "card"
    guest = joined(db, client, issuer, house, role=AccountRole.READONLY)
    nothing = BillingInfo().model_dump(by_alias=True)
    assert guest.call("GET", place)["billingInfo"] == nothing
    listed = [
        *guest.call("GET", f"{place}/children")["items"],
        *guest.call("GET", f"{place}/subtree")["items"],
    ]
    assert [item["billingInfo"] for item in listed] == [nothing] * 3
    payer = joined(db, client, issuer, house, Permissions(billing=[Right.READ]))
    assert payer.call("GET", place)["billingInfo"]["paymentMethod"] == "card"


def test_a_session_ends_with_the_membership(
    db: Repository, client: TestClient, issuer: LocalIssuer, house: tuple[ApiClient, Account]
) -> None:
    owner, account = house
    bob = joined(db, client, issuer, house)
    token = bob.call("POST", "/sessions", 201, accountId=account.account_id)["refreshToken"]
    owner.call("DELETE", f"/accounts/{account.account_id}/users/{bob.caller.user_id}", 204)
    assert client.post("/sessions/refresh", json={"refreshToken": token}).status_code == 403


def test_an_unverified_address_gives_no_access(
    client: TestClient, issuer: LocalIssuer, house: tuple[ApiClient, Account]
) -> None:
    owner, account = house
    owner.call(
        "POST", f"/accounts/{account.account_id}/invitations", 201, email="vic@example.org", role="admin"
    )
    thief = new_caller()
    unverified = Caller(thief.user_id, {"email": "vic@example.org", "email_verified": False})
    wish = {"username": "thief", "name": "T", "accountName": "T"}
    assert ApiClient(client, issuer, unverified).rejected_field("POST", "/users", 422, **wish) == "email"
    ApiClient(client, issuer, thief).call("POST", "/users", 201, **wish)
    ApiClient(client, issuer, unverified).rejected_field(
        "POST", f"/invitations/{account.account_id}/acceptance", 404
    )


def test_a_closed_account_stays_closed(house: tuple[ApiClient, Account], staff: ApiClient) -> None:
    owner, account = house
    place = f"/accounts/{account.account_id}"
    owner.call("DELETE", place)
    assert staff.rejected_field("PUT", f"{place}/status", 409, status="active") == "status"


def test_a_member_who_joins_during_deletion_of_a_team_is_removed(
    db: Repository, house: tuple[ApiClient, Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, account = house
    bob = new_member(db, owner.caller, account.account_id)
    team = teams.create_team(db, owner.caller, account.account_id, team_name="one")
    record = audit.record

    def meanwhile(*values: Any, **more: Any) -> Any:
        monkeypatch.setattr(audit, "record", record)
        teams.add_member(db, owner.caller, account.account_id, team.team_id, bob.user_id)
        return record(*values, **more)

    monkeypatch.setattr(audit, "record", meanwhile)
    teams.delete_team(db, owner.caller, account.account_id, team.team_id)
    assert db.all(MembersOfTeam(account_id=account.account_id, team_id=team.team_id)) == []
