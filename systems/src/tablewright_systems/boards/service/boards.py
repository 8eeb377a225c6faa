"""Boards: created with a unique name, deleted with all their data (F2, F17, F18)."""

from collections.abc import Sequence

from pydantic import Field

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
from tablewright_systems.boards.values import (
    APPROVE_JOIN,
    MAX_INITIAL_SERVICES,
    BoardName,
    Role,
    ServiceTypes,
)
from tablewright_systems.service import (
    FIRST_PAGE,
    Invalid,
    erase_all,
    require_found,
    require_version,
    transact,
)
from tablewright_systems.web import (
    AUTHENTICATED,
    Body,
    CurrentCaller,
    Db,
    ExpectedVersion,
    PageRequest,
    Router,
    View,
    limited,
    problems,
)

router = Router("Boards", "Boards and their owners.")


class NewBoard(Body):
    """A new board."""

    board_name: BoardName
    enabled_services: ServiceTypes = Field(default_factory=lambda: [APPROVE_JOIN])


class Availability(View):
    """Whether a name is available now. Another user can take it until you do."""

    free: bool


NAMES: Names[Board] = Names(
    claim=lambda name: design.BoardNameClaim(board_name=name),
    rows=lambda name: design.BoardsByName(board_name=name),
    row=lambda board: design.BoardById(board_id=board.board_id),
    field="boardName",
)

_TAKEN: writes.Otherwise = {errors.UniqueViolation: NAMES.taken}


@router.post("/boards", body=NewBoard, status_code=201, responses=problems(404))
def create_board(
    db: Db, caller: CurrentCaller, board_name: str, enabled_services: Sequence[str] = (APPROVE_JOIN,)
) -> Board:
    """Create a board that you own."""
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


@router.get("/board-names", responses=problems(404), dependencies=[AUTHENTICATED], name="get_board_by_name")
def board_by_name(db: Db, board_name: BoardName) -> Board:
    """Get the board with a name."""
    return existing(NAMES.holder(db, board_name), f"board {board_name}")


@router.get("/me/owned-boards", tags=["Users"], name="list_owned_boards")
def owned_boards(db: Db, caller: CurrentCaller, paging: PageRequest = FIRST_PAGE) -> reads.Page[Board]:
    """List the boards that you own, newest first."""
    return read_page(db, design.BoardsOfOwner(owner_id=caller.user_id), paging)


@router.patch("/boards/{board_id}")
@retrying
def rename_board(
    db: Db, caller: CurrentCaller, board_id: str, board_name: BoardName, version: ExpectedVersion = None
) -> Board:
    """Rename a board."""
    # With a version, only that version.
    board = owned_board(db, caller, board_id)
    require_version(board, version)
    name = NAMES.free_name(db, board_name, design.BoardById(board_id=board_id))
    return db.update(board, set={"board_name": name}, otherwise=_TAKEN)


@router.delete("/boards/{board_id}", status_code=204)
@retrying
def delete_board(db: Db, caller: CurrentCaller, board_id: str, version: ExpectedVersion = None) -> None:
    """Delete a board and all its data."""
    # These can be more items than one transaction can hold. The board is marked first, which blocks additions. Then
    # the other items are deleted, also those that cannot be read; the board and its name last. After a crash, the owner
    # sends the request again. A version counts before the mark, so that an interrupted deletion can end.
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
        *(design.UsersOfService(board_id=board_id, service_id=service.service_id) for service in services),
        design.ServicesOfBoardNow(board_id=board_id),
        design.RequestsOfBoard(board_id=board_id),
        design.MembersOfBoard(board_id=board_id),
    )


@router.get(
    "/board-names/availability",
    responses=problems(404, 409, 429),
    dependencies=[limited("board-names", 30)],
    reply=Availability,
)
def get_board_name_availability(db: Db, caller: CurrentCaller, board_name: BoardName) -> bool:
    """Check whether a board name is available."""
    return NAMES.is_free(db, board_name)
