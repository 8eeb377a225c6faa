"""The flows F1 to F18, by the service."""

import os
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from tablewright import errors
from tablewright_systems.boards.design import (
    AvailableService,
    Board,
    BoardById,
    JoinRequest,
    Membership,
    ServicesOfBoardNow,
    UsersOfService,
)
from tablewright_systems.boards.design import boards as boards_table
from tablewright_systems.boards.proofs.cast import ADMIN, TRADES, board_of, member, user, without_indexes
from tablewright_systems.boards.service import (
    boards,
    catalogue,
    joining,
    members,
    permissions,
    rights,
    services,
    users,
)
from tablewright_systems.boards.values import APPROVE_JOIN, ApproveJoinConfig, Role
from tablewright_systems.problems import Conflict, Forbidden, Invalid, NotFound, Problem
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("boards")


def refused(kind: type[Problem], flow: Callable[[], object], field: str | None = None) -> None:
    """Assert that a flow is refused so."""
    try:
        flow()
    except kind as problem:
        named = problem.field
    else:
        raise AssertionError(f"it was not refused as {kind.__name__}")
    assert named == field, f"the refusal names {named}, not {field}"


@PROOFS("F1", "000:117")
def register(stage: Stage) -> None:
    """Register user with unique userName."""
    ada, eve = stage.caller(), stage.caller()
    name = stage.fresh("user")
    with stage.measured():
        profile = users.register(stage.db, ada, name, f"{name}@example.org")
    assert users.my_profile(stage.db, ada) == profile
    refused(
        Conflict,
        lambda: users.register(stage.db, eve, name.upper(), f"x{name}@example.org"),
        field="userName",
    )
    refused(NotFound, lambda: users.my_profile(stage.db, eve))


@PROOFS("F2", "000:34")
def create_board(stage: Stage) -> None:
    """Create board with unique name, owner membership row, default services."""
    ada = user(stage)
    catalogue.seed(stage.db, ADMIN)
    name = stage.fresh("Board")
    with stage.measured():
        board = boards.create_board(stage.db, ada, name)
    owner = stage.db.run(Membership(board_id=board.board_id, user_id=ada.user_id))
    assert owner is not None
    assert (board.owner_id, owner.role) == (ada.user_id, Role.OWNER)
    (service,) = stage.db.all(ServicesOfBoardNow(board_id=board.board_id))
    assert (board.enabled_services, service.service_type, service.is_default) == (
        [APPROVE_JOIN],
        APPROVE_JOIN,
        True,
    )
    refused(Conflict, lambda: boards.create_board(stage.db, ada, name.lower()), field="boardName")


@PROOFS("F3", "000:37")
def join_directly(stage: Stage) -> None:
    """Join directly when approveJoin is not enabled."""
    owner, bob = user(stage), user(stage)
    board, closed = board_of(stage, owner), board_of(stage, owner, APPROVE_JOIN)
    with stage.measured():
        mine = joining.join(stage.db, bob, board.board_id)
    assert stage.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) == mine
    refused(Conflict, lambda: joining.join(stage.db, bob, board.board_id))
    refused(Conflict, lambda: joining.join(stage.db, bob, closed.board_id))


@PROOFS("F4", "000:61")
def request_to_join(stage: Stage) -> None:
    """Request to join: question, answer, expiry."""
    board, bob = board_of(stage, user(stage), APPROVE_JOIN), user(stage)
    refused(Invalid, lambda: joining.request_to_join(stage.db, bob, board.board_id), field="answer")
    with stage.measured():
        asked = joining.request_to_join(stage.db, bob, board.board_id, "I want to contribute")
    assert asked.question == "Why do you want to join?"
    assert asked.expires_at - int(asked.created_at.timestamp()) == 3 * 86_400
    refused(Conflict, lambda: joining.request_to_join(stage.db, bob, board.board_id, "again"))


@PROOFS("F5", "000:106")
def approve(stage: Stage) -> None:
    """Approve: membership comes and request goes, by owner, manager or permission holder."""
    ada, bob, eve = user(stage), user(stage), user(stage)
    board = board_of(stage, ada, APPROVE_JOIN)
    (service,) = stage.db.all(ServicesOfBoardNow(board_id=board.board_id))
    holder = member(stage, board)
    joining.request_to_join(stage.db, bob, board.board_id, "let me in")
    refused(Forbidden, lambda: joining.approve(stage.db, eve, board.board_id, bob.user_id))
    refused(Forbidden, lambda: joining.approve(stage.db, holder, board.board_id, bob.user_id))
    permissions.grant(stage.db, ada, board.board_id, service.service_id, holder.user_id)
    with stage.measured():
        theirs = joining.approve(stage.db, holder, board.board_id, bob.user_id)
    assert stage.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) == theirs
    assert stage.db.run(JoinRequest(board_id=board.board_id, user_id=bob.user_id)) is None
    refused(Conflict, lambda: joining.request_to_join(stage.db, bob, board.board_id, "once more"))


@PROOFS("F6", "000:57")
def reject_and_cancel(stage: Stage) -> None:
    """Reject or cancel a request."""
    ada, bob = user(stage), user(stage)
    board = board_of(stage, ada, APPROVE_JOIN)
    joining.request_to_join(stage.db, bob, board.board_id, "first")
    with stage.measured():
        joining.reject(stage.db, ada, board.board_id, bob.user_id)
        joining.request_to_join(stage.db, bob, board.board_id, "second")
        joining.cancel(stage.db, bob, board.board_id)
    refused(NotFound, lambda: joining.cancel(stage.db, bob, board.board_id))
    refused(NotFound, lambda: joining.approve(stage.db, ada, board.board_id, bob.user_id))


@PROOFS("F7", "000:134")
def expire(stage: Stage) -> None:
    """A request expires by TTL, and is invisible at once, swept or not."""
    ada, bob = user(stage), user(stage)
    board = board_of(stage, ada, APPROVE_JOIN)
    joining.request_to_join(stage.db, bob, board.board_id, "slow")
    stage.clock.advance(timedelta(days=3))
    with stage.measured():
        assert not joining.requests_of_board(stage.db, ada, board.board_id).items
        assert not joining.my_requests(stage.db, bob).items
        refused(NotFound, lambda: joining.approve(stage.db, ada, board.board_id, bob.user_id))


@PROOFS("F8", "000:134")
def request_again(stage: Stage) -> None:
    """Request again after expiry."""
    board, bob = board_of(stage, user(stage), APPROVE_JOIN), user(stage)
    joining.request_to_join(stage.db, bob, board.board_id, "first")
    stage.clock.advance(timedelta(days=3))
    with stage.measured():
        again = joining.request_to_join(stage.db, bob, board.board_id, "second")
    assert stage.db.run(JoinRequest(board_id=board.board_id, user_id=bob.user_id)) == again


@PROOFS("F9", "000:120")
def my_lists(stage: Stage) -> None:
    """List my boards and my requests."""
    owner = user(stage)
    open_board, closed = board_of(stage, owner), board_of(stage, owner, APPROVE_JOIN)
    bob = member(stage, open_board)
    joining.request_to_join(stage.db, bob, closed.board_id, "this one too")
    with stage.measured():
        stage.eventually(
            lambda: [each.board_id for each in members.my_boards(stage.db, bob)] == [open_board.board_id]
        )
        stage.eventually(
            lambda: [each.board_id for each in joining.my_requests(stage.db, bob)] == [closed.board_id]
        )


@PROOFS("F10", "000:49")
def change_roles(stage: Stage) -> None:
    """Change roles, transfer ownership, leave, kick."""
    ada = user(stage)
    board = board_of(stage, ada)
    bob, eve = member(stage, board, Role.MANAGER), member(stage, board)
    refused(Forbidden, lambda: members.change_role(stage.db, bob, board.board_id, eve.user_id, Role.MANAGER))
    refused(Conflict, lambda: members.leave(stage.db, ada, board.board_id))
    with stage.measured():
        members.kick(stage.db, bob, board.board_id, eve.user_id)
        members.transfer(stage.db, ada, board.board_id, bob.user_id)
        members.change_role(stage.db, bob, board.board_id, ada.user_id, Role.MEMBER)
        members.leave(stage.db, ada, board.board_id)
    there = members.members(stage.db, bob, board.board_id)
    assert [(each.user_id, each.role) for each in there] == [(bob.user_id, Role.OWNER)]
    assert rights.board_of(stage.db, board.board_id).owner_id == bob.user_id


@PROOFS("F11", "000:37")
def enable_and_disable(stage: Stage) -> None:
    """Enable and disable services: rows and enabledServices in step, one default a type."""
    ada = user(stage)
    board = board_of(stage, ada)
    with stage.measured():
        first, second = (services.enable_service(stage.db, ada, board.board_id, TRADES) for _ in range(2))
        services.disable_service(stage.db, ada, board.board_id, first.service_id)
    assert (first.is_default, second.is_default) == (True, False)
    assert services.default_service(stage.db, ada, board.board_id, TRADES).service_id == second.service_id
    assert rights.board_of(stage.db, board.board_id).enabled_services == [TRADES]
    services.disable_service(stage.db, ada, board.board_id, second.service_id)
    assert rights.board_of(stage.db, board.board_id).enabled_services == []
    refused(
        Invalid,
        lambda: services.enable_service(stage.db, ada, board.board_id, "unheardOf"),
        field="serviceType",
    )


@PROOFS("F12", "000:94")
def configure(stage: Stage) -> None:
    """Edit service config with validation by type."""
    ada = user(stage)
    board = board_of(stage, ada, APPROVE_JOIN, TRADES)
    approval = services.default_service(stage.db, ada, board.board_id, APPROVE_JOIN)
    trades = services.default_service(stage.db, ada, board.board_id, TRADES)
    with stage.measured():
        changed = services.configure(
            stage.db, ada, board.board_id, approval.service_id, {"ttlDays": 7, "askQuestion": False}
        )
    assert changed.config == ApproveJoinConfig(ttl_days=7, ask_question=False)
    assert services.service(stage.db, ada, board.board_id, approval.service_id) == changed

    def set_to(config: dict[str, Any]) -> Callable[[], object]:
        return lambda: services.configure(stage.db, ada, board.board_id, approval.service_id, config)

    refused(Invalid, set_to({"ttlDays": 0, "askQuestion": False}), field="config.ttlDays")
    refused(Invalid, set_to({"askQuestion": False}), field="config.ttlDays")
    refused(Invalid, set_to({"ttlDays": 3, "askQuestion": True}), field="config")
    refused(
        Invalid,
        lambda: services.configure(stage.db, ada, board.board_id, trades.service_id, {"ttlDays": 3}),
        field="config.ttlDays",
    )


@PROOFS("F13", "000:110")
def grant_and_revoke(stage: Stage) -> None:
    """Grant and revoke service permission, with grantedAt and grantedBy."""
    ada = user(stage)
    board = board_of(stage, ada)
    made = services.enable_service(stage.db, ada, board.board_id, TRADES)
    bob, eve = member(stage, board, Role.MANAGER), member(stage, board)
    given = (board.board_id, made.service_id, eve.user_id)
    refused(Forbidden, lambda: permissions.grant(stage.db, bob, *given))
    with stage.measured():
        granted = permissions.grant(stage.db, ada, *given)
    assert (granted.granted_by, granted.granted_at) == (ada.user_id, stage.db.now())
    assert permissions.permission(stage.db, eve, *given) == granted
    permissions.revoke(stage.db, ada, *given)
    refused(NotFound, lambda: permissions.permission(stage.db, eve, *given))


@PROOFS("F14", "000:79")
def seed_catalogue(stage: Stage) -> None:
    """Seed the catalogue by hand, as often as one likes."""
    service_type = stage.fresh("type").replace("-", "")
    entry = AvailableService(service_type=service_type, display_name="Seeded", description="by hand")
    with stage.measured():
        assert catalogue.seed(stage.db, ADMIN, [entry]) == [entry]
    stage.db.update(entry, set={"display_name": "Edited"})
    assert catalogue.seed(stage.db, ADMIN, [entry]) == []
    assert catalogue.entry(stage.db, service_type).display_name == "Edited"
    refused(Forbidden, lambda: catalogue.seed(stage.db, user(stage)))


@PROOFS("F15", "000:8")
def table_names(stage: Stage) -> None:
    """Table names from one place, with legacy variables that have the last word."""
    with stage.measured():
        for table in stage.db.design.tables:
            name = stage.db.context.table_name(table)
            stage.db.connection.call("DescribeTable", {"TableName": name})
            assert name.endswith(table.physical_name())
    assert boards_table.variable == "BOARDS_TABLE"
    before = os.environ.get(boards_table.variable)
    try:
        os.environ[boards_table.variable] = "legacy-boards"
        assert boards_table.physical_name() == "legacy-boards"
    finally:
        del os.environ[boards_table.variable]
        if before is not None:
            os.environ[boards_table.variable] = before


@PROOFS("F16", "000:133")
def fall_back(stage: Stage) -> None:
    """Ask the index first, and scan without it in development only."""
    ada = user(stage)
    board = board_of(stage, ada)
    with stage.measured():
        stage.eventually(lambda: list(boards.owned_boards(stage.db, ada)) == [board])
        assert list(boards.owned_boards(without_indexes(stage.db), ada)) == [board]
    try:
        boards.owned_boards(without_indexes(stage.db, "production"), ada)
    except errors.ValidationError:
        return
    raise AssertionError("production scanned a table")


@PROOFS("F17", "000:117")
def rename(stage: Stage) -> None:
    """Rename user and board: the old name is free."""
    ada, eve = user(stage), user(stage)
    board = board_of(stage, ada)
    old = users.my_profile(stage.db, ada).user_name
    with stage.measured():
        users.rename(stage.db, ada, stage.fresh("user"))
        boards.rename_board(stage.db, ada, board.board_id, stage.fresh("board"))
    assert users.rename(stage.db, eve, old).user_name == old
    assert boards.create_board(stage.db, eve, board.board_name, ()).board_name == board.board_name
    taken = users.my_profile(stage.db, ada).user_name
    refused(Conflict, lambda: users.rename(stage.db, eve, taken), field="userName")


@PROOFS("F18", "000:19")
def delete(stage: Stage) -> None:
    """Delete board and user, with all that belongs to them."""
    ada, eve = user(stage), user(stage)
    board = board_of(stage, ada, APPROVE_JOIN)
    (service,) = stage.db.all(ServicesOfBoardNow(board_id=board.board_id))
    bob = member(stage, board)
    permissions.grant(stage.db, ada, board.board_id, service.service_id, bob.user_id)
    joining.request_to_join(stage.db, eve, board.board_id, "too late")
    stage.eventually(lambda: boards.owned_boards(stage.db, ada).items)
    refused(Conflict, lambda: users.delete_account(stage.db, ada))
    with stage.measured():
        boards.delete_board(stage.db, ada, board.board_id)
    assert boards.is_name_free(stage.db, board.board_name)
    _nothing_is_left(stage, board, service.service_id, ada.user_id, bob.user_id, eve.user_id)
    name = users.my_profile(stage.db, bob).user_name
    assert not users.delete_account(stage.db, bob)
    stage.clock.advance(users.GRACE)
    assert users.delete_account(stage.db, bob)
    assert users.is_name_free(stage.db, name)


def _nothing_is_left(stage: Stage, board: Board, service_id: str, *user_ids: str) -> None:
    board_id = board.board_id
    assert stage.db.run(BoardById(board_id=board_id)) is None
    assert not stage.db.all(ServicesOfBoardNow(board_id=board_id))
    assert not stage.db.all(UsersOfService(board_id=board_id, service_id=service_id))
    for user_id in user_ids:
        assert stage.db.run(Membership(board_id=board_id, user_id=user_id)) is None
        assert stage.db.run(JoinRequest(board_id=board_id, user_id=user_id)) is None
