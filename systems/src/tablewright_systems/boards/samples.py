"""Sample data: users with boards, members, requests and permissions, from a seeded random source.

The service writes it, on a clock that runs through the last months.
"""

import random
from dataclasses import replace
from datetime import timedelta

from tablewright import Clock, Repository
from tablewright_systems.boards.design import AvailableService, Board
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
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.paging import Paging

DEMO_USER = "user-0001"
"""This user owns boards with pending requests, is a member of others, and has a pending request."""

SPAN = timedelta(days=180)
TRADES = "trades"

_OPERATOR = Caller("operator", {"roles": ["admin"]})
PEOPLE = {
    "Owner of boards": Caller(DEMO_USER),
    "Member of boards": Caller("user-0002"),
    "New user": Caller("newcomer", {"email": "newcomer@example.org", "email_verified": True}),
    "Administrator": _OPERATOR,
}
"""People whose tokens the documentation page can mint."""
_FIRST = "Ada Bao Carlos Dilek Emeka Freya Goran Hana Ines Jonas Keiko Liam Mona Nils Olga Priya Quinn Rosa Sami Tove"
_LAST = "Almeida Berg Castro Demir Eriksen Fofana Garcia Haddad Ivanova Jensen Khan Lindqvist Moreau Nakamura Okafor"
_KINDS = "Garden Choir Workshop Kitchen Library Running Film Chess Repair Language Cycling Photo Theatre Beekeeping"
_PLACES = "Harbour North Mill Castle River Station Market Hill Orchard Canal"
_QUESTIONS = (
    "Why do you want to join?",
    "Which evenings are you free?",
    "What would you like to learn from us?",
    "How did you find this board?",
)
_ANSWERS = (
    "I want to contribute to the project.",
    "A friend of mine is a member and recommended it.",
    "I have just moved here and would like to meet people.",
    "I have done this for ten years and could help newcomers.",
    "Tuesdays and Thursdays, and most weekends.",
)


def fill(db: Repository, size: int = 20, seed: int = 1) -> None:
    """Fill empty tables with `size` users and half as many boards, with members, requests and permissions."""
    rng = random.Random(seed)
    clock = Clock(start=db.now() - SPAN)
    past = Repository(db.design, db.connection, replace(db.context, now=clock.now))
    _SampleBuilder(past, clock, rng, max(size, 4)).build()


class _SampleBuilder:
    """Writes the sample data; the clock advances between writes, and the last writes happened yesterday."""

    def __init__(self, db: Repository, clock: Clock, rng: random.Random, size: int) -> None:
        self.db = db
        self.clock = clock
        self.rng = rng
        self.size = size
        self.pause = (SPAN - timedelta(days=1)) / (size + size // 2)

    def build(self) -> None:
        """Write all data."""
        trades = AvailableService(
            service_type=TRADES, display_name="Trades", description="Offer and look for things on the board."
        )
        catalogue.seed(self.db, _OPERATOR, (*catalogue.SEED, trades))
        people = [self._person(number) for number in range(self.size)]
        made = [self._board(number, people) for number in range(self.size // 2)]
        closed = [board for board in made if APPROVE_JOIN in board.enabled_services]
        for board in closed:
            self._requests(board, people[1:])
        elsewhere = [board for board in closed if self._outside(board, people[:1])]
        for board in elsewhere[:2]:
            self._requests(board, people[:1])

    def _person(self, number: int) -> Caller:
        first, last = self.rng.choice(_FIRST.split()), self.rng.choice(_LAST.split())
        name = f"{first}.{last}.{number + 1}"
        caller = Caller(
            f"user-{number + 1:04}", {"email": f"{name.lower()}@example.org", "email_verified": True}
        )
        users.register(self.db, caller, name)
        self.clock.advance(self.pause)
        return caller

    def _board(self, number: int, people: list[Caller]) -> Board:
        owner = people[0] if number < 2 else self.rng.choice(people)
        kind, place = self.rng.choice(_KINDS.split()), self.rng.choice(_PLACES.split())
        needs_approval = number == 0 or self.rng.random() < 0.7
        board = boards.create_board(
            self.db, owner, f"{place} {kind} {number + 1}", (APPROVE_JOIN,) if needs_approval else ()
        )
        if needs_approval:
            self._ask(board, owner)
        for caller in self.rng.sample(people, min(len(people), self.rng.randint(2, 8))):
            if caller is not owner:
                self._join(board, owner, caller)
        if self.rng.random() < 0.5:
            self._trade(board, owner)
        self.clock.advance(self.pause)
        return board

    def _ask(self, board: Board, owner: Caller) -> None:
        approval = services.default_service(self.db, owner, board.board_id, APPROVE_JOIN)
        config = {
            "ttlDays": self.rng.choice((3, 7, 14)),
            "askQuestion": True,
            "questionText": self.rng.choice(_QUESTIONS),
        }
        services.configure(self.db, owner, board.board_id, approval.service_id, config)

    def _join(self, board: Board, owner: Caller, caller: Caller) -> None:
        if APPROVE_JOIN in board.enabled_services:
            joining.request_to_join(self.db, caller, board.board_id, self.rng.choice(_ANSWERS))
            joining.approve(self.db, owner, board.board_id, caller.user_id)
        else:
            joining.join(self.db, caller, board.board_id)
        if self.rng.random() < 0.2:
            members.change_role(self.db, owner, board.board_id, caller.user_id, Role.MANAGER)

    def _trade(self, board: Board, owner: Caller) -> None:
        trades = services.enable_service(self.db, owner, board.board_id, TRADES)
        for member in members.members(self.db, owner, board.board_id, Paging(3)):
            if member.role is Role.MEMBER:
                permissions.grant(self.db, owner, board.board_id, trades.service_id, member.user_id)

    def _requests(self, board: Board, people: list[Caller]) -> None:
        """Create some pending requests."""
        outside = self._outside(board, people)
        for caller in self.rng.sample(outside, min(len(outside), self.rng.randint(1, 3))):
            joining.request_to_join(self.db, caller, board.board_id, self.rng.choice(_ANSWERS))

    def _outside(self, board: Board, people: list[Caller]) -> list[Caller]:
        """Return the users who are not members yet."""
        inside = {
            member.user_id for member in members.members(self.db, Caller(board.owner_id), board.board_id)
        }
        return [caller for caller in people if caller.user_id not in inside]
