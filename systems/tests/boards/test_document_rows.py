"""R1: rows as the document prints them, and rows with values that this system would not write."""

import pytest
from tablewright_systems.boards import design
from tablewright_systems.boards.proofs.fixtures import ADMIN, put_documents
from tablewright_systems.boards.service import boards, catalogue, joining, members, services, users
from tablewright_systems.boards.values import APPROVAL, Role
from tablewright_systems.service import Caller, Conflict, Forbidden, NotFound
from tablewright_systems.verification import ProofContext, change_row, put_row

from tablewright import Repository, errors, migrations

ADA, BOB = Caller("ada"), Caller("bob")
EVE = Caller("eve", {"email": "eve@example.org", "email_verified": True})


@pytest.fixture
def rows(context: ProofContext) -> Repository:
    """Two users with one name, and two boards with that name."""
    catalogue.seed(context.db, ADMIN)
    put_documents(context, "ada", "b1", "username")
    put_documents(context, "bob", "b2", "username")
    return context.db


def test_names_are_taken(rows: Repository) -> None:
    assert not users.NAMES.is_free(rows, "username")
    assert not boards.NAMES.is_free(rows, "username")
    with pytest.raises(Conflict) as error:
        users.register(rows, EVE, "username")
    assert error.value.field == "userName"
    users.register(rows, EVE, "another")
    with pytest.raises(Conflict):
        users.rename(rows, EVE, "username")
    with pytest.raises(Conflict):
        boards.create_board(rows, EVE, "username", ())
    other = boards.create_board(rows, EVE, "Other", ())
    with pytest.raises(Conflict):
        boards.rename_board(rows, EVE, other.board_id, "username")


def test_name_of_several_is_that_of_the_oldest(rows: Repository) -> None:
    change_row(
        rows, design.user_profiles, {"PK": "USER#bob", "SK": "PROFILE"}, createdAt="2023-01-01T00:00:00.000Z"
    )
    change_row(rows, design.boards, {"PK": "BOARD#b2", "SK": "META"}, createdAt="2023-01-01T00:00:00.000Z")
    assert users.profile_by_name(rows, "username").user_id == "bob"
    assert boards.board_by_name(rows, "username").board_id == "b2"


def test_owner_can_use_and_delete_everything(rows: Repository) -> None:
    users.register(rows, EVE, "eve")
    joining.request_to_join(rows, EVE, "b1", "I want to contribute")
    joining.approve(rows, ADA, "b1", "eve")
    services.configure(rows, ADA, "b1", "s-b1", {"ttlDays": 5, "askQuestion": False})
    assert boards.rename_board(rows, ADA, "b1", "Renamed").board_name == "Renamed"
    members.transfer(rows, ADA, "b1", "eve")
    assert users.rename(rows, ADA, "renamed").user_name == "renamed"
    boards.delete_board(rows, EVE, "b1")
    boards.delete_board(rows, BOB, "b2")
    assert boards.NAMES.is_free(rows, "username")


def test_other_spelling_does_not_lose_its_claim_to_a_row_without_one(rows: Repository) -> None:
    users.register(rows, EVE, "UserName")
    users.rename(rows, ADA, "ada")
    rows.delete(design.ProfileById(user_id="bob"))
    held = rows.run(design.UserNameClaim(user_name="username"))
    assert held is not None
    assert held.user_id == "eve"


def test_migration_writes_the_claims_and_reports_duplicates(rows: Repository) -> None:
    with pytest.raises(errors.MigrationIncomplete):
        migrations.migrate(rows)
    users.rename(rows, BOB, "bob")
    boards.rename_board(rows, BOB, "b2", "Bob's")
    migrations.retry(rows)
    migrations.migrate(rows)
    assert {status.status for status in migrations.status(rows)} == {"applied"}
    for name in ("USERNAME", "BOB"):
        assert not users.NAMES.is_free(rows, name)
    with pytest.raises(errors.UniqueViolation) as error:
        users.register(rows, Caller("x", {**EVE.claims, "email": "ADA@example.com"}), "free")
    assert error.value.field == "email"


def test_values_of_another_program_are_readable_and_repairable(rows: Repository) -> None:
    change_row(rows, design.user_profiles, {"PK": "USER#ada", "SK": "PROFILE"}, userName="a b", email="none")
    change_row(
        rows,
        design.boards,
        {"PK": "BOARD#b1", "SK": "META"},
        boardName="x" * 200,
        enabledServices=["approveJoin", "?"],
    )
    change_row(
        rows,
        design.board_service_settings,
        {"PK": "BOARD#b1", "SK": "SERVICE#s-b1"},
        config={"ttlDays": 0, "other": 1},
    )
    assert users.my_profile(rows, ADA).user_name == "a b"
    assert [board.board_id for board in boards.owned_boards(rows, ADA)] == ["b1"]
    assert joining.terms(rows, "b1").ttl_days == APPROVAL.ttl_days
    assert services.service(rows, ADA, "b1", "s-b1").config == {"ttlDays": 0, "other": 1}
    users.rename(rows, ADA, "ada")
    boards.rename_board(rows, ADA, "b1", "Short")
    services.configure(rows, ADA, "b1", "s-b1", {"ttlDays": 9, "askQuestion": False})
    assert joining.terms(rows, "b1").ttl_days == 9


def test_board_without_its_setting_needs_approval(rows: Repository) -> None:
    rows.delete(design.ServiceSetting(board_id="b1", service_id="s-b1"))
    users.register(rows, EVE, "eve")
    with pytest.raises(Conflict):
        joining.join(rows, EVE, "b1")
    assert joining.request_to_join(rows, EVE, "b1", "please").question == APPROVAL.question_text
    with pytest.raises(NotFound):
        services.default_service(rows, ADA, "b1", "approveJoin")


def test_service_types_of_another_program_can_be_used(rows: Repository) -> None:
    """The document names one type, and an example of another; it does not limit their names."""
    entry = {"serviceType": "trade-offers", "displayName": "", "description": "x" * 2_000}
    put_row(rows, design.available_services, {"PK": "SERVICETYPE#trade-offers", "SK": "META", **entry})
    assert [entry.service_type for entry in catalogue.entries(rows)] == ["approveJoin", "trade-offers"]
    change_row(
        rows,
        design.board_service_settings,
        {"PK": "BOARD#b1", "SK": "SERVICE#s-b1"},
        serviceType="trade-offers",
        GSI1SK="SERVICETYPE#trade-offers#s-b1",
    )
    assert [service.service_id for service in services.services(rows, ADA, "b1", "trade-offers")] == ["s-b1"]
    second = services.enable_service(rows, ADA, "b1", "trade-offers")
    assert not second.is_default
    services.disable_service(rows, ADA, "b1", "s-b1")
    assert services.default_service(rows, ADA, "b1", "trade-offers").service_id == second.service_id


def test_role_of_another_program_counts_as_member(rows: Repository) -> None:
    """It can be seen and corrected, and its holder can be removed and can delete the account."""
    member = {"PK": "BOARD#b1", "SK": "USER#bob"}
    row = {"boardId": "b1", "userId": "bob", "role": "moderator", "joinedAt": "2024-12-07T21:29:54.716Z"}
    put_row(rows, design.board_memberships, member | row)
    assert {member.user_id: member.role for member in members.members(rows, ADA, "b1")} == {
        "ada": "owner",
        "bob": "moderator",
    }
    with pytest.raises(Forbidden):
        services.enable_service(rows, BOB, "b1", "approveJoin")
    assert members.change_role(rows, ADA, "b1", "bob", Role.MANAGER).role is Role.MANAGER
    change_row(rows, design.board_memberships, member, role="moderator")
    members.kick(rows, ADA, "b1", "bob")
    assert [member.user_id for member in members.members(rows, ADA, "b1")] == ["ada"]


def test_board_with_unreadable_rows_is_deleted(rows: Repository) -> None:
    """Deletion works by keys: what cannot be read, also on the board, is deleted."""
    for table, key in (
        (design.board_memberships, "USER#x"),
        (design.board_join_requests, "REQUEST#x"),
        (design.board_service_settings, "SERVICE#x"),
    ):
        put_row(rows, table, {"PK": "BOARD#b1", "SK": key})
    boards.delete_board(rows, ADA, "b1")
    for table in (design.board_memberships, design.board_join_requests, design.board_service_settings):
        result = rows.connection.call("Scan", {"TableName": table.name})["Items"]
        assert [item for item in result if item["PK"] == {"S": "BOARD#b1"}] == []


def test_user_with_unreadable_rows_is_deleted(rows: Repository, context: ProofContext) -> None:
    boards.delete_board(rows, BOB, "b2")
    for table, key in ((design.board_memberships, "USER#bob"), (design.board_join_requests, "REQUEST#bob")):
        row = {"PK": "BOARD#b1", "SK": key, "boardId": "b1", "userId": "bob"}
        put_row(rows, table, {**row, "joinedAt": "yesterday", "createdAt": "yesterday"})
    assert not users.delete_account(rows, BOB)
    context.clock.advance(users.GRACE)
    assert users.delete_account(rows, BOB)
    for table in (design.user_profiles, design.board_memberships, design.board_join_requests):
        result = rows.connection.call("Scan", {"TableName": table.name})["Items"]
        assert [item for item in result if item.get("userId") == {"S": "bob"}] == []
