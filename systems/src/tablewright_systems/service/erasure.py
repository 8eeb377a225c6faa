"""Erasure: all rows that a pattern finds are deleted, also those that have expired, or that cannot be read.

Other programs may have written rows that are not valid. They belong to a user or a board all the same, and are deleted
with it.
"""

from typing import Any

from tablewright import Query, Repository, errors, writes
from tablewright_systems.service.raw_calls import call_raw


def erase_all(db: Repository, *patterns: Query[Any]) -> None:
    """Delete all rows of some patterns, with their locks and copies; of a row that cannot be read, the row alone."""
    for pattern in patterns:
        cursor: str | None = None
        while True:
            page = db.run(pattern, cursor=cursor, include_expired=True)
            db.batch(map(writes.Delete, page))
            for unreadable in page.unknown:
                erase_row(db, unreadable)
            if (cursor := page.cursor) is None:
                break


def erase_row(db: Repository, unreadable: errors.UnknownItem) -> None:
    """Delete a row that cannot be read, by its key."""
    table = next(each for each in db.design.tables if each.name == unreadable.table)
    call_raw(db, "DeleteItem", {"TableName": db.context.table_name(table), "Key": unreadable.key})
