"""Adoption of rows that other programs wrote exactly as the document prints them.

The migrations give rows the keys, copies and locks of this design. The document has no rooms, threads and progress of
goals (R13): these are added here. It can be interrupted, repeated, and run while the system is in use. The job
`adoption` runs it once. After a later import, call `adopt(db)`, and repair the keys with `tablewright fsck --repair`.
"""

import time
from typing import Any

from tablewright import Query, Repository, errors, writes
from tablewright_systems.goalsguild.design.goals import (
    AdoptableRows,
    Goal,
    Progress,
    ProgressOfGoal,
    TasksOfGoal,
)
from tablewright_systems.goalsguild.design.rooms import (
    AssistMsg,
    AssistThread,
    ChatHistory,
    Member,
    MembersOfRoom,
    Message,
    Role,
    Room,
    RoomById,
    ThreadById,
    ThreadHistory,
)
from tablewright_systems.goalsguild.design.tables import core
from tablewright_systems.goalsguild.design.users import ProfileById
from tablewright_systems.service import Adopted, migrate_rows

MAX_MEMBERS = 49
"""Authors that become members of an adopted room: room, members and their copies fit into one transaction."""


def adopt(db: Repository) -> Adopted:
    """Give all rows what this design adds to the document."""
    adopted = migrate_rows(db)
    seen: set[tuple[type, str]] = set()
    for row in db.iterate(AdoptableRows(), unknown="skip"):
        match row:
            case Goal():
                adopted.added += _add(db, _progress(db, row))
            case Message() if (Room, row.room_id) not in seen:
                seen.add((Room, row.room_id))
                adopted.added += _add(db, _room(db, row.room_id))
            case AssistMsg() if (AssistThread, row.thread_id) not in seen:
                seen.add((AssistThread, row.thread_id))
                adopted.added += _add(db, _thread(db, row.thread_id))
    return adopted


def _add(db: Repository, created: list[writes.Write]) -> bool:
    """Create what a row lacks, all or nothing; return False if there is nothing to do, or another process did it."""
    try:
        return bool(created) and bool(db.transact(*created))
    except errors.TransactionFailed as failed:
        if any(isinstance(failure, errors.AlreadyExists) for failure in failed.failures):
            return False
        raise


def _progress(db: Repository, goal: Goal) -> list[writes.Write]:
    """Count the tasks of a goal without progress."""
    if db.run(ProgressOfGoal(goal_id=goal.id)) is not None:
        return []
    tasks = db.all(TasksOfGoal(goal_id=goal.id), unknown="skip")
    return [writes.Create(Progress(goal_id=goal.id, tasks=len(tasks), done=sum(task.done for task in tasks)))]


def _room(db: Repository, room_id: str) -> list[writes.Write]:
    """Make a room of messages without one. Its members are the authors; the first author owns it.

    A room that is being deleted still has members, and is left alone.
    """
    if db.run(RoomById(room_id=room_id)) is not None or db.all(MembersOfRoom(room_id=room_id)):
        return []
    authors = _authors(db, ChatHistory(room_id=room_id))[:MAX_MEMBERS]
    members = [
        Member(room_id=room_id, user_id=author, role=Role.MEMBER if position else Role.OWNER)
        for position, author in enumerate(authors)
    ]
    return [writes.Create(Room(id=room_id, name=room_id)), *map(writes.Create, members)] if members else []


def _thread(db: Repository, thread_id: str) -> list[writes.Write]:
    """Make a thread of messages without one; it belongs to the first user among the authors."""
    if db.run(ThreadById(thread_id=thread_id)) is not None:
        return []
    authors = _authors(db, ThreadHistory(thread_id=thread_id))
    return [
        writes.Create(AssistThread(id=thread_id, user_id=author, title=thread_id)) for author in authors[:1]
    ]


def _authors(db: Repository, messages: Query[Any]) -> list[str]:
    """The authors of messages who have a profile, in order."""
    distinct = dict.fromkeys(message.user_id for message in db.iterate(messages, unknown="skip"))
    return [user_id for user_id in distinct if db.run(ProfileById(user_id=user_id)) is not None]


_POLL_INTERVAL = 0.2


def missing_indexes(db: Repository) -> list[str]:
    """Return the indexes of the design that the table lacks."""
    there = {index["IndexName"] for index in _described(db).get("GlobalSecondaryIndexes", [])}
    return [index.name for index in core.indexes if index.name not in there]


def add_indexes(db: Repository) -> list[str]:
    """Add the missing indexes, one at a time: DynamoDB accepts the next when the last one is active."""
    missing = missing_indexes(db)
    definition = core.definition(db.context.environment)
    for created in definition["GlobalSecondaryIndexes"]:
        if created["IndexName"] not in missing:
            continue
        db.connection.call(
            "UpdateTable",
            {
                "TableName": db.context.table_name(core),
                "AttributeDefinitions": definition["AttributeDefinitions"],
                "GlobalSecondaryIndexUpdates": [{"Create": created}],
            },
        )
        wait_until_active(db)
    return missing


def wait_until_active(db: Repository) -> None:
    """Wait until the table and its indexes can be used and changed."""
    while not _is_active(db):
        time.sleep(_POLL_INTERVAL)


def _described(db: Repository) -> dict[str, Any]:
    reply = db.connection.call("DescribeTable", {"TableName": db.context.table_name(core)})
    table: dict[str, Any] = reply["Table"]
    return table


def _is_active(db: Repository) -> bool:
    described = _described(db)
    indexes = described.get("GlobalSecondaryIndexes", [])
    return described["TableStatus"] == "ACTIVE" and all(index["IndexStatus"] == "ACTIVE" for index in indexes)
