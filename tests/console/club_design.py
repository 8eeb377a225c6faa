"""A small design for tests of the items view: mixed entities, copies, locks, secrets, sparse and narrow indexes."""

from typing import Annotated, Any

from pydantic import Field

from tablewright import Clock, Copy, Design, Entity, Faults, Index, Keys, Sparse, Table, connect, fields
from tablewright.console.open_designs import OpenDesign
from tests.console.sample_console import ConsoleClient

NOW = 1_800_000_000.0

main = Table(
    "club",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),
        Index("open", "open_pk", "open_sk", projection="KEYS_ONLY"),
        Index("by-level", "status", "level", projection=["name"]),
    ],
    types={"level": "N"},
    ttl="expiresAt",
)
scores = Table("scores", key=("PK", "rank"), types={"rank": "N"})


class Member(Entity, table=main, type="MEMBER"):
    """A member of the club."""

    member_id: str
    email: Annotated[str, fields.Unique()]
    name: str
    level: int = 1
    status: str = "active"
    pin: Annotated[str | None, fields.Encrypted()] = None
    keys = Keys(primary=("MEMBER#{member_id}", "PROFILE"), GSI1=("STATUS#{status}", "MEMBER#{member_id}"))


class Task(Entity, table=main, type="TASK"):
    """A task of a member."""

    member_id: str
    task_id: str
    title: str = ""
    is_open: bool = True
    helper_ids: list[str] = Field(default=[])
    expires_at: int | None = None
    keys = Keys(
        primary=("MEMBER#{member_id}", "TASK#{task_id}"),
        open=Sparse("OPEN", "TASK#{task_id}", when="is_open"),
    )
    helpers = Copy(
        each="helper_ids",
        name="helper_id",
        type="HELP",
        primary=("HELPER#{helper_id}", "TASK#{task_id}"),
        fields=["title"],
    )


class Score(Entity, table=scores):
    """A score in a game; its sort key is a number."""

    game: str
    rank: int
    member_id: Annotated[str, fields.References(Member)]
    keys = Keys(primary=("GAME#{game}", "{rank}"))


design = Design("club", entities=[Member, Task, Score])


def open_club(*, lag: float = 0.0, reveal: bool = False) -> OpenDesign:
    """Open a club with two members and three tasks; the clock is at `NOW`."""
    clock = Clock(start=NOW)
    db: Any = connect(design, clock=clock, faults=Faults(index_lag=lag) if lag else None)
    fill(db)
    return OpenDesign(db, "Club", "memory", "tests.console.club_design:design", True, reveal)


def fill(db: Any) -> None:
    """Write two members, three tasks and two scores."""
    db.create(Member(member_id="m1", email="ada@club", name="Ada", level=3, pin="1234"))
    db.create(Member(member_id="m2", email="bob@club", name="Bob", status="away"))
    db.create(Task(member_id="m1", task_id="t1", title="Paint", helper_ids=["m2"]))
    db.create(Task(member_id="m1", task_id="t2", title="Sweep", is_open=False))
    db.create(Task(member_id="m1", task_id="t3", title="Old", expires_at=int(NOW) - 10))
    db.create(Score(game="chess", rank=2, member_id="m1"))
    db.create(Score(game="chess", rank=10, member_id="m2"))


def club_client(**options: Any) -> ConsoleClient:
    """Return a client of the console of a new club."""
    return ConsoleClient(open_club(**options))


def put(opened: OpenDesign, item: dict[str, Any], table: str = "club") -> None:
    """Store an item without the library."""
    opened.db.connection.call("PutItem", {"TableName": table, "Item": item})


def advance(opened: OpenDesign, seconds: float) -> None:
    """Move the clock of the store."""
    connection: Any = opened.db.connection
    connection.clock.advance(seconds)
