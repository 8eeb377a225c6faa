"""Rows of other programs that are deleted with their task or user, although they are no entities of this design.

Copies and locks as the document prints them (R1, R9) lack what this design adds. The migrations replace them. Until
then, a write that finds one in its way deletes it, and so does the deletion of its task or user.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from tablewright import Repository, errors
from tablewright_systems.goalsguild.design.goals import Task
from tablewright_systems.goalsguild.design.tables import core
from tablewright_systems.goalsguild.design.users import User
from tablewright_systems.service import call_raw, raw_rows


def delete_copy(db: Repository, task: Task) -> None:
    """Delete the copy of a task that does not name its owner; copies of this design do, in `_of`."""
    due_at = task.model_dump(mode="json")["due_at"]
    if due_at is not None:
        condition = {
            "ConditionExpression": "attribute_not_exists(#owner)",
            "ExpressionAttributeNames": {"#owner": "_of"},
        }
        _delete(db, f"USER#{task.user_id}", f"TASK#{due_at}#{task.id}", condition)


def delete_locks(db: Repository, user: User) -> None:
    """Delete the locks of an e-mail address under a mistyped key (R1)."""
    condition = {
        "ConditionExpression": "userId = :user",
        "ExpressionAttributeValues": {":user": {"S": user.id}},
    }
    for address in {user.email, user.email.lower()}:
        _delete(db, f"EMAIL#{address}", "UNIQUE#USER>", condition)


def delete_rest(db: Repository, user_id: str) -> None:
    """Delete what is left of a user but the profile: reminders, the password, and rows that cannot be read.

    The tasks of a goal that cannot be read are among them.
    """
    for row in _partition(db, f"USER#{user_id}"):
        kind, _, rest = row["SK"]["S"].partition("#")
        if kind == "PROFILE":
            continue
        for part in _partition(db, f"GOAL#{rest}") if kind == "GOAL" else ():
            if part.get("userId", {"S": user_id}) == {"S": user_id}:
                _delete(db, part["PK"]["S"], part["SK"]["S"], {})
        _delete(db, row["PK"]["S"], row["SK"]["S"], {})


def _partition(db: Repository, partition: str) -> Iterator[dict[str, Any]]:
    """Return the rows of a partition: keys and owners."""
    request = {
        "TableName": db.context.table_name(core),
        "KeyConditionExpression": "PK = :partition",
        "ProjectionExpression": "PK, SK, userId",
        "ExpressionAttributeValues": {":partition": {"S": partition}},
        "ConsistentRead": True,
    }
    return raw_rows(db, "Query", request)


def _delete(db: Repository, partition: str, sort: str, condition: dict[str, Any]) -> None:
    key = {"PK": {"S": partition}, "SK": {"S": sort}}
    request = {"TableName": db.context.table_name(core), "Key": key, **condition}
    with suppress(errors.ConditionalCheckFailed):
        call_raw(db, "DeleteItem", request)
