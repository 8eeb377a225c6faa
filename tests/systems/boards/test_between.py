"""What happens between the reads of a flow and its transaction: it is noticed there, and the flow decides anew.

Threads meet such a moment by luck; here it is made.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tablewright import Connection, Repository
from tablewright_systems.boards.design import (
    JoinRequest,
    Membership,
    ServicesOfBoardNow,
    UsersOfService,
)
from tablewright_systems.boards.proofs.cast import TRADES, board_of, member, user
from tablewright_systems.boards.service import boards, joining, members, permissions, rights, services, users
from tablewright_systems.boards.values import APPROVE_JOIN, Role
from tablewright_systems.identities import Caller
from tablewright_systems.problems import Conflict, Forbidden, NotFound
from tablewright_systems.proofs import Stage
from tests.systems.boards.crowds import counts

Event = Callable[[], object]


class Interrupted:
    """A connection on which something happens right before the first transaction."""

    def __init__(self, connection: Connection, event: Event) -> None:
        self._connection = connection
        self._events = [event]

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "TransactWriteItems" and self._events:
            self._events.pop()()
        return self._connection.call(operation, request)

    def close(self) -> None:
        self._connection.close()


def before_transaction(stage: Stage, event: Event) -> Repository:
    """The store, for a flow that is overtaken."""
    return Repository(stage.db.design, Interrupted(stage.db.connection, event), stage.db.context)


def test_a_board_goes_while_somebody_joins(stage: Stage) -> None:
    ada, bob = user(stage), user(stage)
    board = board_of(stage, ada)
    db = before_transaction(stage, partial(boards.delete_board, stage.db, ada, board.board_id))
    with pytest.raises(NotFound):
        joining.join(db, bob, board.board_id)
    assert counts(stage.db)["BoardMemberships"] == 0


def test_a_board_goes_while_somebody_asks(stage: Stage) -> None:
    ada, bob = user(stage), user(stage)
    board = board_of(stage, ada, APPROVE_JOIN)
    db = before_transaction(stage, partial(boards.delete_board, stage.db, ada, board.board_id))
    with pytest.raises(NotFound):
        joining.request_to_join(db, bob, board.board_id, "let me in")
    assert counts(stage.db)["BoardJoinRequests"] == 0


def test_a_board_goes_while_it_gets_a_service(stage: Stage) -> None:
    ada = user(stage)
    board = board_of(stage, ada)
    db = before_transaction(stage, partial(boards.delete_board, stage.db, ada, board.board_id))
    with pytest.raises(NotFound):
        services.enable_service(db, ada, board.board_id, TRADES)
    assert counts(stage.db)["BoardServiceSettings"] == 0


def test_a_board_closes_while_somebody_joins(stage: Stage) -> None:
    ada, bob = user(stage), user(stage)
    board = board_of(stage, ada)
    db = before_transaction(
        stage, partial(services.enable_service, stage.db, ada, board.board_id, APPROVE_JOIN)
    )
    with pytest.raises(Conflict, match="by approval"):
        joining.join(db, bob, board.board_id)
    assert stage.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) is None


def test_a_board_opens_while_somebody_asks(stage: Stage) -> None:
    ada, bob = user(stage), user(stage)
    board = board_of(stage, ada, APPROVE_JOIN)
    (service,) = stage.db.all(ServicesOfBoardNow(board_id=board.board_id))
    db = before_transaction(
        stage, partial(services.disable_service, stage.db, ada, board.board_id, service.service_id)
    )
    with pytest.raises(Conflict, match="open to everybody"):
        joining.request_to_join(db, bob, board.board_id, "let me in")


def test_a_user_goes_while_asking(stage: Stage) -> None:
    bob = user(stage)
    board = board_of(stage, user(stage), APPROVE_JOIN)
    db = before_transaction(stage, partial(users.delete_account, stage.db, bob))
    with pytest.raises(NotFound):
        joining.request_to_join(db, bob, board.board_id, "let me in")
    assert counts(stage.db)["BoardJoinRequests"] == 0


def test_a_user_goes_while_a_board_is_given_to_them(stage: Stage) -> None:
    ada = user(stage)
    board = board_of(stage, ada)
    bob = member(stage, board)
    db = before_transaction(stage, partial(users.delete_account, stage.db, bob))
    with pytest.raises(NotFound):
        members.transfer(db, ada, board.board_id, bob.user_id)
    assert rights.board_of(stage.db, board.board_id).owner_id == ada.user_id


def test_a_user_makes_a_board_while_going(stage: Stage) -> None:
    """It is theirs, so they stay until it has another owner."""
    bob = user(stage)
    made = []
    db = before_transaction(stage, lambda: made.append(board_of(stage, bob)))
    for store in (db, stage.db):
        with pytest.raises(Conflict):
            users.delete_account(store, bob)
    boards.delete_board(stage.db, bob, made[0].board_id)
    stage.clock.advance(users.GRACE)
    assert users.delete_account(stage.db, bob)


def test_a_manager_is_demoted_while_approving(stage: Stage) -> None:
    ada, bob = user(stage), user(stage)
    board = board_of(stage, ada, APPROVE_JOIN)
    manager = member(stage, board, Role.MANAGER)
    joining.request_to_join(stage.db, bob, board.board_id, "let me in")
    for flow in (joining.approve, joining.reject):
        members.change_role(stage.db, ada, board.board_id, manager.user_id, Role.MANAGER)
        demoted = partial(members.change_role, stage.db, ada, board.board_id, manager.user_id, Role.MEMBER)
        with pytest.raises(Forbidden):
            flow(before_transaction(stage, demoted), manager, board.board_id, bob.user_id)
    assert stage.db.run(JoinRequest(board_id=board.board_id, user_id=bob.user_id)) is not None


def test_a_permission_is_revoked_while_it_is_used(stage: Stage) -> None:
    ada, bob = user(stage), user(stage)
    board = board_of(stage, ada, APPROVE_JOIN)
    (service,) = stage.db.all(ServicesOfBoardNow(board_id=board.board_id))
    holder = member(stage, board)
    place = (board.board_id, service.service_id, holder.user_id)
    permissions.grant(stage.db, ada, *place)
    joining.request_to_join(stage.db, bob, board.board_id, "let me in")
    db = before_transaction(stage, partial(permissions.revoke, stage.db, ada, *place))
    with pytest.raises(Forbidden):
        joining.approve(db, holder, board.board_id, bob.user_id)
    assert stage.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) is None


def test_the_owner_changes_while_the_old_one_rules(stage: Stage) -> None:
    ada = user(stage)
    board = board_of(stage, ada, TRADES)
    (service,) = stage.db.all(ServicesOfBoardNow(board_id=board.board_id))
    bob, eve = member(stage, board), member(stage, board)
    ruling: list[Callable[[Repository], object]] = [
        lambda db: permissions.grant(db, ada, board.board_id, service.service_id, eve.user_id),
        lambda db: members.change_role(db, ada, board.board_id, eve.user_id, Role.MANAGER),
        lambda db: members.transfer(db, ada, board.board_id, eve.user_id),
        lambda db: boards.rename_board(db, ada, board.board_id, "Mine"),
        lambda db: boards.delete_board(db, ada, board.board_id),
    ]
    for rule in ruling:
        db = before_transaction(stage, partial(members.transfer, stage.db, ada, board.board_id, bob.user_id))
        with pytest.raises(Forbidden):
            rule(db)
        members.transfer(stage.db, bob, board.board_id, ada.user_id)
    assert rights.board_of(stage.db, board.board_id).board_name == board.board_name


def test_the_owner_is_put_out_while_managing(stage: Stage) -> None:
    heir, waiting = user(stage), user(stage)
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
        ada = user(stage)
        board = board_of(stage, ada, APPROVE_JOIN).board_id
        (service,) = stage.db.all(ServicesOfBoardNow(board_id=board))
        for each in (heir, waiting):
            joining.request_to_join(stage.db, each, board, "let me in")
        joining.approve(stage.db, ada, board, heir.user_id)

        def put_out(ada: Caller = ada, board: str = board) -> None:
            members.transfer(stage.db, ada, board, heir.user_id)
            members.kick(stage.db, heir, board, ada.user_id)

        with pytest.raises(Forbidden):
            manage(before_transaction(stage, put_out), ada, board, service.service_id)
        assert stage.db.all(ServicesOfBoardNow(board_id=board)) == [service]
        assert stage.db.run(JoinRequest(board_id=board, user_id=waiting.user_id)) is not None


def test_a_user_goes_while_making_a_board(stage: Stage) -> None:
    bob = user(stage)
    board_of(stage, user(stage))
    db = before_transaction(stage, partial(users.delete_account, stage.db, bob))
    with pytest.raises(NotFound):
        boards.create_board(db, bob, "Project Board")
    assert boards.is_name_free(stage.db, "Project Board")
    with pytest.raises(NotFound):
        boards.create_board(stage.db, stage.caller(), "Project Board")


def test_a_member_becomes_the_owner_while_leaving(stage: Stage) -> None:
    ada = user(stage)
    board = board_of(stage, ada)
    bob = member(stage, board)
    db = before_transaction(stage, partial(members.transfer, stage.db, ada, board.board_id, bob.user_id))
    with pytest.raises(Conflict):
        members.leave(db, bob, board.board_id)
    assert stage.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) is not None


def test_a_new_service_is_granted_while_its_user_is_kicked(stage: Stage) -> None:
    ada = user(stage)
    board = board_of(stage, ada)
    bob = member(stage, board)

    def enable_and_grant() -> None:
        made = services.enable_service(stage.db, ada, board.board_id, TRADES)
        permissions.grant(stage.db, ada, board.board_id, made.service_id, bob.user_id)

    members.kick(before_transaction(stage, enable_and_grant), ada, board.board_id, bob.user_id)
    assert counts(stage.db)["BoardServicePermissions"] == 0


def test_a_service_goes_while_it_is_granted_or_configured(stage: Stage) -> None:
    ada = user(stage)
    board = board_of(stage, ada)
    using: list[Callable[[Repository, str], object]] = [
        lambda db, made: permissions.grant(db, ada, board.board_id, made, ada.user_id),
        lambda db, made: services.configure(db, ada, board.board_id, made, {}),
        lambda db, made: services.make_default(db, ada, board.board_id, made),
    ]
    for use in using:
        services.enable_service(stage.db, ada, board.board_id, TRADES)
        made = services.enable_service(stage.db, ada, board.board_id, TRADES).service_id
        gone = partial(services.disable_service, stage.db, ada, board.board_id, made)
        with pytest.raises(NotFound):
            use(before_transaction(stage, gone), made)
        assert not stage.db.all(UsersOfService(board_id=board.board_id, service_id=made))


def test_a_name_is_taken_while_another_takes_it(stage: Stage) -> None:
    ada, bob = user(stage), stage.caller(email="bob@example.org")
    name = stage.fresh("user")
    db = before_transaction(stage, partial(users.rename, stage.db, ada, name.upper()))
    with pytest.raises(Conflict) as refusal:
        users.register(db, bob, name)
    assert refusal.value.field == "userName"
    assert users.is_name_free(stage.db, users.my_profile(stage.db, ada).user_name) is False
