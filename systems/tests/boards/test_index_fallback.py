"""R16: in development, and only there, a table without its index is scanned."""

from functools import partial
from typing import Any

import pytest
from tablewright_systems.boards.design import (
    AvailableService,
    Board,
    BoardOfService,
    BoardServiceSetting,
    BoardsOfOwner,
    BoardsOfUser,
    ServicesOfBoard,
    design,
)
from tablewright_systems.boards.index_fallback import DEVELOPMENT, read_all, read_one, read_page
from tablewright_systems.boards.proofs.fixtures import ADMIN, TRADES
from tablewright_systems.boards.service import boards, catalogue, joining, members, services, users
from tablewright_systems.boards.values import APPROVE_JOIN, NoConfig
from tablewright_systems.service.callers import Caller

from tablewright import Clock, Repository, connect, embedded, errors

START = 1_750_000_000


def without_indexes(environment: str | None, clock: Clock | None = None) -> Repository:
    """Create the tables without their indexes."""
    connection = embedded(clock=clock)
    for table in design.tables:
        definition = table.definition()
        definition.pop("GlobalSecondaryIndexes", None)
        definition["AttributeDefinitions"] = [
            {"AttributeName": name, "AttributeType": "S"} for name in table.key
        ]
        connection.call("CreateTable", definition)
    return connect(design, connection, environment=environment, clock=clock)


ADA, BOB, EVE = (
    Caller(name, {"email": f"{name}@example.org", "email_verified": True}) for name in ("ada", "bob", "eve")
)


def neighbourhood(db: Repository, clock: Clock) -> Board:
    """Create twelve boards of Ada; Bob is a member of six and has requested to join six. Return the last board."""
    trades = AvailableService(service_type=TRADES, display_name=TRADES, description="")
    catalogue.seed(db, ADMIN, (*catalogue.SEED, trades))
    for item in (ADA, BOB, EVE):
        users.register(db, item, item.user_id)
    for number in range(0, 12, 2):
        clock.advance(1)
        joining.join(db, BOB, boards.create_board(db, ADA, f"Board {number}", ()).board_id)
        clock.advance(1)
        closed = boards.create_board(db, ADA, f"Board {number + 1}", (TRADES, APPROVE_JOIN))
        joining.request_to_join(db, BOB, closed.board_id, "me too")
    return boards.board_by_name(db, "board 11")


def lists(db: Repository, board: Board) -> dict[str, list[object]]:
    """The results of all reads through an index."""
    (made,) = services.services(db, ADA, board.board_id, TRADES)
    assert services.service_by_id(db, ADA, made.service_id) == made
    return {
        "owned": [board.board_name for board in boards.owned_boards(db, ADA)],
        "mine": [board.joined_at for board in members.my_boards(db, BOB)],
        "asked": [request.created_at for request in joining.my_requests(db, BOB)],
        "services": [service.service_type for service in services.services(db, ADA, board.board_id)],
        "users": [users.profile_by_name(db, name).user_id for name in ("ada", "EVE")],
        "boards": [boards.board_by_name(db, "Board 3").board_name],
    }


def test_fallback_returns_the_same_order() -> None:
    reply = []
    for make in (partial(without_indexes, DEVELOPMENT), partial(connect, design)):
        clock = Clock(START)
        with make(clock=clock) as db:
            reply.append(lists(db, neighbourhood(db, clock)))
    assert reply[0] == reply[1]
    assert len(reply[0]["owned"]) == 12


@pytest.mark.parametrize("environment", [None, "production", "main"])
def test_production_never_scans(environment: str | None) -> None:
    bare = without_indexes(environment)
    patterns = (BoardsOfOwner(owner_id="a"), BoardsOfUser(user_id="a"), ServicesOfBoard(board_id="b"))
    for pattern in patterns:
        for read in (read_page, read_all):
            with pytest.raises(errors.ValidationError, match="does not have the specified index"):
                read(bare, pattern)
    with pytest.raises(errors.ValidationError, match="does not have the specified index"):
        read_one(bare, BoardOfService(service_id="s"))


class Refusing:
    """A connection on which every read raises the same error."""

    def __init__(self, message: str) -> None:
        self.message = message
        self.scans = 0

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "Scan":
            self.scans += 1
            return {"Items": [], "Count": 0}
        raise errors.ValidationError(self.message)

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("message", "scans"),
    [
        ("The table does not have the specified index: ownerId-index", 1),
        ("Cannot read from backfilling global secondary index: ownerId-index", 1),
        ("Query condition missed key schema element: ownerId", 0),
        ("One or more parameter values were invalid: the table does not have the specified index", 0),
    ],
)
def test_only_a_missing_index_triggers_a_scan(message: str, scans: int) -> None:
    connection = Refusing(message)
    db = connect(design, connection, environment=DEVELOPMENT)
    if scans:
        assert read_all(db, BoardsOfOwner(owner_id="a")) == []
    else:
        with pytest.raises(errors.ValidationError):
            read_all(db, BoardsOfOwner(owner_id="a"))
    assert connection.scans == scans


def test_scan_reads_every_page() -> None:
    bare = without_indexes(DEVELOPMENT)
    big = {"S": "x" * 300_000}
    for number in range(12):
        board = Board(board_name=f"Board {number}", owner_id="ada")
        board.unknown_attributes = {"note": big}
        bare.create(board)
    assert len(read_all(bare, BoardsOfOwner(owner_id="ada"))) == 12


def test_duplicate_service_ids_are_an_error_without_an_index() -> None:
    bare = without_indexes(DEVELOPMENT)
    for board_id in ("b1", "b2"):
        bare.create(
            BoardServiceSetting(
                board_id=board_id, service_id="s", service_type=TRADES, is_default=True, config=NoConfig()
            )
        )
    with pytest.raises(errors.SeveralFound):
        read_one(bare, BoardOfService(service_id="s"))
