"""Problems of the document that are not races; the number of each is in the test name."""

import json
from datetime import timedelta
from typing import Any

import pytest
from pydantic import TypeAdapter
from tablewright_systems.boards import __main__ as command
from tablewright_systems.boards.design import (
    Board,
    BoardOfService,
    BoardServicePermission,
    BoardServiceSetting,
    JoinRequest,
    RequestsOfBoard,
    RequestsOfUser,
    ServicesOfBoard,
    ServicesOfBoardByType,
    ServicesOfBoardNow,
    UsersOfService,
    design,
)
from tablewright_systems.boards.index_fallback import read_one
from tablewright_systems.boards.proofs.fixtures import ADMIN, TRADES, TRADES_ARCHIVE, board_of, member, user
from tablewright_systems.boards.service import (
    authorization,
    boards,
    catalogue,
    joining,
    members,
    permissions,
    services,
    users,
)
from tablewright_systems.boards.values import (
    APPROVE_JOIN,
    CONFIGS,
    MAX_SERVICES,
    ApproveJoinConfig,
    Role,
    ServiceTypes,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.service.paging import Paging
from tablewright_systems.verification import ProofContext

from systems.tests.boards.tables import item_counts
from tablewright import Clock, Repository, connect, embedded, errors

NAMES = (
    *("UserProfiles", "Boards", "BoardMemberships", "BoardJoinRequests"),
    *("AvailableServices", "BoardServiceSettings", "BoardServicePermissions"),
)


def stored(db: Repository, table: str, **key: str) -> dict[str, Any]:
    """An item as it is stored."""
    wanted = {name: {"S": value} for name, value in key.items()}
    item: dict[str, Any] = db.connection.call("GetItem", {"TableName": table, "Key": wanted})["Item"]
    return item


# --- R1, R2: names and addresses (their races are in test_races) ---


def test_r1_claim_is_stored_in_the_table_and_in_no_index(context: ProofContext) -> None:
    board = board_of(context, user(context))
    claim = stored(context.db, "Boards", PK=f"BOARDNAME#{board.board_name}", SK="UNIQUE")
    assert not {"boardName", "ownerId", "createdAt"} & claim.keys()
    for index in ("ownerId-index", "boardName-index"):
        assert context.db.connection.call("Scan", {"TableName": "Boards", "IndexName": index})["Count"] == 1


def test_r2_names_are_compared_folded(context: ProofContext) -> None:
    ada = context.caller(email="ada@example.org")
    users.register(context.db, ada, "Stra\N{LATIN SMALL LETTER SHARP S}e")
    assert users.profile_by_name(context.db, "STRASSE").user_id == ada.user_id
    assert users.my_profile(context.db, ada).user_name == "Stra\N{LATIN SMALL LETTER SHARP S}e"
    boards.create_board(context.db, ada, "Project  Board", ())
    assert boards.board_by_name(context.db, "project board").board_name == "Project Board"


def test_r2_address_is_unique_and_comes_from_the_token(context: ProofContext) -> None:
    users.register(context.db, context.caller(email="ada@example.org"), "ada")
    with pytest.raises(errors.UniqueViolation) as error:
        users.register(context.db, context.caller(email="ADA@example.org"), "eve")
    assert error.value.field == "email"
    users.register(context.db, context.caller(email="bob@strasse.de"), "bob")
    users.register(context.db, context.caller(email="bob@stra\N{LATIN SMALL LETTER SHARP S}e.de"), "rob")


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"email": "eve@example.org", "email_verified": False},
        {"email": "eve@example.org", "email_verified": "true"},
        {"email": "eve@example.org", "email_verified": None},
        {"email": "no address"},
    ],
)
def test_r2_address_that_was_not_verified_is_not_taken(context: ProofContext, claims: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as missing:
        users.register(context.db, context.caller(**claims), "eve")
    assert missing.value.field == "email"
    users.register(context.db, context.caller(email="eve@example.org"), "eve")


# --- R3, R4, R5, R13, R19: services and their types ---


def test_r3_prefix_does_not_match_a_longer_type(context: ProofContext) -> None:
    board = board_of(context, user(context), TRADES, TRADES_ARCHIVE)
    there = context.db.all(ServicesOfBoardByType(board_id=board.board_id, service_type=TRADES))
    assert [item.service_type for item in there] == [TRADES]


def test_r4_table_has_the_same_items_as_gsi1(context: ProofContext) -> None:
    board = board_of(context, user(context), TRADES, APPROVE_JOIN)
    now = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
    by_type = context.db.all(ServicesOfBoard(board_id=board.board_id))
    assert sorted(now, key=lambda item: item.service_type) == by_type


def test_r5_duplicate_service_ids_are_an_error(context: ProofContext) -> None:
    ada = user(context)
    here, there = board_of(context, ada, TRADES), board_of(context, ada)
    (made,) = context.db.all(ServicesOfBoardNow(board_id=here.board_id))
    context.db.create(made.changed(board_id=there.board_id))
    with pytest.raises(errors.SeveralFound):
        read_one(context.db, BoardOfService(service_id=made.service_id))


def test_r5_ids_are_ulids() -> None:
    made = [
        BoardServiceSetting(board_id="b", service_type=TRADES, is_default=True, config=CONFIGS[APPROVE_JOIN])
        for _ in range(100)
    ]
    assert len({item.service_id for item in made}) == 100
    assert {len(item.service_id) for item in made} == {26}


def test_r13_index_keys_follow_the_type(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada, TRADES)
    (made,) = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
    context.db.update(made, set={"service_type": TRADES_ARCHIVE})
    item = stored(
        context.db, "BoardServiceSettings", PK=f"BOARD#{board.board_id}", SK=f"SERVICE#{made.service_id}"
    )
    assert item["GSI1SK"] == {"S": f"SERVICETYPE#{TRADES_ARCHIVE}#{made.service_id}"}
    with pytest.raises(Invalid):
        services.configure(
            context.db, ada, board.board_id, made.service_id, {"serviceType": TRADES, "ttlDays": 1}
        )


def test_r19_unknown_service_type_cannot_be_enabled(context: ProofContext) -> None:
    ada = user(context)
    catalogue.seed(context.db, ADMIN)
    board = boards.create_board(context.db, ada, "Project Board")
    with pytest.raises(Invalid) as error:
        services.enable_service(context.db, ada, board.board_id, TRADES)
    assert error.value.field == "serviceType"
    with pytest.raises(Invalid):
        boards.create_board(context.db, ada, "Other Board", [TRADES])
    assert boards.NAMES.is_free(context.db, "Other Board")


def test_r19_seed_command_is_idempotent(
    tmp_path: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    where = str(tmp_path / "boards.db")
    command.main([where])
    command.main([where])
    assert capsys.readouterr().out == "added approveJoin\nadded nothing: all service types exist\n"


def test_r19_catalogue_scan_reads_all_pages(context: ProofContext) -> None:
    board_of(context, user(context))
    assert [entry.service_type for entry in catalogue.entries(context.db)] == [
        APPROVE_JOIN,
        TRADES,
        TRADES_ARCHIVE,
    ]


# --- R6, R7, R8, R20: requests and their expiry ---


def test_r6_request_expires_after_the_configured_days() -> None:
    with connect(design, clock=Clock(start=1_733_606_994.716)) as db:
        ada, bob = (
            Caller(name, {"email": f"{name}@example.org", "email_verified": True}) for name in ("ada", "bob")
        )
        catalogue.seed(db, ADMIN)
        users.register(db, ada, "ada")
        users.register(db, bob, "bob")
        board = boards.create_board(db, ada, "Project Board")
        request = joining.request_to_join(db, bob, board.board_id, "I want to contribute to the project")
        assert request.expires_at == 1_733_866_194
        item = stored(db, "BoardJoinRequests", PK=f"BOARD#{board.board_id}", SK="REQUEST#bob")
        assert item["createdAt"] == {"S": "2024-12-07T21:29:54.716Z"}
        assert item["expiresAt"] == {"N": "1733866194"}


def test_r7_expired_requests_are_hidden_before_ttl_deletes_them(context: ProofContext) -> None:
    ada, bob = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    request = joining.request_to_join(context.db, bob, board.board_id, "let me in")
    context.clock.advance(timedelta(days=3) - timedelta(seconds=1))
    assert context.db.run(JoinRequest(board_id=board.board_id, user_id=bob.user_id)) == request
    context.clock.advance(timedelta(seconds=1))
    assert item_counts(context.db)["BoardJoinRequests"] == 1, "the item still exists"
    assert context.db.run(JoinRequest(board_id=board.board_id, user_id=bob.user_id)) is None
    assert not context.db.all(RequestsOfBoard(board_id=board.board_id))
    assert not context.db.all(RequestsOfUser(user_id=bob.user_id))
    for flow in (joining.approve, joining.reject):
        with pytest.raises(NotFound):
            flow(context.db, ada, board.board_id, bob.user_id)
    with pytest.raises(NotFound):
        joining.cancel(context.db, bob, board.board_id)
    assert joining.request_to_join(context.db, bob, board.board_id, "again").answer == "again"


def test_r8_ttl_is_enabled_with_the_table(db: Repository) -> None:
    reply = db.connection.call("DescribeTimeToLive", {"TableName": "BoardJoinRequests"})
    assert reply["TimeToLiveDescription"] == {"AttributeName": "expiresAt", "TimeToLiveStatus": "ENABLED"}


def test_r20_request_keeps_its_question_and_expiry(context: ProofContext) -> None:
    ada, bob = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    (service,) = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
    request = joining.request_to_join(context.db, bob, board.board_id, "I want to contribute")
    config = {"ttlDays": 30, "askQuestion": True, "questionText": "Who sent you?"}
    services.configure(context.db, ada, board.board_id, service.service_id, config)
    assert joining.join_request(context.db, ada, board.board_id, bob.user_id) == request
    assert request.question == "Why do you want to join?"


@pytest.mark.parametrize("answer", [None, "", "  "])
def test_r20_question_requires_an_answer(context: ProofContext, answer: str | None) -> None:
    board = board_of(context, user(context), APPROVE_JOIN)
    with pytest.raises(Invalid) as error:
        joining.request_to_join(context.db, user(context), board.board_id, answer)
    assert error.value.field == "answer"


def test_r20_answer_without_a_question_is_ignored(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    (service,) = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
    services.configure(
        context.db, ada, board.board_id, service.service_id, {"ttlDays": 1, "askQuestion": False}
    )
    request = joining.request_to_join(context.db, user(context), board.board_id, "unasked")
    assert (request.question, request.answer) == (None, None)


@pytest.mark.parametrize("ttl_days", [0, -1, 366, 1.5, "many", None])
def test_r20_ttl_days_must_be_positive(context: ProofContext, ttl_days: Any) -> None:
    ada = user(context)
    board = board_of(context, ada)
    with pytest.raises(Invalid) as error:
        services.enable_service(
            context.db, ada, board.board_id, APPROVE_JOIN, {"ttlDays": ttl_days, "askQuestion": False}
        )
    assert error.value.field == "config.ttlDays"


# --- R9, R10: members and owners (their races are in test_races) ---


def test_r9_member_cannot_request_to_join(context: ProofContext) -> None:
    board = board_of(context, user(context), APPROVE_JOIN)
    with pytest.raises(Conflict):
        joining.request_to_join(context.db, member(context, board), board.board_id, "once more")


def test_r9_direct_join_deletes_an_old_request(context: ProofContext) -> None:
    ada, bob = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    joining.request_to_join(context.db, bob, board.board_id, "let me in")
    (service,) = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
    services.disable_service(context.db, ada, board.board_id, service.service_id)
    joining.join(context.db, bob, board.board_id)
    assert not context.db.all(RequestsOfBoard(board_id=board.board_id))


def test_r10_owner_cannot_leave(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    bob = member(context, board, Role.MANAGER)
    with pytest.raises(Conflict):
        members.leave(context.db, ada, board.board_id)
    with pytest.raises(Conflict):
        members.kick(context.db, bob, board.board_id, ada.user_id)
    for who, role in ((ada, Role.MEMBER), (bob, Role.OWNER)):
        with pytest.raises(Invalid):
            members.change_role(context.db, ada, board.board_id, who.user_id, role)
    with pytest.raises(NotFound):
        members.transfer(context.db, ada, board.board_id, user(context).user_id)
    with pytest.raises(Invalid):
        members.transfer(context.db, ada, board.board_id, ada.user_id)


def test_r10_managers_cannot_remove_each_other(context: ProofContext) -> None:
    board = board_of(context, user(context))
    bob, eve = member(context, board, Role.MANAGER), member(context, board, Role.MANAGER)
    with pytest.raises(Forbidden):
        members.kick(context.db, bob, board.board_id, eve.user_id)


# --- R11, R12: services and their copies ---


def test_r11_type_is_listed_once_while_it_has_services(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    made = [services.enable_service(context.db, ada, board.board_id, TRADES) for _ in range(3)]
    for item in made:
        assert authorization.board_of(context.db, board.board_id).enabled_services == [TRADES]
        services.disable_service(context.db, ada, board.board_id, item.service_id)
    assert authorization.board_of(context.db, board.board_id).enabled_services == []
    with pytest.raises(ValueError, match="twice"):
        TypeAdapter(ServiceTypes).validate_python([TRADES, TRADES])


def test_r12_deleted_default_has_a_successor(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    first, second, third = (
        services.enable_service(context.db, ada, board.board_id, TRADES) for _ in range(3)
    )
    services.make_default(context.db, ada, board.board_id, third.service_id)
    services.disable_service(context.db, ada, board.board_id, third.service_id)
    assert services.default_service(context.db, ada, board.board_id, TRADES).service_id == first.service_id
    services.disable_service(context.db, ada, board.board_id, second.service_id)
    assert services.default_service(context.db, ada, board.board_id, TRADES).service_id == first.service_id


# --- R14, R15: permissions ---


def test_r14_leaving_member_loses_all_permissions(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    bob = member(context, board)
    made = [services.enable_service(context.db, ada, board.board_id, TRADES) for _ in range(MAX_SERVICES)]
    for item in made:
        permissions.grant(context.db, ada, board.board_id, item.service_id, bob.user_id)
    with pytest.raises(Conflict):
        services.enable_service(context.db, ada, board.board_id, TRADES)
    members.leave(context.db, bob, board.board_id)
    assert item_counts(context.db)["BoardServicePermissions"] == 0
    joining.join(context.db, bob, board.board_id)
    with pytest.raises(NotFound):
        permissions.permission(context.db, bob, board.board_id, made[0].service_id, bob.user_id)


def test_r14_deleted_service_leaves_no_permissions_even_after_a_crash(
    context: ProofContext,
) -> None:
    ada = user(context)
    board = board_of(context, ada)
    made = services.enable_service(context.db, ada, board.board_id, TRADES)
    services.disable_service(context.db, ada, board.board_id, made.service_id)
    left = BoardServicePermission(
        board_id=board.board_id, service_id=made.service_id, user_id="bob", granted_by=ada.user_id
    )
    context.db.create(left)
    with pytest.raises(NotFound):
        services.disable_service(context.db, ada, board.board_id, made.service_id)
    assert not context.db.all(UsersOfService(board_id=board.board_id, service_id=made.service_id))


def test_r15_only_the_owner_grants_and_only_to_members(context: ProofContext) -> None:
    ada, outsider = user(context), user(context)
    board = board_of(context, ada)
    made = services.enable_service(context.db, ada, board.board_id, TRADES)
    manager = member(context, board, Role.MANAGER)
    with pytest.raises(Forbidden):
        permissions.grant(context.db, manager, board.board_id, made.service_id, manager.user_id)
    with pytest.raises(Conflict) as error:
        permissions.grant(context.db, ada, board.board_id, made.service_id, outsider.user_id)
    assert error.value.field == "userId"
    with pytest.raises(NotFound):
        permissions.grant(context.db, ada, board.board_id, "no-service", manager.user_id)
    granted = permissions.grant(context.db, ada, board.board_id, made.service_id, manager.user_id)
    assert granted.granted_by == ada.user_id
    with pytest.raises(Conflict):
        permissions.grant(context.db, ada, board.board_id, made.service_id, manager.user_id)


# --- R17, R21, R22, R23, R25, R26: order, reading together, values, names ---


def test_r17_lists_are_ordered_by_time(context: ProofContext) -> None:
    ada, bob = user(context), user(context)
    made: list[str] = []
    for _ in range(5):
        context.clock.advance(timedelta(milliseconds=1))
        board = board_of(context, ada, APPROVE_JOIN)
        joining.request_to_join(context.db, bob, board.board_id, "me too")
        made.insert(0, board.board_id)
    assert [board.board_id for board in boards.owned_boards(context.db, ada)] == made
    assert [board.board_id for board in members.my_boards(context.db, ada)] == made
    assert [request.board_id for request in joining.my_requests(context.db, bob)] == made


def test_r17_pages_continue_among_equal_times(context: ProofContext) -> None:
    ada = user(context)
    made = {board_of(context, ada).board_id for _ in range(7)}
    seen: list[str] = []
    cursor = None
    while True:
        page = boards.owned_boards(context.db, ada, paging=Paging(2, cursor))
        seen += [item.board_id for item in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert sorted(seen) == sorted(made)


def test_r21_board_with_members_and_requests_takes_three_reads(context: ProofContext) -> None:
    """The items are in three tables: one key finds them, but one read does not."""
    ada = user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    request = joining.request_to_join(context.db, user(context), board.board_id, "me too")
    assert authorization.board_of(context.db, board.board_id) == board
    assert [item.user_id for item in members.members(context.db, ada, board.board_id)] == [ada.user_id]
    assert list(joining.requests_of_board(context.db, ada, board.board_id)) == [request]


def test_r22_role_is_one_of_three() -> None:
    assert [role.value for role in Role] == ["member", "manager", "owner"]
    with pytest.raises(ValueError, match="not a valid Role"):
        Role("member|manager|owner")


def test_r23_timestamps_have_one_width(context: ProofContext) -> None:
    context.clock.freeze(int(context.clock.now()) + 1)
    ada = user(context)
    board = board_of(context, ada, TRADES)
    (service,) = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
    permissions.grant(context.db, ada, board.board_id, service.service_id, ada.user_id)
    item = stored(
        context.db,
        "BoardServicePermissions",
        PK=f"BOARD#{board.board_id}#SERVICE#{service.service_id}",
        SK=f"USER#{ada.user_id}",
    )
    assert len(item["grantedAt"]["S"]) == len("2024-12-07T21:29:54.716Z")
    assert item["grantedAt"]["S"].endswith(".000Z")


def test_r24_r25_texts_are_spelt_correctly() -> None:
    reply = json.dumps([entry.model_dump() for entry in catalogue.SEED])
    assert "hanld" not in reply
    assert reply.isascii()


def test_r26_names_come_from_the_design(db: Repository) -> None:
    assert tuple(table.physical_name() for table in design.tables) == NAMES
    assert sorted(db.connection.call("ListTables", {})["TableNames"]) == sorted(NAMES)


def test_r26_environment_variable_overrides_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = [table.variable for table in design.tables]
    assert variables == [
        "USER_PROFILES_TABLE",
        "BOARDS_TABLE",
        "BOARD_MEMBERSHIPS_TABLE",
        "BOARD_JOIN_REQUESTS_TABLE",
        "AVAILABLE_SERVICES_TABLE",
        "BOARD_SERVICE_SETTINGS_TABLE",
        "BOARD_SERVICE_PERMISSIONS_TABLE",
    ]
    monkeypatch.setenv("BOARDS_TABLE", "legacy-boards")
    with connect(design) as db:
        assert "legacy-boards" in db.connection.call("ListTables", {})["TableNames"]
        db.create(Board(board_name="Project Board", owner_id="ada"))
        assert db.connection.call("Scan", {"TableName": "legacy-boards"})["Count"] == 2


def test_r26_missing_name_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDS_TABLE", "")
    with pytest.raises(errors.DesignError, match="BOARDS_TABLE is set, but empty"):
        connect(design)


def test_r26_missing_table_fails() -> None:
    db = connect(design, embedded(), create=False)
    with db, pytest.raises(errors.ResourceNotFound):
        boards.NAMES.is_free(db, "Project Board")


def test_x10_delimiter_in_an_id_is_rejected(context: ProofContext) -> None:
    ada = user(context)
    with pytest.raises(errors.KeyValueError):
        context.db.run(UsersOfService(board_id="b#SERVICE#s", service_id="t"))
    with pytest.raises(ValueError, match="service_type"):
        ServicesOfBoardByType(board_id="b", service_type="trades#x")
    with pytest.raises(ValueError, match="ask"):
        ApproveJoinConfig(ttl_days=1, ask_question=True)
    with pytest.raises(NotFound):
        authorization.require_member(context.db, ada, "b#x")
