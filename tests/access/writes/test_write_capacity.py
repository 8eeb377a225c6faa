"""The estimated capacity of a write is what the engine charges for it."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import Field

from tablewright import Copy, Design, Entity, Get, Index, Keys, Table, connect, fields, writes
from tablewright.access.repository import Repository
from tablewright.access.writes.values import Write

main = Table(
    "main",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),
        Index("GSI2", "owner", projection=["title"]),
        Index("keys", "city", projection="KEYS_ONLY"),
        Index("local", "PK", "title", local=True),
    ],
)


class Task(Entity, table=main, type="TASK"):
    task_id: str
    owner: str
    title: str = "t"
    status: str = "open"
    city: str | None = None
    text: str = ""
    visits: int = 0
    photo: bytes | None = None
    keys = Keys(primary=("TASK#{task_id}", "TASK"), GSI1=("STATUS#{status}", "TASK#{task_id}"))


class Room(Entity, table=main, type="ROOM"):
    room_id: str
    name: Annotated[str, fields.Unique()]
    owner: str = "ada"
    members: list[str] = Field(default=[])
    keys = Keys(primary=("ROOM#{room_id}", "ROOM"))
    of_member = Copy(
        each="members",
        name="member",
        primary=("MEMBER#{member}", "ROOM#{room_id}"),
        GSI1=("ALL", "{room_id}"),
    )


class TaskById(Get[Task]):
    task_id: str


BY_ID = TaskById(task_id="1")
LONG = "x" * 3000
CASES: dict[str, Callable[[], Write]] = {
    "a new item in four indexes": lambda: writes.Create(Task(task_id="2", owner="ada", city="Turku")),
    "an item with bytes": lambda: writes.Create(Task(task_id="2", owner="ada", photo=b"x" * 2000)),
    "the same item again": lambda: writes.Put(Task(task_id="1", owner="ada", text=LONG)),
    "a smaller item over a larger one": lambda: writes.Put(Task(task_id="1", owner="ada")),
    "another index key": lambda: writes.Update(BY_ID, set={"status": "closed"}),
    "an attribute that one index lacks": lambda: writes.Update(BY_ID, set={"text": "y"}),
    "a key of a projection": lambda: writes.Update(BY_ID, set={"title": "u"}),
    "into a sparse index": lambda: writes.Update(BY_ID, set={"city": "Oulu"}),
    "a sum": lambda: writes.Update(BY_ID, add={"visits": 2}),
    "a deletion": lambda: writes.Delete(BY_ID),
    "an item that does not exist": lambda: writes.Delete(TaskById(task_id="9")),
    "a check": lambda: writes.Check(BY_ID, Task.owner == "ada"),
    "copies and a lock": lambda: writes.Create(Room(room_id="2", name="blue", members=["a", "b"])),
    "a changed copy": lambda: writes.Update(Room(room_id="1", name="red"), set={"members": ["a", "c"]}),
    "a moved lock": lambda: writes.Update(Room(room_id="1", name="red"), set={"name": "green"}),
}


@pytest.fixture
def db() -> Any:
    with connect(Design("tasks", entities=[Task, Room], patterns=[TaskById])) as db:
        db.create(Task(task_id="1", owner="ada", text=LONG))
        db.create(Room(room_id="1", name="red", members=["a", "b"]))
        yield db


def charged(db: Repository, operation: str, request: dict[str, Any]) -> dict[str, float]:
    """The units that the engine charges, by table and index."""
    reply = db.connection.call(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
    consumed = reply["ConsumedCapacity"]
    (shown,) = consumed if isinstance(consumed, list) else [consumed]
    indexes = {**shown.get("GlobalSecondaryIndexes", {}), **shown.get("LocalSecondaryIndexes", {})}
    places = {"main": shown["Table"], **indexes}
    return {name: place["CapacityUnits"] for name, place in places.items() if place["CapacityUnits"]}


@pytest.mark.parametrize("name", CASES)
def test_the_estimate_is_what_the_engine_charges(db: Repository, name: str) -> None:
    explained = db.explain(CASES[name]())
    assert explained.units == charged(db, explained.operation, explained.request)
    assert explained.capacity == sum(explained.units.values())


def test_the_text_names_table_and_indexes(db: Repository) -> None:
    text = str(db.explain(writes.Update(BY_ID, set={"status": "closed"})))
    assert text.endswith("about 16 write units: 1 item, up to 3097 bytes\n  main 4\n  GSI1 8\n  local 4")
