"""The design that the tests of streams use, and a listener that records its events."""

from typing import Annotated, Any

from tablewright import Copy, Design, Entity, Get, Keys, Repository, Table
from tablewright.access.streams.events import EventName, Listener, on
from tablewright.design.fields import markers

START = 1_750_000_000.0

main = Table("goals-main", key=("PK", "SK"), ttl="expiresAt", stream="NEW_AND_OLD_IMAGES")
quiet = Table("goals-quiet", key="id", stream="NEW_IMAGE")


class Goal(Entity, table=main, type="GOAL"):
    goal_id: str
    owner: str
    title: Annotated[str, markers.Unique()]
    note: Annotated[str | None, markers.Encrypted(context=("owner",))] = None
    expires_at: int | None = None
    keys = Keys(primary=("GOAL#{goal_id}", "GOAL"))
    by_owner = Copy(primary=("OWNER#{owner}", "GOAL#{goal_id}"), fields=["title"])


class Step(Entity, table=main, type="STEP"):
    goal_id: str
    step_id: str
    done: bool = False
    keys = Keys(primary=("GOAL#{goal_id}", "STEP#{step_id}"))


class Thing(Entity, table=quiet):
    id: str


class GoalById(Get[Goal]):
    goal_id: str


design = Design("goals", entities=[Goal, Step, Thing], patterns=[GoalById])


def goal(number: int = 1, **more: Any) -> Goal:
    """A goal of Ada."""
    return Goal(goal_id=f"g{number}", owner="ada", **({"title": f"title {number}"} | more))


class Recorder:
    """A listener that records its events."""

    def __init__(self, entity: type[Entity], *events: EventName) -> None:
        self.events: list[Any] = []
        self.listener: Listener[Any] = on(entity, *events)(self.events.append)

    def names(self) -> list[str]:
        return [type(event).__name__ for event in self.events]


def put_raw(db: Repository, item: dict[str, str]) -> None:
    """Store an item without the entity layer."""
    stored = {name: {"S": value} for name, value in item.items()}
    db.connection.call("PutItem", {"TableName": main.name, "Item": stored})


def switch_stream(db: Repository, *, on: bool) -> None:
    """Enable or disable the stream."""
    specification = {"StreamEnabled": on, **({"StreamViewType": "NEW_AND_OLD_IMAGES"} if on else {})}
    db.connection.call("UpdateTable", {"TableName": main.name, "StreamSpecification": specification})
