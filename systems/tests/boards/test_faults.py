"""The flows on a faulty store: they succeed or raise a clear error, and never leave wrong data."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from tablewright_systems.boards.design import (
    BoardsOfUser,
    Membership,
    MembersOfBoard,
    RequestsOfBoard,
    ServicesOfBoardNow,
)
from tablewright_systems.boards.proofs import PROOFS
from tablewright_systems.boards.proofs.fixtures import TRADES, board_of, member, user
from tablewright_systems.boards.service import boards, joining, members, permissions, services, users
from tablewright_systems.boards.values import APPROVE_JOIN
from tablewright_systems.registry import find
from tablewright_systems.service.errors import NotFound
from tablewright_systems.verification import Proof, ProofContext
from tablewright_systems.verification.proof_runner import proof_context, verify

from systems.tests.boards.tables import item_counts
from systems.tests.races import error_counts, race, winners
from tablewright import Faults, errors

BUSY = Faults(seed=3, throttling=0.05, conflicts=0.1)
BROKEN_TRANSACTIONS = Faults(seed=5, internal_errors=0.05)
# With a larger share, one of the many batches of a single entry would fail in all of its attempts now and then.
IN_PIECES = Faults(seed=7, unprocessed=0.3, short_pages=0.7)
LAGGING = Faults(seed=9, index_lag=30.0, stale_reads=1.0, staleness=30.0)

# Proofs that list new items through an index: a lagging index does not show the items.
READ_INDEXES = {"A2", "A5", "A6", "A9", "A12", "A15", "A16", "A17", "A22", "F9", "F16", "F18", "F19"}


SYSTEM = find("boards")


@contextmanager
def staged(faults: Faults) -> Iterator[ProofContext]:
    assert SYSTEM is not None
    with proof_context(SYSTEM, faults=faults) as made:
        yield made


def failures(faults: Faults, proofs: list[Proof]) -> dict[str, str]:
    """Run the proofs; return the failures with their reasons."""
    assert SYSTEM is not None
    with staged(faults) as made:
        verdicts = [verify(SYSTEM, made, proof) for proof in proofs]
    return {verdict.proof.number: verdict.failure for verdict in verdicts if verdict.failure is not None}


@pytest.mark.parametrize("faults", [BUSY, IN_PIECES], ids=["busy", "in pieces"])
def test_all_proofs_pass_on_a_faulty_store(faults: Faults) -> None:
    assert failures(faults, list(PROOFS)) == {}


def test_flows_do_not_depend_on_indexes() -> None:
    """Decisions use consistent reads of the tables: indexes and eventual reads are half a minute late."""
    certain = [proof for proof in PROOFS if proof.number not in READ_INDEXES]
    assert failures(LAGGING, certain) == {}


def test_failed_requests_are_never_half_done() -> None:
    """After internal errors a flow may raise a clear error; all stored data is complete."""
    with staged(BROKEN_TRANSACTIONS) as context:
        ada = user(context)
        board = board_of(context, ada, APPROVE_JOIN)
        people = [user(context) for _ in range(6)]
        for person in people:
            joining.request_to_join(context.db, person, board.board_id, "let me in")
            joining.approve(context.db, ada, board.board_id, person.user_id)
        assert len(context.db.all(MembersOfBoard(board_id=board.board_id))) == 7
        assert not context.db.all(RequestsOfBoard(board_id=board.board_id))


def test_names_are_unique_while_the_index_lags() -> None:
    """Whether a name is free is read from its lock, not from an index."""
    with staged(LAGGING) as context:
        callers = [context.caller(email=f"{number}@example.org") for number in range(8)]
        outcomes = race(*(partial(users.register, context.db, caller, "ada") for caller in callers))
        assert len(winners(outcomes)) == 1
        assert not users.NAMES.is_free(context.db, "Ada")
        assert item_counts(context.db)["UserProfiles"] == 3


def test_new_member_is_visible_before_the_index_catches_up() -> None:
    with staged(LAGGING) as context:
        board = board_of(context, user(context))
        bob = user(context)
        mine = joining.join(context.db, bob, board.board_id)
        assert not members.my_boards(context.db, bob).items
        assert members.membership(context.db, bob, board.board_id, bob.user_id) == mine
        context.clock.advance(31)
        assert list(members.my_boards(context.db, bob)) == [mine]


def test_new_service_is_found_by_its_board_first() -> None:
    with staged(LAGGING) as context:
        ada = user(context)
        board = board_of(context, ada)
        made = services.enable_service(context.db, ada, board.board_id, TRADES)
        with pytest.raises(NotFound):
            services.service_by_id(context.db, ada, made.service_id)
        assert services.service(context.db, ada, board.board_id, made.service_id) == made
        context.clock.advance(31)
        assert services.service_by_id(context.db, ada, made.service_id) == made


def test_lagging_index_shows_no_old_config() -> None:
    with staged(LAGGING) as context:
        ada = user(context)
        board = board_of(context, ada, APPROVE_JOIN)
        (made,) = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
        context.clock.advance(31)
        config = {"ttlDays": 9, "askQuestion": False}
        changed = services.configure(context.db, ada, board.board_id, made.service_id, config)
        assert services.service_by_id(context.db, ada, made.service_id) == changed


def test_deletion_waits_for_the_index() -> None:
    """The final call deletes the items that the index did not show."""
    with staged(LAGGING) as context:
        board = board_of(context, user(context))
        bob = user(context)
        joining.join(context.db, bob, board.board_id)
        assert not users.delete_account(context.db, bob)
        assert context.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) is not None
        context.clock.advance(users.GRACE)
        assert users.delete_account(context.db, bob)
        assert context.db.run(Membership(board_id=board.board_id, user_id=bob.user_id)) is None
        context.clock.advance(31)
        assert not context.db.all(BoardsOfUser(user_id=bob.user_id))


@pytest.mark.parametrize("faults", [BUSY, IN_PIECES], ids=["busy", "in pieces"])
def test_large_board_is_deleted_completely(faults: Faults) -> None:
    with staged(faults) as context:
        ada = user(context)
        board = board_of(context, ada, TRADES)
        (service,) = context.db.all(ServicesOfBoardNow(board_id=board.board_id))
        for _ in range(30):
            bob = member(context, board)
            permissions.grant(context.db, ada, board.board_id, service.service_id, bob.user_id)
        boards.delete_board(context.db, ada, board.board_id)
        left = counts_when_calm(context)
        assert left["Boards"] == left["BoardMemberships"] == left["BoardServicePermissions"] == 0


def counts_when_calm(context: ProofContext) -> dict[str, int]:
    """Repeat `item_counts` until no injected fault fails it."""
    while True:
        try:
            return item_counts(context.db)
        except errors.ProvisionedThroughputExceeded:
            continue


def test_one_winner_on_a_busy_store() -> None:
    with staged(BUSY) as context:
        ada, bob = user(context), user(context)
        board = board_of(context, ada, APPROVE_JOIN)
        joining.request_to_join(context.db, bob, board.board_id, "let me in")
        outcomes = race(
            *(partial(joining.approve, context.db, ada, board.board_id, bob.user_id) for _ in range(3)),
            partial(joining.cancel, context.db, bob, board.board_id),
        )
        assert len(winners(outcomes)) == 1
        assert set(error_counts(outcomes)) <= {NotFound}
