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
from tablewright_systems.boards.values import APPROVAL, APPROVE_JOIN, Answer, ApproveJoinConfig
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    Invalid,
    NotFound,
    require_found,
    transact,
    written,
)
from tablewright_systems.service.schemas import View
from tablewright_systems.web import AUTHENTICATED, CurrentCaller, Db, PageRequest, Router, problems

router = Router("Joining", "Requests to join a board.")


DAY = 86_400


class Terms(View):
    """Requirements for joining a board: none, a request, or a request with an answer."""

    needs_approval: bool
    question: str | None = None
    ttl_days: int | None = None


@router.get("/boards/{board_id}/terms", dependencies=[AUTHENTICATED], name="get_terms")
def terms(db: Db, board_id: str) -> Terms:
    """Get the requirements for joining a board."""
    # Any user can read them.
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


@router.post(
    "/boards/{board_id}/members",
    status_code=201,
    responses=problems(404),
    tags=["Members"],
    name="join_board",
)
@retrying
def join(db: Db, caller: CurrentCaller, board_id: str) -> BoardMembership:
    """Join a board that needs no approval."""
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


@router.post("/boards/{board_id}/requests", status_code=201, responses=problems(404))
@retrying
def request_to_join(
    db: Db, caller: CurrentCaller, board_id: str, answer: Answer | None = None
) -> BoardJoinRequest:
    """Request to join a board."""
    # The current settings of the board determine its expiry.
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


@router.post("/boards/{board_id}/requests/{user_id}/approval", status_code=201, name="approve_request")
@retrying
def approve(db: Db, caller: CurrentCaller, board_id: str, user_id: str) -> BoardMembership:
    """Approve a join request."""
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


@router.get("/boards/{board_id}/requests/{user_id}", responses=problems(403, 404), name="get_request")
def join_request(db: Db, caller: CurrentCaller, board_id: str, user_id: str) -> BoardJoinRequest:
    """Get a pending join request."""
    if user_id != caller.user_id:
        board_for_approver(db, caller, board_id)
    request = db.run(design.JoinRequest(board_id=board_id, user_id=user_id))
    return require_found(request, f"pending request of user {user_id}")


@router.get("/boards/{board_id}/requests", responses=problems(403, 404), name="list_requests")
def requests_of_board(
    db: Db, caller: CurrentCaller, board_id: str, paging: PageRequest = FIRST_PAGE
) -> reads.Page[BoardJoinRequest]:
    """List the pending join requests of a board."""
    board_for_approver(db, caller, board_id)
    return paging.run(db, design.RequestsOfBoard(board_id=board_id))


@router.get("/me/requests", tags=["Users"], name="list_my_requests")
def my_requests(
    db: Db, caller: CurrentCaller, paging: PageRequest = FIRST_PAGE
) -> reads.Page[BoardJoinRequest]:
    """List your pending join requests, newest first."""
    return read_page(db, design.RequestsOfUser(user_id=caller.user_id), paging)


@router.delete("/boards/{board_id}/requests/{user_id}", status_code=204)
def end_request(db: Db, caller: CurrentCaller, board_id: str, user_id: str) -> None:
    """Cancel your own join request, or reject the request of another user."""
    if user_id == caller.user_id:
        cancel(db, caller, board_id)
    else:
        reject(db, caller, board_id, user_id)
