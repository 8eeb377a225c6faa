"""Whoever comes at the same moment: one winner, no orphan, nothing lost."""

import random
from functools import partial

import pytest

from tablewright import errors
from tablewright_systems.api_errors import Conflict, Forbidden, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.boards.design import (
    Board,
    BoardById,
    BoardServiceSetting,
    BoardsOfUser,
    JoinRequest,
    Membership,
    MembersOfBoard,
    RequestsOfBoard,
    ServicesOfBoardNow,
    UsersOfService,
)
from tablewright_systems.boards.proofs.cast import TRADES, TRADES_ARCHIVE, board_of, member, user
from tablewright_systems.boards.service import (
    boards,
    catalogue,
    joining,
    members,
    permissions,
    services,
    users,
)
from tablewright_systems.boards.values import APPROVE_JOIN, Role
from tablewright_systems.proofs import ProofContext
from tests.systems.boards.crowds import Action, at_once, counts, refusals
from tests.systems.races import winners

ROUNDS = range(5)
EMPTY = {
    "Boards": 0,
    "BoardMemberships": 0,
    "BoardJoinRequests": 0,
    "BoardServiceSettings": 0,
    "BoardServicePermissions": 0,
}


def test_twenty_want_one_user_name(context: ProofContext) -> None:
    names = ["Ada", "ADA", "ada", " ada ", "\N{FULLWIDTH LATIN SMALL LETTER A}da"]
    callers = [context.caller(email=f"{number}@example.org") for number in range(20)]
    outcomes = at_once(
        *(
            partial(users.register, context.db, caller, names[number % 5])
            for number, caller in enumerate(callers)
        )
    )
    assert len(winners(outcomes)) == 1
    assert refusals(outcomes) == {Conflict: 19}
    assert {refusal.field for refusal in outcomes if isinstance(refusal, Conflict)} == {"userName"}
    assert counts(context.db)["UserProfiles"] == 3, "the profile, its name and its address"


def test_ten_want_one_address(context: ProofContext) -> None:
    callers = [context.caller(email="Ada@Example.org" if n % 2 else "ada@example.org") for n in range(10)]
    outcomes = at_once(
        *(partial(users.register, context.db, caller, context.unique_id("user")) for caller in callers)
    )
    assert len(winners(outcomes)) == 1
    assert refusals(outcomes) == {errors.UniqueViolation: 9}
    assert counts(context.db)["UserProfiles"] == 3


def test_twenty_want_one_board_name(context: ProofContext) -> None:
    people = [user(context) for _ in range(20)]
    board_of(context, people[0], APPROVE_JOIN)
    before = counts(context.db)
    outcomes = at_once(*(partial(boards.create_board, context.db, each, "Project Board") for each in people))
    assert len(winners(outcomes)) == 1
    assert refusals(outcomes) == {Conflict: 19}
    after = counts(context.db)
    grown = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    assert grown == {"Boards": 2, "BoardMemberships": 1, "BoardServiceSettings": 1}


def test_two_take_a_name_that_a_third_lets_go(context: ProofContext) -> None:
    ada, bob, eve = user(context), user(context), user(context)
    wanted = users.my_profile(context.db, ada).user_name
    outcomes = at_once(
        partial(users.rename, context.db, ada, context.unique_id("user")),
        partial(users.rename, context.db, bob, wanted),
        partial(users.rename, context.db, eve, wanted),
    )
    held = [users.my_profile(context.db, each).user_name for each in (bob, eve)]
    assert held.count(wanted) == len(winners(outcomes[1:])) <= 1
    assert counts(context.db)["UserProfiles"] == 9


@pytest.mark.parametrize("attempt", ROUNDS)
def test_a_request_ends_once(context: ProofContext, attempt: int) -> None:
    ada, bob = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    manager = member(context, board, Role.MANAGER)
    joining.request_to_join(context.db, bob, board.board_id, "let me in")
    outcomes = at_once(
        partial(joining.approve, context.db, ada, board.board_id, bob.user_id),
        partial(joining.approve, context.db, manager, board.board_id, bob.user_id),
        partial(joining.cancel, context.db, bob, board.board_id),
        partial(joining.reject, context.db, manager, board.board_id, bob.user_id),
    )
    assert len(winners(outcomes)) == 1
    let_in = bool(winners(outcomes[:2]))
    inside = context.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) is not None
    assert inside == let_in
    assert not context.db.all(RequestsOfBoard(board_id=board.board_id))


@pytest.mark.parametrize("attempt", ROUNDS)
def test_no_member_waits_to_be_let_in(context: ProofContext, attempt: int) -> None:
    ada, bob = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    joining.request_to_join(context.db, bob, board.board_id, "let me in")
    at_once(
        partial(joining.approve, context.db, ada, board.board_id, bob.user_id),
        partial(joining.cancel, context.db, bob, board.board_id),
        *(partial(joining.request_to_join, context.db, bob, board.board_id, "again") for _ in range(6)),
    )
    inside = context.db.run(Membership(board_id=board.board_id, user_id=bob.user_id))
    waiting = context.db.run(JoinRequest(board_id=board.board_id, user_id=bob.user_id))
    assert inside is None or waiting is None


def test_a_request_is_made_once_also_over_one_that_has_expired(context: ProofContext) -> None:
    board, bob = board_of(context, user(context), APPROVE_JOIN), user(context)
    joining.request_to_join(context.db, bob, board.board_id, "first")
    context.clock.advance(3 * 86_400)
    outcomes = at_once(
        *(partial(joining.request_to_join, context.db, bob, board.board_id, "again") for _ in range(8))
    )
    assert len(winners(outcomes)) == 1
    assert refusals(outcomes) == {Conflict: 7}


def test_one_joins_once(context: ProofContext) -> None:
    board, bob = board_of(context, user(context)), user(context)
    outcomes = at_once(*(partial(joining.join, context.db, bob, board.board_id) for _ in range(8)))
    assert len(winners(outcomes)) == 1
    assert refusals(outcomes) == {Conflict: 7}


def test_many_join_at_once(context: ProofContext) -> None:
    board = board_of(context, user(context))
    people = [user(context) for _ in range(12)]
    outcomes = at_once(*(partial(joining.join, context.db, each, board.board_id) for each in people))
    assert len(winners(outcomes)) == 12
    assert len(context.db.all(MembersOfBoard(board_id=board.board_id))) == 13


def _owner_is_one(context: ProofContext, board: Board) -> str:
    there = context.db.all(MembersOfBoard(board_id=board.board_id))
    owners = [each.user_id for each in there if each.role is Role.OWNER]
    now = context.db.run(BoardById(board_id=board.board_id))
    assert now is not None
    assert owners == [now.owner_id]
    return now.owner_id


@pytest.mark.parametrize("attempt", ROUNDS)
def test_a_board_has_one_owner(context: ProofContext, attempt: int) -> None:
    ada = user(context)
    board = board_of(context, ada)
    heirs = [member(context, board) for _ in range(3)]
    outcomes = at_once(
        *(partial(members.transfer, context.db, ada, board.board_id, heir.user_id) for heir in heirs),
        *(partial(members.leave, context.db, heir, board.board_id) for heir in heirs),
        partial(members.leave, context.db, ada, board.board_id),
    )
    assert len(winners(outcomes[:3])) <= 1
    assert set(refusals(outcomes)) <= {Forbidden, Conflict, NotFound}
    _owner_is_one(context, board)


def _in_step(context: ProofContext, board: Board) -> list[BoardServiceSetting]:
    """The board names the types of its services, each once, and each type has one default."""
    there = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
    now = context.db.run(BoardById(board_id=board.board_id))
    assert now is not None
    assert sorted(now.enabled_services) == sorted({each.service_type for each in there})
    defaults = [each.service_type for each in there if each.is_default]
    assert sorted(defaults) == sorted({each.service_type for each in there})
    return there


def test_services_are_enabled_in_step(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    manager = member(context, board, Role.MANAGER)
    types = [TRADES, TRADES_ARCHIVE, TRADES, APPROVE_JOIN, TRADES]
    outcomes = at_once(
        *(
            partial(services.enable_service, context.db, caller, board.board_id, each)
            for caller in (ada, manager)
            for each in types
        )
    )
    assert len(winners(outcomes)) == 10
    assert len(_in_step(context, board)) == 10


@pytest.mark.parametrize("attempt", ROUNDS)
def test_services_come_and_go_in_step(context: ProofContext, attempt: int) -> None:
    ada = user(context)
    board = board_of(context, ada)
    made = [services.enable_service(context.db, ada, board.board_id, TRADES) for _ in range(4)]
    actions: list[Action] = [
        *(
            partial(services.disable_service, context.db, ada, board.board_id, each.service_id)
            for each in made[:3]
        ),
        *(partial(services.make_default, context.db, ada, board.board_id, each.service_id) for each in made),
        partial(services.enable_service, context.db, ada, board.board_id, TRADES),
        partial(boards.rename_board, context.db, ada, board.board_id, context.unique_id("board")),
    ]
    random.Random(attempt).shuffle(actions)
    outcomes = at_once(*actions)
    assert set(refusals(outcomes)) <= {NotFound}
    assert len(_in_step(context, board)) == 2


def test_a_type_has_one_default_whoever_chooses(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    made = [services.enable_service(context.db, ada, board.board_id, TRADES) for _ in range(6)]
    outcomes = at_once(
        *(partial(services.make_default, context.db, ada, board.board_id, each.service_id) for each in made)
    )
    assert len(winners(outcomes)) == 6
    assert len(_in_step(context, board)) == 6


@pytest.mark.parametrize("attempt", ROUNDS)
def test_who_is_kicked_keeps_no_permission(context: ProofContext, attempt: int) -> None:
    ada = user(context)
    board = board_of(context, ada)
    made = [services.enable_service(context.db, ada, board.board_id, TRADES) for _ in range(3)]
    bob = member(context, board)

    def enable_and_grant() -> None:
        another = services.enable_service(context.db, ada, board.board_id, TRADES)
        permissions.grant(context.db, ada, board.board_id, another.service_id, bob.user_id)

    at_once(
        partial(members.kick, context.db, ada, board.board_id, bob.user_id),
        enable_and_grant,
        enable_and_grant,
        *(
            partial(permissions.grant, context.db, ada, board.board_id, each.service_id, bob.user_id)
            for each in made
        ),
    )
    assert context.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) is None
    for each in context.db.all(ServicesOfBoardNow(board_id=board.board_id)):
        assert not context.db.all(UsersOfService(board_id=board.board_id, service_id=each.service_id))


def test_who_was_demoted_cannot_use_the_old_right(context: ProofContext) -> None:
    """What entitled the caller is checked in the transaction, not only before it."""
    ada, bob = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    manager = member(context, board, Role.MANAGER)
    joining.request_to_join(context.db, bob, board.board_id, "let me in")
    outcomes = at_once(
        partial(members.change_role, context.db, ada, board.board_id, manager.user_id, Role.MEMBER),
        *(partial(joining.approve, context.db, manager, board.board_id, bob.user_id) for _ in range(4)),
    )
    assert winners(outcomes[:1])
    assert len(winners(outcomes[1:])) <= 1
    with pytest.raises(Forbidden):
        joining.requests_of_board(context.db, manager, board.board_id)


@pytest.mark.parametrize("attempt", ROUNDS)
def test_nothing_is_attached_to_a_board_that_goes(context: ProofContext, attempt: int) -> None:
    ada = user(context)
    board = board_of(context, ada, APPROVE_JOIN, TRADES)
    (service, _) = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
    bob = member(context, board)
    asking = [user(context) for _ in range(4)]
    joining.request_to_join(context.db, asking[0], board.board_id, "first")
    at_once(
        partial(boards.delete_board, context.db, ada, board.board_id),
        partial(boards.delete_board, context.db, ada, board.board_id),
        partial(services.enable_service, context.db, ada, board.board_id, TRADES),
        partial(permissions.grant, context.db, ada, board.board_id, service.service_id, bob.user_id),
        partial(joining.approve, context.db, ada, board.board_id, asking[0].user_id),
        *(partial(joining.request_to_join, context.db, each, board.board_id, "me") for each in asking[1:]),
    )
    left = counts(context.db)
    assert {name: left[name] for name in EMPTY} == EMPTY
    assert boards.is_name_free(context.db, board.board_name)


@pytest.mark.parametrize("attempt", ROUNDS)
def test_nothing_is_attached_to_a_user_who_goes(context: ProofContext, attempt: int) -> None:
    ada, bob = user(context), user(context)
    open_board, closed = board_of(context, ada), board_of(context, ada, APPROVE_JOIN)
    joining.request_to_join(context.db, bob, closed.board_id, "let me in")
    at_once(
        partial(users.delete_account, context.db, bob),
        partial(joining.join, context.db, bob, open_board.board_id),
        partial(joining.approve, context.db, ada, closed.board_id, bob.user_id),
        partial(joining.request_to_join, context.db, bob, closed.board_id, "again"),
    )
    context.clock.advance(users.GRACE)
    assert users.delete_account(context.db, bob)
    assert not context.db.all(BoardsOfUser(user_id=bob.user_id))
    assert counts(context.db)["BoardJoinRequests"] == 0
    assert counts(context.db)["BoardMemberships"] == 2
    with pytest.raises(NotFound):
        joining.join(context.db, bob, open_board.board_id)


def test_the_catalogue_is_seeded_once(context: ProofContext) -> None:
    operators = [Caller(str(number), {"roles": ["admin"]}) for number in range(8)]
    outcomes = at_once(*(partial(catalogue.seed, context.db, each) for each in operators))
    assert sorted(len(added) for added in outcomes if isinstance(added, list)) == [0] * 7 + [1]
