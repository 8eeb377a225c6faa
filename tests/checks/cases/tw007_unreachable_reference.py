from typing import Annotated

from tablewright.design import fields
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.keys import Keys
from tablewright.design.tables import Table

CODE = "TW007"
main = Table("main", key=("PK", "SK"))


class User(Entity, table=main, type="USER"):
    user_id: str
    email: Annotated[str, fields.Unique()]
    handle: Annotated[str, fields.Unique(within=("country",))]
    country: str
    name: str
    keys = Keys(primary=("USER#{user_id}", "PROFILE"))


class Task(Entity, table=main, type="TASK"):
    board_id: str
    task_id: str
    keys = Keys(primary=("BOARD#{board_id}", "TASK#{task_id}"))


class Comment(Entity, table=main, type="COMMENT"):
    comment_id: str
    board_id: str
    task_id: Annotated[str, fields.References(Task)]
    author_id: Annotated[str, fields.References(User)]
    reviewer: Annotated[str | None, fields.References(User, field="email")] = None
    keys = Keys(primary=("COMMENT#{comment_id}", "COMMENT"))


class Bookmark(Entity, table=main, type="BOOKMARK"):
    bookmark_id: str
    task_id: Annotated[str, fields.References(Task)]
    keys = Keys(primary=("BOOKMARK#{bookmark_id}", "BOOKMARK"))


class Mention(Entity, table=main, type="MENTION"):
    mention_id: str
    name: Annotated[str, fields.References(User, field="name")]
    handle: Annotated[str, fields.References(User, field="handle")]
    keys = Keys(primary=("MENTION#{mention_id}", "MENTION"))


passes = [Design("keys and locks", entities=[User, Task, Comment])]
fails = [
    (
        Design("part of a key", entities=[Task, Bookmark]),
        [("warning", "Bookmark.task_id", "the key of Task needs board_id, which Bookmark has not")],
    ),
    (
        Design("no key", entities=[User, Mention]),
        [
            ("warning", "Mention.handle", "the lock of handle of User needs country, which Mention has not"),
            ("warning", "Mention.name", "User.name, which is neither part of the primary key nor unique"),
        ],
    ),
]
