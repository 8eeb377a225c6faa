"""Boards: created with a unique name, deleted with all their data (F2, F17, F18)."""

from collections.abc import Sequence

from tablewright import Repository, reads, writes
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
from tablewright_systems.boards.index_fallback import read_one, read_page
from tablewright_systems.boards.service.authorization import board_of, require_owner
from tablewright_systems.boards.service.catalogue import type_exists
from tablewright_systems.boards.service.permissions import revoke_all
from tablewright_systems.boards.service.services import initial_config
from tablewright_systems.boards.service.transactions import (
    first_written,
    name_taken,
    retry_on_version_conflict,
    transact,
    user_exists,
)
from tablewright_systems.boards.values import APPROVE_JOIN, MAX_INITIAL_SERVICES, Role
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Invalid, NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging


def create_board(
    db: Repository, caller: Caller, board_name: str, enabled_services: Sequence[str] = (APPROVE_JOIN,)
) -> Board:
    """Create a board, the membership of its owner, and one default service of each requested type."""
    if len(enabled_services) > MAX_INITIAL_SERVICES:
        raise Invalid(f"a new board can have at most {MAX_INITIAL_SERVICES} services", "enabledServices")
    board = Board(board_name=board_name, owner_id=caller.user_id, enabled_services=list(enabled_services))
    owner = BoardMembership(board_id=board.board_id, user_id=caller.user_id, role=Role.OWNER)
    services = [_default(board, service_type) for service_type in enabled_services]
    written = transact(
        db,
        writes.Create(board, otherwise=name_taken("boardName")),
        writes.Create(owner),
        *(writes.Create(service) for service in services),
        *map(type_exists, enabled_services),
        user_exists(caller.user_id),
    )
    return first_written(written, Board)


def _default(board: Board, service_type: str) -> BoardServiceSetting:
    return BoardServiceSetting(
        board_id=board.board_id,
        service_type=service_type,
        is_default=True,
        config=initial_config(service_type),
    )


def board_by_name(db: Repository, board_name: str) -> Board:
    """Return a board by name: exact spelling through the index, any spelling through its claim."""
    exact = read_one(db, BoardByName(board_name=board_name))
    board = exact or db.run(BoardNameClaim(board_name=board_name))
    if board is None or board.deleting_at is not None:
        raise NotFound(f"board {board_name}")
    return board


def is_name_free(db: Repository, board_name: str) -> bool:
    """Return whether no board has that name now, ignoring case and form; only `create_board` takes it."""
    return db.run(BoardNameClaim(board_name=board_name)) is None


def owned_boards(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[Board]:
    """Return the boards that the caller owns, newest first."""
    return read_page(db, BoardsOfOwner(owner_id=caller.user_id), paging)


@retry_on_version_conflict
def rename_board(db: Repository, caller: Caller, board_id: str, board_name: str) -> Board:
    """Rename a board and release its old name in one transaction."""
    board = board_of(db, board_id)
    require_owner(caller, board)
    return db.update(board, set={"board_name": board_name}, otherwise=name_taken("boardName"))


@retry_on_version_conflict
def delete_board(db: Repository, caller: Caller, board_id: str) -> None:
    """Delete a board with its services, permissions, requests and members.

    These can be more items than one transaction can hold. The board is marked first, which blocks additions. Then the
    other items are deleted in batches; board, owner and name last. After a crash, the owner sends the request again.
    """
    board = db.run(BoardById(board_id=board_id))
    if board is None:
        raise NotFound(f"board {board_id}")
    require_owner(caller, board)
    if board.deleting_at is None:
        board = db.update(board, set={"deleting_at": db.now()})
    _clear(db, board)
    owner = Membership(board_id=board_id, user_id=board.owner_id)
    transact(db, writes.Delete(board), writes.Delete(owner))


def _clear(db: Repository, board: Board) -> None:
    """Delete all items of a board except those of its owner."""
    services = db.all(ServicesOfBoardNow(board_id=board.board_id))
    for service in services:
        revoke_all(db, board.board_id, service.service_id)
    db.batch(map(writes.Delete, services))
    requests = db.all(RequestsOfBoard(board_id=board.board_id), include_expired=True)
    db.batch(map(writes.Delete, requests))
    members = db.all(MembersOfBoard(board_id=board.board_id))
    db.batch(writes.Delete(member) for member in members if member.user_id != board.owner_id)
