"""Joining: directly, or by a request that is approved, rejected, cancelled or expires (F3-F9)."""

from tablewright import Repository, reads, writes
from tablewright_systems.boards.design import (
    Board,
    BoardJoinRequest,
    BoardMembership,
    DefaultService,
    JoinRequest,
    Membership,
    RequestsOfBoard,
    RequestsOfUser,
)
from tablewright_systems.boards.index_fallback import read_page
from tablewright_systems.boards.service.authorization import board_of, require_approver
from tablewright_systems.boards.service.transactions import (
    board_unchanged,
    first_written,
    retry_on_version_conflict,
    transact,
    user_exists,
)
from tablewright_systems.boards.values import APPROVE_JOIN, ApproveJoinConfig
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Invalid, NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging
from tablewright_systems.service.schemas import View

DAY = 86_400


class Terms(View):
    """Requirements for joining a board: none, a request, or a request with an answer."""

    needs_approval: bool
    question: str | None = None
    ttl_days: int | None = None


def terms(db: Repository, board_id: str) -> Terms:
    """Return the requirements for joining a board; any user can read them."""
    return _terms(db, board_of(db, board_id))


def _terms(db: Repository, board: Board) -> Terms:
    if APPROVE_JOIN not in board.enabled_services:
        return Terms(needs_approval=False)
    service = db.run(DefaultService(board_id=board.board_id, service_type=APPROVE_JOIN))
    if service is None or not isinstance(service.config, ApproveJoinConfig):
        raise Conflict("the services of this board are being changed; try again")
    asked = service.config.question_text if service.config.ask_question else None
    return Terms(needs_approval=True, question=asked, ttl_days=service.config.ttl_days)


@retry_on_version_conflict
def join(db: Repository, caller: Caller, board_id: str) -> BoardMembership:
    """Make the caller a member of a board without approval, and delete an earlier join request."""
    board = board_of(db, board_id)
    if APPROVE_JOIN in board.enabled_services:
        raise Conflict("this board requires approval; send a join request")
    return _create_membership(
        db,
        board,
        caller.user_id,
        writes.Delete(JoinRequest(board_id=board_id, user_id=caller.user_id)),
    )


def _create_membership(db: Repository, board: Board, user_id: str, *actions: writes.Write) -> BoardMembership:
    """Create a membership together with other actions."""
    membership = BoardMembership(board_id=board.board_id, user_id=user_id)
    written = transact(
        db,
        board_unchanged(board),
        user_exists(user_id),
        *actions,
        writes.Create(membership, otherwise=Conflict(f"user {user_id} is already a member")),
    )
    return first_written(written, BoardMembership)


@retry_on_version_conflict
def request_to_join(
    db: Repository, caller: Caller, board_id: str, answer: str | None = None
) -> BoardJoinRequest:
    """Create a join request of the caller; the current settings of the board determine its expiry."""
    board = board_of(db, board_id)
    asked = _terms(db, board)
    if asked.ttl_days is None:
        raise Conflict("this board requires no approval; join it directly")
    if asked.question is not None and not (answer or "").strip():
        raise Invalid(f"an answer is required: {asked.question}", field="answer")
    now = db.now()
    request = BoardJoinRequest(
        board_id=board_id,
        user_id=caller.user_id,
        question=asked.question,
        answer=answer if asked.question is not None else None,
        created_at=now,
        expires_at=int(now.timestamp()) + asked.ttl_days * DAY,
    )
    member = Membership(board_id=board_id, user_id=caller.user_id)
    transact(
        db,
        board_unchanged(board),
        user_exists(caller.user_id),
        writes.CheckAbsent(member, otherwise=Conflict("you are already a member")),
        writes.Create(request, otherwise=Conflict("you already have a pending request")),
    )
    return request


@retry_on_version_conflict
def approve(db: Repository, caller: Caller, board_id: str, user_id: str) -> BoardMembership:
    """Approve a join request: delete the request and create the membership in one transaction."""
    board = board_of(db, board_id)
    permitted = require_approver(db, caller, board)
    return _create_membership(db, board, user_id, *permitted, _end_request(db, board_id, user_id))


@retry_on_version_conflict
def reject(db: Repository, caller: Caller, board_id: str, user_id: str) -> None:
    """Reject a join request."""
    board = board_of(db, board_id)
    permitted = require_approver(db, caller, board)
    transact(db, board_unchanged(board), *permitted, _end_request(db, board_id, user_id))


def cancel(db: Repository, caller: Caller, board_id: str) -> None:
    """Cancel the join request of the caller."""
    transact(db, _end_request(db, board_id, caller.user_id))


def _end_request(db: Repository, board_id: str, user_id: str) -> writes.Write:
    """Delete a pending request; an expired one is not pending, even if TTL has not deleted it yet."""
    pending = BoardJoinRequest.expires_at > int(db.now().timestamp())
    request = JoinRequest(board_id=board_id, user_id=user_id)
    return writes.Delete(request, when=pending, otherwise=NotFound(f"pending request of user {user_id}"))


def join_request(db: Repository, caller: Caller, board_id: str, user_id: str) -> BoardJoinRequest:
    """Return a pending request, to its author or to a caller who can approve it."""
    if user_id != caller.user_id:
        require_approver(db, caller, board_of(db, board_id))
    request = db.run(JoinRequest(board_id=board_id, user_id=user_id))
    if request is None:
        raise NotFound(f"pending request of user {user_id}")
    return request


def requests_of_board(
    db: Repository, caller: Caller, board_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[BoardJoinRequest]:
    """Return the pending requests of a board, to a caller who can approve them."""
    require_approver(db, caller, board_of(db, board_id))
    return read_page(db, RequestsOfBoard(board_id=board_id), paging)


def my_requests(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[BoardJoinRequest]:
    """Return the pending requests of the caller, newest first."""
    return read_page(db, RequestsOfUser(user_id=caller.user_id), paging)
