"""Concurrent requests: one winner, no orphaned items, no lost updates."""

import random
from collections.abc import Callable
from functools import partial

import pytest
from tablewright_systems.boards.design import (
    Board,
    BoardById,
    BoardServiceSetting,
    BoardsOfUser,
    JoinRequest,
    Membership,
    MembersOfBoard,
    ProfileById,
    RequestsOfBoard,
    ServicesOfBoardNow,
    UsersOfService,
)
from tablewright_systems.boards.proofs.fixtures import TRADES, TRADES_ARCHIVE, board_of, member, user
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
from tablewright_systems.boards.values import APPROVE_JOIN, Role
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, NotFound
from tablewright_systems.verification import ProofContext

from systems.tests.boards.tables import item_counts
from systems.tests.races import error_counts, race, race_in_order, repeat_until, winners
from tablewright import errors

EMPTY = {
    "Boards": 0,
    "BoardMemberships": 0,
    "BoardJoinRequests": 0,
    "BoardServiceSettings": 0,
    "BoardServicePermissions": 0,
}


def test_concurrent_claims_of_a_user_name_have_one_winner(context: ProofContext) -> None:
    names = ["Ada", "ADA", "ada", " ada ", "\N{FULLWIDTH LATIN SMALL LETTER A}da"]
    callers = [context.caller(email=f"{number}@example.org") for number in range(20)]
    outcomes = race(
        *(
            partial(users.register, context.db, caller, names[number % 5])
            for number, caller in enumerate(callers)
        )
    )
    assert len(winners(outcomes)) == 1
    assert error_counts(outcomes) == {Conflict: 19}
    assert {error.field for error in outcomes if isinstance(error, Conflict)} == {"userName"}
    assert item_counts(context.db)["UserProfiles"] == 3, "the profile, its name and its address"


def test_concurrent_claims_of_an_address_have_one_winner(context: ProofContext) -> None:
    callers = [context.caller(email="Ada@Example.org" if n % 2 else "ada@example.org") for n in range(10)]
    outcomes = race(
        *(partial(users.register, context.db, caller, context.unique_id("user")) for caller in callers)
    )
    assert len(winners(outcomes)) == 1
    assert error_counts(outcomes) == {errors.UniqueViolation: 9}
    assert item_counts(context.db)["UserProfiles"] == 3


def test_concurrent_claims_of_a_board_name_have_one_winner(context: ProofContext) -> None:
    people = [user(context) for _ in range(20)]
    board_of(context, people[0], APPROVE_JOIN)
    before = item_counts(context.db)
    outcomes = race(*(partial(boards.create_board, context.db, person, "Project Board") for person in people))
    assert len(winners(outcomes)) == 1
    assert error_counts(outcomes) == {Conflict: 19}
    after = item_counts(context.db)
    grown = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    assert grown == {"Boards": 2, "BoardMemberships": 1, "BoardServiceSettings": 1}


def test_released_name_has_at_most_one_new_owner(context: ProofContext) -> None:
    seen: set[int] = set()
    for attempt in repeat_until(lambda: seen == {0, 1}):
        ada, bob, eve = user(context), user(context), user(context)
        wanted = users.my_profile(context.db, ada).user_name
        outcomes = race(
            partial(users.rename, context.db, ada, context.unique_id("user")),
            partial(users.rename, context.db, bob, wanted),
            partial(users.rename, context.db, eve, wanted),
        )
        held = [users.my_profile(context.db, item).user_name for item in (bob, eve)]
        assert held.count(wanted) == len(winners(outcomes[1:])) <= 1
        assert item_counts(context.db)["UserProfiles"] == 9 * (attempt + 1)
        seen.add(held.count(wanted))


def test_join_request_ends_once(context: ProofContext) -> None:
    seen: set[bool] = set()
    for _ in repeat_until(lambda: seen == {True, False}):
        ada, bob = user(context), user(context)
        board = board_of(context, ada, APPROVE_JOIN)
        manager = member(context, board, Role.MANAGER)
        joining.request_to_join(context.db, bob, board.board_id, "let me in")
        outcomes = race(
            partial(joining.approve, context.db, ada, board.board_id, bob.user_id),
            partial(joining.approve, context.db, manager, board.board_id, bob.user_id),
            partial(joining.cancel, context.db, bob, board.board_id),
            partial(joining.reject, context.db, manager, board.board_id, bob.user_id),
        )
        assert len(winners(outcomes)) == 1
        is_approved = bool(winners(outcomes[:2]))
        membership = context.db.run(Membership(board_id=board.board_id, user_id=bob.user_id))
        assert (membership is not None) == is_approved
        assert not context.db.all(RequestsOfBoard(board_id=board.board_id))
        seen.add(is_approved)


def test_member_has_no_pending_request(context: ProofContext) -> None:
    seen: set[tuple[bool, bool]] = set()
    for _ in repeat_until(lambda: seen >= {(True, False), (False, True)}):
        ada, bob = user(context), user(context)
        board = board_of(context, ada, APPROVE_JOIN)
        joining.request_to_join(context.db, bob, board.board_id, "let me in")
        race(
            partial(joining.approve, context.db, ada, board.board_id, bob.user_id),
            partial(joining.cancel, context.db, bob, board.board_id),
            *(partial(joining.request_to_join, context.db, bob, board.board_id, "again") for _ in range(6)),
        )
        membership = context.db.run(Membership(board_id=board.board_id, user_id=bob.user_id))
        request = context.db.run(JoinRequest(board_id=board.board_id, user_id=bob.user_id))
        assert membership is None or request is None
        seen.add((membership is not None, request is not None))


def test_expired_request_is_replaced_once(context: ProofContext) -> None:
    board, bob = board_of(context, user(context), APPROVE_JOIN), user(context)
    joining.request_to_join(context.db, bob, board.board_id, "first")
    context.clock.advance(3 * 86_400)
    outcomes = race(
        *(partial(joining.request_to_join, context.db, bob, board.board_id, "again") for _ in range(8))
    )
    assert len(winners(outcomes)) == 1
    assert error_counts(outcomes) == {Conflict: 7}


def test_user_joins_once(context: ProofContext) -> None:
    board, bob = board_of(context, user(context)), user(context)
    outcomes = race(*(partial(joining.join, context.db, bob, board.board_id) for _ in range(8)))
    assert len(winners(outcomes)) == 1
    assert error_counts(outcomes) == {Conflict: 7}


def test_many_users_join_concurrently(context: ProofContext) -> None:
    board = board_of(context, user(context))
    people = [user(context) for _ in range(12)]
    outcomes = race(*(partial(joining.join, context.db, person, board.board_id) for person in people))
    assert len(winners(outcomes)) == 12
    assert len(context.db.all(MembersOfBoard(board_id=board.board_id))) == 13


def _only_owner(context: ProofContext, board: Board) -> str:
    there = context.db.all(MembersOfBoard(board_id=board.board_id))
    owners = [item.user_id for item in there if item.role is Role.OWNER]
    now = context.db.run(BoardById(board_id=board.board_id))
    assert now is not None
    assert owners == [now.owner_id]
    return now.owner_id


def test_concurrent_transfers_leave_one_owner(context: ProofContext) -> None:
    seen: set[bool] = set()
    for _ in repeat_until(lambda: seen == {True, False}):
        ada = user(context)
        board = board_of(context, ada)
        heirs = [member(context, board) for _ in range(2)]
        outcomes = race(
            *(partial(members.transfer, context.db, ada, board.board_id, heir.user_id) for heir in heirs),
            *(partial(members.leave, context.db, heir, board.board_id) for heir in heirs),
        )
        transferred = winners(outcomes[:2])
        assert len(transferred) <= 1
        assert set(error_counts(outcomes)) <= {Forbidden, Conflict, NotFound}
        assert (_only_owner(context, board) != ada.user_id) == bool(transferred)
        seen.add(bool(transferred))


def _listed_services(context: ProofContext, board: Board) -> list[BoardServiceSetting]:
    """Assert that the board lists each service type once, and that each type has one default."""
    there = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
    now = context.db.run(BoardById(board_id=board.board_id))
    assert now is not None
    assert sorted(now.enabled_services) == sorted({item.service_type for item in there})
    defaults = [item.service_type for item in there if item.is_default]
    assert sorted(defaults) == sorted({item.service_type for item in there})
    return there


def test_services_enabled_concurrently_are_all_listed(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    manager = member(context, board, Role.MANAGER)
    types = [TRADES, TRADES_ARCHIVE, TRADES, APPROVE_JOIN, TRADES]
    outcomes = race(
        *(
            partial(services.enable_service, context.db, caller, board.board_id, type_name)
            for caller in (ada, manager)
            for type_name in types
        )
    )
    assert len(winners(outcomes)) == 10
    assert len(_listed_services(context, board)) == 10


def test_services_enabled_and_disabled_concurrently_are_listed(context: ProofContext) -> None:
    seen: set[bool] = set()
    for attempt in repeat_until(lambda: seen == {True, False}):
        ada = user(context)
        board = board_of(context, ada)
        made = [services.enable_service(context.db, ada, board.board_id, TRADES) for _ in range(4)]
        actions: list[Callable[[], object]] = [
            *(
                partial(services.disable_service, context.db, ada, board.board_id, item.service_id)
                for item in made[:3]
            ),
            partial(services.make_default, context.db, ada, board.board_id, made[1].service_id),
            partial(services.enable_service, context.db, ada, board.board_id, TRADES),
            partial(boards.rename_board, context.db, ada, board.board_id, context.unique_id("board")),
        ]
        random.Random(attempt).shuffle(actions)
        outcomes = race(*actions)
        assert set(error_counts(outcomes)) <= {NotFound}
        assert len(_listed_services(context, board)) == 2
        seen.add(bool(error_counts(outcomes)))


def test_concurrent_choices_leave_one_default(context: ProofContext) -> None:
    ada = user(context)
    board = board_of(context, ada)
    made = [services.enable_service(context.db, ada, board.board_id, TRADES) for _ in range(6)]
    outcomes = race(
        *(partial(services.make_default, context.db, ada, board.board_id, item.service_id) for item in made)
    )
    assert len(winners(outcomes)) == 6
    assert len(_listed_services(context, board)) == 6


def test_removed_member_keeps_no_permission(context: ProofContext) -> None:
    seen: set[bool] = set()
    for _ in repeat_until(lambda: seen == {True, False}):
        ada = user(context)
        board = board_of(context, ada)
        made = [services.enable_service(context.db, ada, board.board_id, TRADES) for _ in range(3)]
        bob = member(context, board)

        def enable_and_grant(ada: Caller = ada, board: Board = board, bob: Caller = bob) -> None:
            another = services.enable_service(context.db, ada, board.board_id, TRADES)
            permissions.grant(context.db, ada, board.board_id, another.service_id, bob.user_id)

        outcomes = race(
            partial(members.kick, context.db, ada, board.board_id, bob.user_id),
            enable_and_grant,
            enable_and_grant,
            *(
                partial(permissions.grant, context.db, ada, board.board_id, item.service_id, bob.user_id)
                for item in made
            ),
        )
        assert context.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) is None
        for service in context.db.all(ServicesOfBoardNow(board_id=board.board_id)):
            assert not context.db.all(UsersOfService(board_id=board.board_id, service_id=service.service_id))
        seen.update(isinstance(outcome, Exception) for outcome in outcomes[1:])


def test_demoted_manager_cannot_approve(context: ProofContext) -> None:
    """The right of the caller is checked in the transaction, not only before it."""
    seen: set[int] = set()
    for _ in repeat_until(lambda: seen == {0, 1}):
        ada, bob = user(context), user(context)
        board = board_of(context, ada, APPROVE_JOIN)
        manager = member(context, board, Role.MANAGER)
        joining.request_to_join(context.db, bob, board.board_id, "let me in")
        outcomes = race(
            partial(members.change_role, context.db, ada, board.board_id, manager.user_id, Role.MEMBER),
            *(partial(joining.approve, context.db, manager, board.board_id, bob.user_id) for _ in range(2)),
        )
        assert winners(outcomes[:1])
        approved = len(winners(outcomes[1:]))
        assert approved <= 1
        with pytest.raises(Forbidden):
            joining.requests_of_board(context.db, manager, board.board_id)
        seen.add(approved)


def test_nothing_is_added_to_a_deleted_board(context: ProofContext) -> None:
    seen: set[bool] = set()
    for _ in repeat_until(lambda: seen == {True, False}):
        ada = user(context)
        board = board_of(context, ada, APPROVE_JOIN, TRADES)
        (service, _) = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
        bob = member(context, board)
        asking = [user(context) for _ in range(4)]
        joining.request_to_join(context.db, asking[0], board.board_id, "first")
        outcomes = race(
            partial(boards.delete_board, context.db, ada, board.board_id),
            partial(boards.delete_board, context.db, ada, board.board_id),
            partial(services.enable_service, context.db, ada, board.board_id, TRADES),
            partial(permissions.grant, context.db, ada, board.board_id, service.service_id, bob.user_id),
            partial(joining.approve, context.db, ada, board.board_id, asking[0].user_id),
            *(
                partial(joining.request_to_join, context.db, item, board.board_id, "me")
                for item in asking[1:]
            ),
        )
        left = item_counts(context.db)
        assert {name: left[name] for name in EMPTY} == EMPTY
        assert boards.NAMES.is_free(context.db, board.board_name)
        seen.update(isinstance(outcome, Exception) for outcome in outcomes[2:])


def test_nothing_is_added_to_a_deleted_user(context: ProofContext) -> None:
    seen: set[bool] = set()
    for attempt in repeat_until(lambda: seen == {True, False}):
        ada, bob = user(context), user(context)
        open_board, closed = board_of(context, ada), board_of(context, ada, APPROVE_JOIN)
        joining.request_to_join(context.db, bob, closed.board_id, "let me in")
        outcomes = race(
            partial(users.delete_account, context.db, bob),
            partial(joining.join, context.db, bob, open_board.board_id),
            partial(joining.approve, context.db, ada, closed.board_id, bob.user_id),
            partial(joining.request_to_join, context.db, bob, closed.board_id, "again"),
        )
        context.clock.advance(users.GRACE)
        assert users.delete_account(context.db, bob)
        assert not context.db.all(BoardsOfUser(user_id=bob.user_id))
        assert item_counts(context.db)["BoardJoinRequests"] == 0
        assert item_counts(context.db)["BoardMemberships"] == 2 * (attempt + 1)
        with pytest.raises(NotFound):
            joining.join(context.db, bob, open_board.board_id)
        seen.update(isinstance(outcome, Exception) for outcome in outcomes[1:3])


def test_catalogue_is_seeded_once(context: ProofContext) -> None:
    operators = [Caller(str(number), {"roles": ["admin"]}) for number in range(8)]
    outcomes = race(*(partial(catalogue.seed, context.db, operator) for operator in operators))
    assert sorted(len(added) for added in outcomes if isinstance(added, list)) == [0] * 7 + [1]


def test_transfer_and_deletion_of_the_new_owner_leave_no_half_deleted_owner(context: ProofContext) -> None:
    """Whichever write is first: the board has an owner with an account, or the user is deleted and owns nothing."""
    for deletion_first in (True, False):
        ada = user(context)
        board, other = board_of(context, ada), board_of(context, ada)
        bob = member(context, board)
        joining.join(context.db, bob, other.board_id)
        actions = [
            partial(users.delete_account, context.db, bob),
            partial(members.transfer, context.db, ada, board.board_id, bob.user_id),
        ]
        outcomes = race_in_order(*(actions if deletion_first else reversed(actions)))
        context.clock.advance(users.GRACE)
        owner = authorization.board_of(context.db, board.board_id).owner_id
        if deletion_first:
            assert [type(outcome) for outcome in outcomes] == [bool, NotFound]
            assert users.delete_account(context.db, bob)
            assert owner == ada.user_id
            assert context.db.run(ProfileById(user_id=bob.user_id)) is None
        else:
            assert error_counts(outcomes) == {Conflict: 1}, "at once, and without a half-deleted owner"
            assert users.profile(context.db, bob.user_id)
            with pytest.raises(Conflict):
                users.delete_account(context.db, bob)
            assert owner == bob.user_id
            assert users.my_profile(context.db, bob).deleting_at is None
            assert members.membership(context.db, bob, other.board_id, bob.user_id)
