"""Test data for the proofs: users, boards with services, members."""

import time
from copy import copy
from typing import Any

from tablewright import Repository, Table, connect
from tablewright_systems.boards import design
from tablewright_systems.boards.design import AvailableService, Board
from tablewright_systems.boards.index_fallback import DEVELOPMENT
from tablewright_systems.boards.service import boards, catalogue, joining, members, users
from tablewright_systems.boards.values import APPROVE_JOIN, Role
from tablewright_systems.service import Caller
from tablewright_systems.verification import ProofContext, put_row

TRADES = "trades"
TRADES_ARCHIVE = "tradesArchive"
ADMIN = Caller("operator", {"roles": ["admin"]})

_TYPES = tuple(
    AvailableService(service_type=service_type, display_name=service_type, description="for proofs")
    for service_type in (TRADES, TRADES_ARCHIVE)
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


def without_indexes(context: ProofContext) -> ProofContext:
    """Create the tables of the design without their indexes, and return a context on them, in development."""
    db = context.db
    prefix = f"{db.context.prefix}bare-{context.unique_id()}-"
    for table in db.design.tables:
        definition = table.definition()
        definition.pop("GlobalSecondaryIndexes", None)
        keys = [{"AttributeName": name, "AttributeType": "S"} for name in table.key]
        definition |= {"TableName": prefix + table.physical_name(), "AttributeDefinitions": keys}
        db.connection.call("CreateTable", definition)
    bare = copy(context)
    bare.db = connect(
        db.design, db.connection, environment=DEVELOPMENT, clock=context.clock, prefix=prefix, create=False
    )
    for table in db.design.tables:
        _wait_until_active(bare.db, table)
    return bare


def _wait_until_active(db: Repository, table: Table) -> None:
    """Wait for a new table; in this process it is active at once, on AWS after some seconds."""
    name = {"TableName": db.context.table_name(table)}
    while db.connection.call("DescribeTable", name)["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(1)


def put_documents(context: ProofContext, user_id: str, board_id: str, name: str) -> None:
    """Write rows as the document prints them: without claims, versions and locks."""
    rows: dict[Table, dict[str, Any]] = {
        design.user_profiles: {
            "PK": f"USER#{user_id}",
            "SK": "PROFILE",
            "userId": user_id,
            "email": f"{user_id}@example.com",
            "userName": name,
            "createdAt": "2024-12-07T18:28:15.735Z",
        },
        design.boards: {
            "PK": f"BOARD#{board_id}",
            "SK": "META",
            "boardId": board_id,
            "boardName": name,
            "ownerId": user_id,
            "enabledServices": ["approveJoin"],
            "createdAt": "2024-12-07T21:29:54.716Z",
        },
        design.board_memberships: {
            "PK": f"BOARD#{board_id}",
            "SK": f"USER#{user_id}",
            "boardId": board_id,
            "userId": user_id,
            "role": "owner",
            "joinedAt": "2024-12-07T21:29:54.716Z",
        },
        design.board_service_settings: {
            "PK": f"BOARD#{board_id}",
            "SK": f"SERVICE#s-{board_id}",
            "boardId": board_id,
            "serviceId": f"s-{board_id}",
            "serviceType": "approveJoin",
            "isDefault": True,
            "GSI1PK": f"BOARD#{board_id}",
            "GSI1SK": f"SERVICETYPE#approveJoin#s-{board_id}",
            "GSI2PK": f"SERVICE#s-{board_id}",
            "GSI2SK": f"BOARD#{board_id}",
            "config": {"ttlDays": 3, "askQuestion": True, "questionText": "Why do you want to join?"},
        },
    }
    for table, row in rows.items():
        put_row(context.db, table, row)
