"""Joining: directly, or by a request that is approved, rejected, cancelled or expires (F3-F9)."""

from tablewright import Repository, reads, writes
from tablewright_systems.boards import design
from tablewright_systems.boards.design import Board, BoardJoinRequest, BoardMembership
from tablewright_systems.boards.index_fallback import read_page
from tablewright_systems.boards.service.authorization import (
    board_for_approver,
    board_of,
    retrying,
    user_exists,
)
from tablewright_systems.boards.values import APPROVAL, APPROVE_JOIN, ApproveJoinConfig
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    Invalid,
    NotFound,
    Paging,
    require_found,
    transact,
    written,
)
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
    service = db.run(design.DefaultService(board_id=board.board_id, service_type=APPROVE_JOIN))
    # The setting of another program can be missing or invalid; approval is needed all the same.
    stored = service.config if service else None
    config = stored if isinstance(stored, ApproveJoinConfig) else APPROVAL
    asked = config.question_text if config.ask_question else None
    return Terms(needs_approval=True, question=asked, ttl_days=config.ttl_days)


@retrying
def join(db: Repository, caller: Caller, board_id: str) -> BoardMembership:
    """Make the caller a member of a board without approval, and delete an earlier join request."""
    board = board_of(db, board_id)
    if APPROVE_JOIN in board.enabled_services:
        if db.run(design.Membership(board_id=board_id, user_id=caller.user_id)) is not None:
            raise _already_member()
        raise Conflict("this board requires approval; send a join request")
    request = design.JoinRequest(board_id=board_id, user_id=caller.user_id)
    return _create_membership(db, board, caller.user_id, writes.Delete(request))


def _already_member() -> Conflict:
    return Conflict("you are already a member")


def _create_membership(db: Repository, board: Board, user_id: str, *actions: writes.Write) -> BoardMembership:
    """Create a membership together with other actions."""
    membership = BoardMembership(board_id=board.board_id, user_id=user_id)
    actions = (
        writes.Check(board),
        user_exists(user_id),
        *actions,
        writes.Create(membership, otherwise=Conflict(f"user {user_id} is already a member")),
    )
    return written(transact(db, *actions), BoardMembership)


@retrying
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
    member = design.Membership(board_id=board_id, user_id=caller.user_id)
    transact(
        db,
        writes.Check(board),
        user_exists(caller.user_id),
        writes.CheckAbsent(member, otherwise=_already_member),
        writes.Create(request, otherwise=Conflict("you already have a pending request")),
    )
    return request


@retrying
def approve(db: Repository, caller: Caller, board_id: str, user_id: str) -> BoardMembership:
    """Approve a join request: delete the request and create the membership in one transaction."""
    board, permitted = board_for_approver(db, caller, board_id)
    return _create_membership(db, board, user_id, *permitted, _end_request(board_id, user_id))


@retrying
def reject(db: Repository, caller: Caller, board_id: str, user_id: str) -> None:
    """Reject a join request."""
    board, permitted = board_for_approver(db, caller, board_id)
    transact(db, writes.Check(board), *permitted, _end_request(board_id, user_id))


def cancel(db: Repository, caller: Caller, board_id: str) -> None:
    """Cancel the join request of the caller."""
    transact(db, _end_request(board_id, caller.user_id))


def _end_request(board_id: str, user_id: str) -> writes.Write:
    """Delete a pending request. An expired one does not exist for the library, even if TTL has not deleted it yet."""
    request = design.JoinRequest(board_id=board_id, user_id=user_id)
    return writes.Delete(request, otherwise=NotFound(f"pending request of user {user_id}"))


def join_request(db: Repository, caller: Caller, board_id: str, user_id: str) -> BoardJoinRequest:
    """Return a pending request, to its author or to a caller who can approve it."""
    if user_id != caller.user_id:
        board_for_approver(db, caller, board_id)
    request = db.run(design.JoinRequest(board_id=board_id, user_id=user_id))
    return require_found(request, f"pending request of user {user_id}")


def requests_of_board(
    db: Repository, caller: Caller, board_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[BoardJoinRequest]:
    """Return the pending requests of a board, to a caller who can approve them."""
    board_for_approver(db, caller, board_id)
    return paging.run(db, design.RequestsOfBoard(board_id=board_id))


def my_requests(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[BoardJoinRequest]:
    """Return the pending requests of the caller, newest first."""
    return read_page(db, design.RequestsOfUser(user_id=caller.user_id), paging)
