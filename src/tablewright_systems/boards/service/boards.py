"""Boards: made with a name that no other has, and taken away with all that belongs to them (F2, F17, F18)."""

from collections.abc import Sequence

from tablewright import Repository, writes
from tablewright_systems.api_errors import Invalid, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.boards.design import (
    Board,
    BoardById,
    BoardByName,
    BoardMembership,
    BoardNameClaim,
    BoardServiceSetting,
    BoardsOfOwner,
    Membership,
    MembersOfBoard,
    RequestsOfBoard,
    ServicesOfBoardNow,
)
from tablewright_systems.boards.lists import found, listed
from tablewright_systems.boards.service.catalogue import catalogued
from tablewright_systems.boards.service.permissions import revoke_all
from tablewright_systems.boards.service.rights import board_of, require_owner
from tablewright_systems.boards.service.services import first_config
from tablewright_systems.boards.service.settling import made, registered, settle, taking_turns
from tablewright_systems.boards.values import APPROVE_JOIN, MOST_SERVICES_AT_FIRST, Role
from tablewright_systems.pagination import ResultPage


def create_board(
    db: Repository, caller: Caller, board_name: str, enabled_services: Sequence[str] = (APPROVE_JOIN,)
) -> Board:
    """Make a board, its owner's membership, and a default service of each type it starts with."""
    if len(enabled_services) > MOST_SERVICES_AT_FIRST:
        raise Invalid(f"a board starts with at most {MOST_SERVICES_AT_FIRST} services", "enabledServices")
    board = Board(board_name=board_name, owner_id=caller.user_id, enabled_services=list(enabled_services))
    owner = BoardMembership(board_id=board.board_id, user_id=caller.user_id, role=Role.OWNER)
    services = [_default(board, service_type) for service_type in enabled_services]
    written = settle(
        db,
        (writes.Create(board), None),
        (writes.Create(owner), None),
        *((writes.Create(service), None) for service in services),
        *map(catalogued, enabled_services),
        registered(caller.user_id),
    )
    return made(written, Board)


def _default(board: Board, service_type: str) -> BoardServiceSetting:
    return BoardServiceSetting(
        board_id=board.board_id,
        service_type=service_type,
        is_default=True,
        config=first_config(service_type),
    )


def board_by_name(db: Repository, board_name: str) -> Board:
    """A board by name, through the index; however it is written, by its claim."""
    exact = found(db, BoardByName(board_name=board_name))
    board = exact or db.run(BoardNameClaim(board_name=board_name))
    if board is None or board.deleting_at is not None:
        raise NotFound(f"board {board_name}")
    return board


def is_name_free(db: Repository, board_name: str) -> bool:
    """Whether no board has that name, however it is written, at this moment; only `create_board` takes it."""
    return db.run(BoardNameClaim(board_name=board_name)) is None


def owned_boards(
    db: Repository, caller: Caller, limit: int | None = None, cursor: str | None = None
) -> ResultPage[Board]:
    """The boards that the caller owns, the newest first."""
    return listed(db, BoardsOfOwner(owner_id=caller.user_id), limit, cursor)


@taking_turns
def rename_board(db: Repository, caller: Caller, board_id: str, board_name: str) -> Board:
    """Give a board another name; the old one is free at the same moment."""
    board = board_of(db, board_id)
    require_owner(caller, board)
    return made(settle(db, (writes.Update(board, set={"board_name": board_name}), None)), Board)


@taking_turns
def delete_board(db: Repository, caller: Caller, board_id: str) -> None:
    """Take a board away, with services, permissions, requests and members.

    That can be more than a transaction holds. The board is marked first, so that nothing new can be attached; then the
    rest goes, batch after batch; board, owner and name last. After a crash the owner calls it again.
    """
    board = db.run(BoardById(board_id=board_id))
    if board is None:
        raise NotFound(f"board {board_id}")
    require_owner(caller, board)
    if board.deleting_at is None:
        board = db.update(board, set={"deleting_at": db.now()})
    _clear(db, board)
    owner = Membership(board_id=board_id, user_id=board.owner_id)
    settle(db, (writes.Delete(board), None), (writes.Delete(owner), None))


def _clear(db: Repository, board: Board) -> None:
    """Remove all that belongs to a board, but for its owner."""
    services = db.all(ServicesOfBoardNow(board_id=board.board_id))
    for service in services:
        revoke_all(db, board.board_id, service.service_id)
    db.batch(map(writes.Delete, services))
    requests = db.all(RequestsOfBoard(board_id=board.board_id), include_expired=True)
    db.batch(map(writes.Delete, requests))
    members = db.all(MembersOfBoard(board_id=board.board_id))
    db.batch(writes.Delete(member) for member in members if member.user_id != board.owner_id)
