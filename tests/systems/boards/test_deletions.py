"""T27 and F18: what is deleted goes whole, in the right order, and goes on after a crash."""

from typing import Any

import pytest

from tablewright import errors
from tablewright_systems.boards.design import BoardJoinRequest, BoardMembership
from tablewright_systems.boards.proofs.cast import TRADES, board_of, member, user
from tablewright_systems.boards.service import boards, joining, rights, users
from tablewright_systems.boards.values import APPROVE_JOIN
from tablewright_systems.problems import Conflict, Forbidden, NotFound
from tablewright_systems.proofs import Stage
from tests.systems.boards.crowds import counts


def test_a_deletion_that_broke_off_goes_on(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = user(stage)
    board = board_of(stage, ada, TRADES)
    bob = member(stage, board)

    def broken(*_: Any) -> None:
        raise errors.InternalFailure("the machine went down")

    with monkeypatch.context() as patch:
        patch.setattr(boards, "revoke_all", broken)
        with pytest.raises(errors.InternalFailure):
            boards.delete_board(stage.db, ada, board.board_id)
    with pytest.raises(NotFound):
        rights.board_of(stage.db, board.board_id)
    with pytest.raises(NotFound):
        joining.join(stage.db, user(stage), board.board_id)
    assert not boards.is_name_free(stage.db, board.board_name), "the name is let go last"
    with pytest.raises(Forbidden):
        boards.delete_board(stage.db, bob, board.board_id)
    boards.delete_board(stage.db, ada, board.board_id)
    assert boards.is_name_free(stage.db, board.board_name)
    assert counts(stage.db)["BoardMemberships"] == 0
    with pytest.raises(NotFound):
        boards.delete_board(stage.db, ada, board.board_id)


def test_a_board_of_more_than_a_transaction_goes_too(stage: Stage) -> None:
    ada = user(stage)
    board = board_of(stage, ada, APPROVE_JOIN)
    for number in range(130):
        who = {"board_id": board.board_id, "user_id": f"user-{number}"}
        stage.db.create(BoardMembership(**who))
        stage.db.create(BoardJoinRequest(**who, expires_at=int(stage.clock.now()) + number - 65))
    boards.delete_board(stage.db, ada, board.board_id)
    left = counts(stage.db)
    assert (left["Boards"], left["BoardMemberships"], left["BoardJoinRequests"]) == (0, 0, 0)


def test_a_user_who_owns_boards_stays(stage: Stage) -> None:
    ada = user(stage)
    board_of(stage, ada)
    with pytest.raises(Conflict):
        users.delete_account(stage.db, ada)
    assert users.my_profile(stage.db, ada).deleting_at is None


def test_name_and_address_of_who_goes_are_free_at_the_end(stage: Stage) -> None:
    ada = stage.caller(email="ada@example.org")
    users.register(stage.db, ada, "ada")
    assert not users.delete_account(stage.db, ada)
    with pytest.raises(NotFound):
        users.my_profile(stage.db, ada)
    with pytest.raises(Conflict):
        users.register(stage.db, stage.caller(email="new@example.org"), "ada")
    stage.clock.advance(users.GRACE)
    assert users.delete_account(stage.db, ada)
    users.register(stage.db, ada, "ada")
    with pytest.raises(NotFound):
        users.delete_account(stage.db, stage.caller())
