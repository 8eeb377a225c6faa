from uuid import UUID

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import new_id
from tablewright.design.indexes import Index
from tablewright.design.patterns import Find, Query
from tablewright.design.tables import Table

CODE = "TW311"
boards = Table(
    "boards",
    key=("team", "boardId"),
    indexes=[Index("by-owner", "owner"), Index("by-owner-and-name", "owner", "name")],
)
tasks = Table("tasks", key=("team", "taskId"))


class Board(Entity, table=boards):
    team: str
    board_id: UUID
    owner: str
    name: str


class Task(Entity, table=tasks):
    team: str
    task_id: str = new_id()


class BoardsOfTeam(Query[Board]):
    team: str


class BoardsOfOwner(Query[Board]):
    owner: str
    index = "by-owner"


class BoardOfOwner(Find[Board]):
    owner: str
    index = "by-owner"


class BoardsOfOwnerByName(Query[Board]):
    owner: str
    index = "by-owner-and-name"


class NamesakesOfOwner(Query[Board]):
    owner: str
    name: str
    index = "by-owner-and-name"


class TasksOfTeam(Query[Task]):
    team: str


passes = [
    Design("by name", patterns=[BoardsOfOwnerByName]),
    Design("by an id that sorts by its time", patterns=[TasksOfTeam]),
    Design("one item", patterns=[BoardOfOwner]),
]
fails = [
    (
        Design("no sort key", patterns=[BoardsOfOwner]),
        [("info", "BoardsOfOwner", "does not sort the items of one owner")],
    ),
    (
        Design("a fixed sort key", patterns=[NamesakesOfOwner]),
        [("info", "NamesakesOfOwner", "does not sort")],
    ),
    (Design("random ids", patterns=[BoardsOfTeam]), [("info", "BoardsOfTeam", "board_id is random")]),
]
