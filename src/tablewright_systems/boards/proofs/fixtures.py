"""Test data for the proofs: users, boards with services, members."""

from dataclasses import replace
from typing import Any

from tablewright import Connection, Repository, errors
from tablewright_systems.boards.design import AvailableService, Board
from tablewright_systems.boards.index_fallback import DEVELOPMENT
from tablewright_systems.boards.service import boards, catalogue, joining, members, users
from tablewright_systems.boards.values import APPROVE_JOIN, Role
from tablewright_systems.service.callers import Caller
from tablewright_systems.verification.proofs import ProofContext

TRADES = "trades"
TRADES_ARCHIVE = "tradesArchive"
ADMIN = Caller("operator", {"roles": ["admin"]})

_TYPES = tuple(
    AvailableService(service_type=each, display_name=each, description="for proofs")
    for each in (TRADES, TRADES_ARCHIVE)
)


def user(context: ProofContext) -> Caller:
    """Register a new user."""
    caller = context.caller(email=f"{context.unique_id('mail')}@example.org")
    users.register(context.db, caller, context.unique_id("user"))
    return caller


def board_of(context: ProofContext, owner: Caller, *services: str) -> Board:
    """Create a board with one service of each type; without services, joining needs no approval."""
    catalogue.seed(context.db, ADMIN, (*catalogue.SEED, *_TYPES))
    return boards.create_board(context.db, owner, context.unique_id("board"), services)


def member(context: ProofContext, board: Board, role: Role = Role.MEMBER) -> Caller:
    """Add a new member to a board."""
    owner, caller = Caller(board.owner_id), user(context)
    if APPROVE_JOIN in board.enabled_services:
        joining.request_to_join(context.db, caller, board.board_id, "I want to contribute")
        joining.approve(context.db, owner, board.board_id, caller.user_id)
    else:
        joining.join(context.db, caller, board.board_id)
    if role is Role.MANAGER:
        members.change_role(context.db, owner, board.board_id, caller.user_id, role)
    return caller


class WithoutIndexes:
    """A connection to tables without indexes: it replies as DynamoDB does."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Forward calls that use no index."""
        if "IndexName" in request:
            raise errors.ValidationError(
                f"The table does not have the specified index: {request['IndexName']}"
            )
        return self._connection.call(operation, request)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def without_indexes(db: Repository, environment: str | None = DEVELOPMENT) -> Repository:
    """Return a repository on the same store, as if its tables had no indexes."""
    return Repository(db.design, WithoutIndexes(db.connection), replace(db.context, environment=environment))
