"""Changes between the reads of a flow and its transaction: the transaction detects them, and the flow runs again.

Threads reach such an interleaving at random; these tests force it.
"""

from collections.abc import Callable
from functools import partial

import pytest
from tablewright_systems.boards.design import (
    Board,
    JoinRequest,
    Membership,
    ServicesOfBoardNow,
    UsersOfService,
)
from tablewright_systems.boards.proofs.fixtures import TRADES, board_of, member, user
from tablewright_systems.boards.service import (
    authorization,
    boards,
    joining,
    members,
    permissions,
    services,
    users,
)
from tablewright_systems.boards.values import APPROVE_JOIN, Role
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, NotFound
from tablewright_systems.verification import ProofContext

from systems.tests.boards.interleaved import before_first_write
from systems.tests.boards.tables import item_counts
from tablewright import Repository


def test_board_is_deleted_during_join(context: ProofContext) -> None:
    ada, bob = user(context), user(context)
    board = board_of(context, ada)
    db = before_first_write(context, partial(boards.delete_board, context.db, ada, board.board_id))
    with pytest.raises(NotFound):
        joining.join(db, bob, board.board_id)
    assert item_counts(context.db)["BoardMemberships"] == 0


def test_board_is_deleted_during_request(context: ProofContext) -> None:
    ada, bob = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    db = before_first_write(context, partial(boards.delete_board, context.db, ada, board.board_id))
    with pytest.raises(NotFound):
        joining.request_to_join(db, bob, board.board_id, "let me in")
    assert item_counts(context.db)["BoardJoinRequests"] == 0


def test_board_is_deleted_while_a_service_is_enabled(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    db = before_first_write(context, partial(boards.delete_board, context.db, ada, board.board_id))
    with pytest.raises(NotFound):
        services.enable_service(db, ada, board.board_id, TRADES)
    assert item_counts(context.db)["BoardServiceSettings"] == 0


def test_approval_is_enabled_during_join(context: ProofContext) -> None:
    ada, bob = user(context), user(context)
    board = board_of(context, ada)
    db = before_first_write(
        context, partial(services.enable_service, context.db, ada, board.board_id, APPROVE_JOIN)
    )
    with pytest.raises(Conflict, match="requires approval"):
        joining.join(db, bob, board.board_id)
    assert context.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) is None


def test_approval_is_disabled_during_request(context: ProofContext) -> None:
    ada, bob = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    (service,) = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
    db = before_first_write(
        context, partial(services.disable_service, context.db, ada, board.board_id, service.service_id)
    )
    with pytest.raises(Conflict, match="requires no approval"):
        joining.request_to_join(db, bob, board.board_id, "let me in")


def test_user_is_deleted_during_request(context: ProofContext) -> None:
    bob = user(context)
    board = board_of(context, user(context), APPROVE_JOIN)
    db = before_first_write(context, partial(users.delete_account, context.db, bob))
    with pytest.raises(NotFound):
        joining.request_to_join(db, bob, board.board_id, "let me in")
    assert item_counts(context.db)["BoardJoinRequests"] == 0


def test_user_is_deleted_during_transfer(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    bob = member(context, board)
    db = before_first_write(context, partial(users.delete_account, context.db, bob))
    with pytest.raises(NotFound):
        members.transfer(db, ada, board.board_id, bob.user_id)
    assert authorization.board_of(context.db, board.board_id).owner_id == ada.user_id


def test_user_creates_a_board_during_deletion(context: ProofContext) -> None:
    """The owner of a board keeps the account until the board has another owner."""
    bob = user(context)
    made: list[Board] = []
    db = before_first_write(context, lambda: made.append(board_of(context, bob)))
    with pytest.raises(Conflict):
        users.delete_account(db, bob)
    assert users.my_profile(context.db, bob).deleting_at is None
    boards.delete_board(context.db, bob, made[0].board_id)
    assert not users.delete_account(context.db, bob)
    context.clock.advance(users.GRACE)
    assert users.delete_account(context.db, bob)


def test_manager_is_demoted_during_approval(context: ProofContext) -> None:
    ada, bob = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    manager = member(context, board, Role.MANAGER)
    joining.request_to_join(context.db, bob, board.board_id, "let me in")
    for flow in (joining.approve, joining.reject):
        members.change_role(context.db, ada, board.board_id, manager.user_id, Role.MANAGER)
        demoted = partial(members.change_role, context.db, ada, board.board_id, manager.user_id, Role.MEMBER)
        with pytest.raises(Forbidden):
            flow(before_first_write(context, demoted), manager, board.board_id, bob.user_id)
    assert context.db.run(JoinRequest(board_id=board.board_id, user_id=bob.user_id)) is not None


def test_permission_is_revoked_during_use(context: ProofContext) -> None:
    ada, bob = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    (service,) = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
    holder = member(context, board)
    place = (board.board_id, service.service_id, holder.user_id)
    permissions.grant(context.db, ada, *place)
    joining.request_to_join(context.db, bob, board.board_id, "let me in")
    db = before_first_write(context, partial(permissions.revoke, context.db, ada, *place))
    with pytest.raises(Forbidden):
        joining.approve(db, holder, board.board_id, bob.user_id)
    assert context.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) is None


def test_owner_changes_during_action_of_the_old_owner(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada, TRADES)
    (service,) = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
    bob, eve = member(context, board), member(context, board)
    permissions.grant(context.db, ada, board.board_id, service.service_id, bob.user_id)
    ruling: list[Callable[[Repository], object]] = [
        lambda db: permissions.revoke(db, ada, board.board_id, service.service_id, bob.user_id),
        lambda db: permissions.grant(db, ada, board.board_id, service.service_id, eve.user_id),
        lambda db: members.change_role(db, ada, board.board_id, eve.user_id, Role.MANAGER),
        lambda db: members.transfer(db, ada, board.board_id, eve.user_id),
        lambda db: boards.rename_board(db, ada, board.board_id, "Mine"),
        lambda db: boards.delete_board(db, ada, board.board_id),
    ]
    for rule in ruling:
        db = before_first_write(
            context, partial(members.transfer, context.db, ada, board.board_id, bob.user_id)
        )
        with pytest.raises(Forbidden):
            rule(db)
        members.transfer(context.db, bob, board.board_id, ada.user_id)
    assert authorization.board_of(context.db, board.board_id).board_name == board.board_name
    users_of_service = UsersOfService(board_id=board.board_id, service_id=service.service_id)
    assert [item.user_id for item in context.db.all(users_of_service)] == [bob.user_id]


def test_former_owner_is_removed_during_action(context: ProofContext) -> None:
    heir, waiting = user(context), user(context)
    managing: list[Callable[[Repository, Caller, str, str], object]] = [
        lambda db, ada, board, made: joining.approve(db, ada, board, waiting.user_id),
        lambda db, ada, board, made: joining.reject(db, ada, board, waiting.user_id),
        lambda db, ada, board, made: members.kick(db, ada, board, heir.user_id),
        lambda db, ada, board, made: services.enable_service(db, ada, board, APPROVE_JOIN),
        lambda db, ada, board, made: services.configure(
            db, ada, board, made, {"ttlDays": 1, "askQuestion": False}
        ),
        lambda db, ada, board, made: services.disable_service(db, ada, board, made),
    ]
    for manage in managing:
        ada = user(context)
        board = board_of(context, ada, APPROVE_JOIN).board_id
        (service,) = context.db.all(ServicesOfBoardNow(board_id=board))
        for item in (heir, waiting):
            joining.request_to_join(context.db, item, board, "let me in")
        joining.approve(context.db, ada, board, heir.user_id)

        def put_out(ada: Caller = ada, board: str = board) -> None:
            members.transfer(context.db, ada, board, heir.user_id)
            members.kick(context.db, heir, board, ada.user_id)

        with pytest.raises(Forbidden):
            manage(before_first_write(context, put_out), ada, board, service.service_id)
        assert context.db.all(ServicesOfBoardNow(board_id=board)) == [service]
        assert context.db.run(JoinRequest(board_id=board, user_id=waiting.user_id)) is not None


def test_user_is_deleted_while_creating_a_board(context: ProofContext) -> None:
    bob = user(context)
    board_of(context, user(context))
    db = before_first_write(context, partial(users.delete_account, context.db, bob))
    with pytest.raises(NotFound):
        boards.create_board(db, bob, "Project Board")
    assert boards.NAMES.is_free(context.db, "Project Board")
    with pytest.raises(NotFound):
        boards.create_board(context.db, context.caller(), "Project Board")


def test_member_becomes_owner_while_leaving(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    bob = member(context, board)
    db = before_first_write(context, partial(members.transfer, context.db, ada, board.board_id, bob.user_id))
    with pytest.raises(Conflict):
        members.leave(db, bob, board.board_id)
    assert context.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) is not None


def test_permission_is_granted_while_the_member_is_removed(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    bob = member(context, board)

    def enable_and_grant() -> None:
        made = services.enable_service(context.db, ada, board.board_id, TRADES)
        permissions.grant(context.db, ada, board.board_id, made.service_id, bob.user_id)

    members.kick(before_first_write(context, enable_and_grant), ada, board.board_id, bob.user_id)
    assert item_counts(context.db)["BoardServicePermissions"] == 0


def test_service_is_disabled_during_grant_or_configuration(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    using: list[Callable[[Repository, str], object]] = [
        lambda db, made: permissions.grant(db, ada, board.board_id, made, ada.user_id),
        lambda db, made: services.configure(db, ada, board.board_id, made, {}),
        lambda db, made: services.make_default(db, ada, board.board_id, made),
    ]
    for use in using:
        services.enable_service(context.db, ada, board.board_id, TRADES)
        made = services.enable_service(context.db, ada, board.board_id, TRADES).service_id
        gone = partial(services.disable_service, context.db, ada, board.board_id, made)
        with pytest.raises(NotFound):
            use(before_first_write(context, gone), made)
        assert not context.db.all(UsersOfService(board_id=board.board_id, service_id=made))


def test_name_is_taken_during_rename(context: ProofContext) -> None:
    ada, bob = user(context), context.caller(email="bob@example.org")
    name = context.unique_id("user")
    db = before_first_write(context, partial(users.rename, context.db, ada, name.upper()))
    with pytest.raises(Conflict) as error:
        users.register(db, bob, name)
    assert error.value.field == "userName"
    assert users.NAMES.is_free(context.db, users.my_profile(context.db, ada).user_name) is False
