"""R27 and F18: deletions are complete, in the right order, and continue after a crash."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from tablewright_systems.boards.design import BoardJoinRequest, BoardMembership, MembersOfBoard, ProfileById
from tablewright_systems.boards.jobs import JOBS
from tablewright_systems.boards.proofs.fixtures import TRADES, board_of, member, user
from tablewright_systems.boards.service import authorization, boards, joining, members, users
from tablewright_systems.boards.values import APPROVE_JOIN, Role
from tablewright_systems.service import Conflict, Forbidden, JobRunner, NotFound
from tablewright_systems.verification import ProofContext

from systems.tests.boards.interleaved import before_first_write
from systems.tests.boards.tables import item_counts
from tablewright import errors


def test_interrupted_deletion_continues(context: ProofContext, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = user(context)
    board = board_of(context, ada, TRADES)
    bob = member(context, board)

    def broken(*_: Any) -> None:
        raise errors.InternalFailure("the machine went down")

    with monkeypatch.context() as patch:
        patch.setattr(boards, "erase_all", broken)
        with pytest.raises(errors.InternalFailure):
            boards.delete_board(context.db, ada, board.board_id)
    with pytest.raises(NotFound):
        authorization.board_of(context.db, board.board_id)
    with pytest.raises(NotFound):
        joining.join(context.db, user(context), board.board_id)
    assert not boards.NAMES.is_free(context.db, board.board_name), "the name is let go last"
    with pytest.raises(Forbidden):
        boards.delete_board(context.db, bob, board.board_id)
    boards.delete_board(context.db, ada, board.board_id)
    assert boards.NAMES.is_free(context.db, board.board_name)
    assert item_counts(context.db)["BoardMemberships"] == 0
    with pytest.raises(NotFound):
        boards.delete_board(context.db, ada, board.board_id)


def test_large_board_is_deleted(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    for number in range(130):
        who: dict[str, Any] = {"board_id": board.board_id, "user_id": f"user-{number}"}
        context.db.create(BoardMembership(**who))
        context.db.create(BoardJoinRequest(**who, expires_at=int(context.clock.now()) + number - 65))
    boards.delete_board(context.db, ada, board.board_id)
    left = item_counts(context.db)
    assert (left["Boards"], left["BoardMemberships"], left["BoardJoinRequests"]) == (0, 0, 0)


def test_user_with_boards_cannot_be_deleted(context: ProofContext) -> None:
    ada = user(context)
    board_of(context, ada)
    with pytest.raises(Conflict):
        users.delete_account(context.db, ada)
    assert users.my_profile(context.db, ada).deleting_at is None


def test_names_of_a_deleted_user_are_released_last(context: ProofContext) -> None:
    ada = context.caller(email="ada@example.org")
    users.register(context.db, ada, "ada")
    assert not users.delete_account(context.db, ada)
    with pytest.raises(NotFound):
        users.my_profile(context.db, ada)
    with pytest.raises(Conflict):
        users.register(context.db, context.caller(email="new@example.org"), "ada")
    context.clock.advance(users.GRACE)
    assert users.delete_account(context.db, ada)
    users.register(context.db, ada, "ada")
    with pytest.raises(NotFound):
        users.delete_account(context.db, context.caller())


def test_owner_after_a_late_transfer_keeps_the_account(context: ProofContext) -> None:
    """A transfer that the index did not show when the account was marked: nothing of the account is deleted."""
    ada = user(context)
    board, other = board_of(context, ada), board_of(context, ada)
    bob = member(context, board)
    joining.join(context.db, bob, other.board_id)
    lagging = before_first_write(
        context,
        partial(members.transfer, context.db, ada, board.board_id, bob.user_id),
        has_indexes=False,
    )
    assert not users.delete_account(lagging, bob)
    context.clock.advance(users.GRACE)
    with pytest.raises(Conflict, match="you own boards"):
        users.delete_account(context.db, bob)
    assert users.my_profile(context.db, bob).deleting_at is None
    assert members.membership(context.db, bob, other.board_id, bob.user_id).role is Role.MEMBER
    assert authorization.board_of(context.db, board.board_id).owner_id == bob.user_id


def test_job_finishes_deletions(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    bob, eve = member(context, board), member(context, board)
    runner = JobRunner(context.db.connection, {"boards": (context.db, JOBS)}, clock=context.clock)
    assert not users.delete_account(context.db, bob)
    late = before_first_write(
        context,
        partial(members.transfer, context.db, ada, board.board_id, eve.user_id),
        has_indexes=False,
    )
    assert not users.delete_account(late, eve)
    assert "boards.deletions" in runner.run_due()
    assert context.db.run(ProfileById(user_id=bob.user_id)) is not None, "too early"
    context.clock.advance(timedelta(minutes=10))
    assert runner.run_due() == ["boards.deletions"]
    assert context.db.run(ProfileById(user_id=bob.user_id)) is None
    assert users.my_profile(context.db, eve).deleting_at is None, "the owner of a board keeps the account"
    assert {item.user_id for item in context.db.all(MembersOfBoard(board_id=board.board_id))} == {
        ada.user_id,
        eve.user_id,
    }
