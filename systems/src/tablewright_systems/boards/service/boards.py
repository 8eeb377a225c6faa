"""Boards: created with a unique name, deleted with all their data (F2, F17, F18)."""

from collections.abc import Sequence

from tablewright import Repository, errors, reads, writes
from tablewright_systems.boards import design
from tablewright_systems.boards.design import Board, BoardMembership, BoardServiceSetting
from tablewright_systems.boards.index_fallback import read_page
from tablewright_systems.boards.service.authorization import (
    existing,
    owned_board,
    require_owner,
    retrying,
    user_exists,
)
from tablewright_systems.boards.service.catalogue import type_exists
from tablewright_systems.boards.service.names import Names
from tablewright_systems.boards.service.services import initial_config
from tablewright_systems.boards.values import APPROVE_JOIN, MAX_INITIAL_SERVICES, Role
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Invalid,
    Paging,
    erase_all,
    require_found,
    require_version,
    transact,
)

NAMES: Names[Board] = Names(
    claim=lambda name: design.BoardNameClaim(board_name=name),
    rows=lambda name: design.BoardsByName(board_name=name),
    row=lambda board: design.BoardById(board_id=board.board_id),
    field="boardName",
)

_TAKEN: writes.Otherwise = {errors.UniqueViolation: NAMES.taken}


def create_board(
    db: Repository, caller: Caller, board_name: str, enabled_services: Sequence[str] = (APPROVE_JOIN,)
) -> Board:
    """Create a board, the membership of its owner, and one default service of each requested type."""
    if len(enabled_services) > MAX_INITIAL_SERVICES:
        raise Invalid(f"a new board can have at most {MAX_INITIAL_SERVICES} services", "enabledServices")
    board = Board(
        board_name=NAMES.free_name(db, board_name),
        owner_id=caller.user_id,
        enabled_services=list(enabled_services),
    )
    created, *_ = transact(
        db,
        writes.Create(board, otherwise=_TAKEN),
        writes.Create(
            BoardMembership(board_id=board.board_id, user_id=caller.user_id, role=Role.OWNER),
        ),
        *(writes.Create(_default(board, service_type)) for service_type in enabled_services),
        *(type_exists(service_type, "enabledServices") for service_type in enabled_services),
        user_exists(caller.user_id),
    )
    return created


def _default(board: Board, service_type: str) -> BoardServiceSetting:
    return BoardServiceSetting(
        board_id=board.board_id,
        service_type=service_type,
        is_default=True,
        config=initial_config(service_type),
    )


def board_by_name(db: Repository, board_name: str) -> Board:
    """Return a board by name: exact spelling through the index, any spelling through its claim."""
    return existing(NAMES.holder(db, board_name), f"board {board_name}")


def owned_boards(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[Board]:
    """Return the boards that the caller owns, newest first."""
    return read_page(db, design.BoardsOfOwner(owner_id=caller.user_id), paging)


@retrying
def rename_board(
    db: Repository, caller: Caller, board_id: str, board_name: str, version: int | None = None
) -> Board:
    """Rename a board and release its old name in one transaction; with a version, only that version."""
    board = owned_board(db, caller, board_id)
    require_version(board, version)
    name = NAMES.free_name(db, board_name, design.BoardById(board_id=board_id))
    return db.update(board, set={"board_name": name}, otherwise=_TAKEN)


@retrying
def delete_board(db: Repository, caller: Caller, board_id: str, version: int | None = None) -> None:
    """Delete a board with its services, permissions, requests and members.

    These can be more items than one transaction can hold. The board is marked first, which blocks additions. Then the
    other items are deleted, also those that cannot be read; the board and its name last. After a crash, the owner sends
    the request again.
    With a version, only that version is deleted; it counts before the mark, so that an interrupted deletion can end.
    """
    board = require_found(db.run(design.BoardById(board_id=board_id)), f"board {board_id}")
    require_owner(caller, board)
    if board.deleting_at is None:
        require_version(board, version)
        board = db.update(board, set={"deleting_at": db.now()})
    _clear(db, board)
    db.delete(board)


def _clear(db: Repository, board: Board) -> None:
    """Delete all items of a board but the board itself."""
    board_id = board.board_id
    services = db.all(design.ServicesOfBoardNow(board_id=board_id), unknown="skip")
    erase_all(
        db,
        *(design.UsersOfService(board_id=board_id, service_id=each.service_id) for each in services),
        design.ServicesOfBoardNow(board_id=board_id),
        design.RequestsOfBoard(board_id=board_id),
        design.MembersOfBoard(board_id=board_id),
    )
