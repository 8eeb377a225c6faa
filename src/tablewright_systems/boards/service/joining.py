"""Joining: at once where a board is open, else by a request that is approved, rejected, cancelled or lapses (F3-F9)."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from tablewright import Repository, writes
from tablewright_systems.api_errors import Conflict, Invalid, NotFound
from tablewright_systems.authentication import Caller
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
from tablewright_systems.boards.lists import listed
from tablewright_systems.boards.service.rights import approving, board_of
from tablewright_systems.boards.service.settling import (
    Step,
    made,
    registered,
    settle,
    taking_turns,
    unchanged,
)
from tablewright_systems.boards.values import APPROVE_JOIN, ApproveJoinConfig
from tablewright_systems.pagination import ResultPage

DAY = 86_400


class Terms(BaseModel):
    """What it takes to join a board: nothing, a request, or a request with an answer."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    needs_approval: bool
    question: str | None = None
    ttl_days: int | None = None


def terms(db: Repository, board_id: str) -> Terms:
    """What it takes to join a board; whoever wants to join may know."""
    return _terms(db, board_of(db, board_id))


def _terms(db: Repository, board: Board) -> Terms:
    if APPROVE_JOIN not in board.enabled_services:
        return Terms(needs_approval=False)
    service = db.run(DefaultService(board_id=board.board_id, service_type=APPROVE_JOIN))
    if service is None or not isinstance(service.config, ApproveJoinConfig):
        raise Conflict("the services of this board are being changed; try again")
    asked = service.config.question_text if service.config.ask_question else None
    return Terms(needs_approval=True, question=asked, ttl_days=service.config.ttl_days)


@taking_turns
def join(db: Repository, caller: Caller, board_id: str) -> BoardMembership:
    """Become a member of a board that needs no approval; a request from before is void."""
    board = board_of(db, board_id)
    if APPROVE_JOIN in board.enabled_services:
        raise Conflict("this board lets people in by approval; request to join")
    return _enter(
        db,
        board,
        caller.user_id,
        (writes.Delete(JoinRequest(board_id=board_id, user_id=caller.user_id)), None),
    )


def _enter(db: Repository, board: Board, user_id: str, *steps: Step) -> BoardMembership:
    """Make somebody a member, together with what ends the waiting."""
    membership = BoardMembership(board_id=board.board_id, user_id=user_id)
    written = settle(
        db,
        unchanged(board),
        registered(user_id),
        *steps,
        (writes.Create(membership), Conflict(f"{user_id} is a member already")),
    )
    return made(written, BoardMembership)


@taking_turns
def request_to_join(
    db: Repository, caller: Caller, board_id: str, answer: str | None = None
) -> BoardJoinRequest:
    """Ask to be let in; the request lives for as many days as the board says now."""
    board = board_of(db, board_id)
    asked = _terms(db, board)
    if asked.ttl_days is None:
        raise Conflict("this board is open to everybody; join it")
    if asked.question is not None and not (answer or "").strip():
        raise Invalid(f"this has to be answered: {asked.question}", field="answer")
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
    settle(
        db,
        unchanged(board),
        registered(caller.user_id),
        (writes.CheckAbsent(member), Conflict("you are a member already")),
        (writes.Create(request), Conflict("you have asked already")),
    )
    return request


@taking_turns
def approve(db: Repository, caller: Caller, board_id: str, user_id: str) -> BoardMembership:
    """Let somebody in: the request goes and the membership comes, or neither."""
    board = board_of(db, board_id)
    entitled = approving(db, caller, board)
    return _enter(db, board, user_id, *entitled, _ended(db, board_id, user_id))


@taking_turns
def reject(db: Repository, caller: Caller, board_id: str, user_id: str) -> None:
    """Do not let somebody in."""
    board = board_of(db, board_id)
    entitled = approving(db, caller, board)
    settle(db, unchanged(board), *entitled, _ended(db, board_id, user_id))


def cancel(db: Repository, caller: Caller, board_id: str) -> None:
    """Withdraw the caller's own request."""
    settle(db, _ended(db, board_id, caller.user_id))


def _ended(db: Repository, board_id: str, user_id: str) -> Step:
    """The end of a request that is pending: what has expired is not, swept or not."""
    pending = BoardJoinRequest.expires_at > int(db.now().timestamp())
    request = JoinRequest(board_id=board_id, user_id=user_id)
    return writes.Delete(request, when=pending), NotFound(f"pending request of {user_id}")


def join_request(db: Repository, caller: Caller, board_id: str, user_id: str) -> BoardJoinRequest:
    """One pending request; for whoever made it, and for those who may approve it."""
    if user_id != caller.user_id:
        approving(db, caller, board_of(db, board_id))
    request = db.run(JoinRequest(board_id=board_id, user_id=user_id))
    if request is None:
        raise NotFound(f"pending request of {user_id}")
    return request


def requests_of_board(
    db: Repository, caller: Caller, board_id: str, limit: int | None = None, cursor: str | None = None
) -> ResultPage[BoardJoinRequest]:
    """Who waits to be let in; for those who may approve."""
    approving(db, caller, board_of(db, board_id))
    return listed(db, RequestsOfBoard(board_id=board_id), limit, cursor)


def my_requests(
    db: Repository, caller: Caller, limit: int | None = None, cursor: str | None = None
) -> ResultPage[BoardJoinRequest]:
    """The caller's own pending requests, the newest first."""
    return listed(db, RequestsOfUser(user_id=caller.user_id), limit, cursor)
