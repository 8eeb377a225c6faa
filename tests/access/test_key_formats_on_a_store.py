"""Key formats on a store: items are found by the formatted part, and updates move them."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Annotated

import pytest

from tablewright import Design, Entity, Find, Get, Index, Keys, Query, Sparse, Table, connect, fields
from tablewright.access.repository import Repository
from tablewright.errors import KeyValueError

main = Table(
    "formats", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK"), Index("by-mail", "mailKey")]
)
DAY, EVENING = date(2025, 8, 8), datetime(2025, 8, 8, 22, tzinfo=UTC)
SHARDS = 4


class Audit(Entity, table=main, type="AUDIT"):
    audit_id: str
    created_at: fields.Timestamp
    keys = Keys(primary=("AUDIT#{created_at:%Y-%m-%d}", "{created_at}#{audit_id}"))


class Task(Entity, table=main, type="TASK"):
    task_id: str
    due_at: fields.Timestamp | None = None
    is_open: bool = True
    mail: str = "Ada@X.org"
    keys = Keys(
        primary=("TASK#{task_id}", "TASK"),
        GSI1=Sparse(
            "DUE#{due_at:%Y%m%d}#{task_id:shard(4)}", "{due_at}#{task_id}", when=("is_open", "due_at")
        ),
        indexes={"by-mail": "{mail:lower}"},
    )


class AuditsOfDay(Query[Audit]):
    day: date
    key = "PK = AUDIT#{day}"


class AuditsOfHour(Query[Audit]):
    at: datetime
    key = "PK = AUDIT#{at:%Y-%m-%d} AND begins_with(SK, {at:%Y-%m-%dT%H})"


class AuditById(Get[Audit]):
    created_at: fields.Timestamp
    audit_id: str


class DueTasks(Query[Task]):
    """One shard of the tasks that are due on a day."""

    day: date
    shard: int
    key = "GSI1PK = DUE#{day:%Y%m%d}#{shard}"


class TaskByMail(Find[Task]):
    mail: str
    index = "by-mail"


class TaskById(Get[Task]):
    task_id: str


design = Design(
    "formats",
    entities=[Audit, Task],
    patterns=[AuditsOfDay, AuditsOfHour, AuditById, DueTasks, TaskByMail, TaskById],
)


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(design) as repository:
        yield repository


def test_a_day_is_read_by_a_date_or_a_timestamp(db: Repository) -> None:
    audits = [db.create(Audit(audit_id=str(hour), created_at=EVENING.replace(hour=hour))) for hour in (7, 22)]
    assert list(db.run(AuditsOfDay(day=DAY)).items) == audits
    assert list(db.run(AuditsOfHour(at=EVENING)).items) == audits[1:]
    assert db.run(AuditById(created_at=EVENING, audit_id="22")) == audits[1]
    db.delete(AuditById(created_at=EVENING, audit_id="22"))
    db.delete(audits[0])
    assert db.run(AuditsOfDay(day=DAY)).items == ()


def due(db: Repository, day: date) -> list[str]:
    pages = [db.run(DueTasks(day=day, shard=shard)) for shard in range(SHARDS)]
    return sorted(task.task_id for page in pages for task in page.items)


def test_an_update_moves_an_item_to_another_day(db: Repository) -> None:
    names = [f"t{number}" for number in range(9)]
    for name in names:
        db.create(Task(task_id=name, due_at=EVENING))
    db.create(Task(task_id="undue"))
    assert due(db, DAY) == names
    db.update(TaskById(task_id="t0"), set={"due_at": EVENING.replace(day=9)})
    db.update(TaskById(task_id="t1"), set={"is_open": False})
    db.update(TaskById(task_id="t2"), remove=["due_at"])
    db.update(TaskById(task_id="undue"), set={"due_at": EVENING})
    assert due(db, DAY) == [*names[3:], "undue"]
    assert due(db, date(2025, 8, 9)) == ["t0"]


def test_a_lower_case_key_ignores_case(db: Repository) -> None:
    task = db.create(Task(task_id="t"))
    assert db.run(TaskByMail(mail="ADA@x.ORG")) == task
    db.update(task, set={"mail": "Bob@x.org"})
    assert db.run(TaskByMail(mail="ada@x.org")) is None
    assert db.run(TaskByMail(mail="bob@X.org")) == task.changed(mail="Bob@x.org")


def test_a_key_format_is_explained(db: Repository) -> None:
    explanation = db.explain(DueTasks(day=DAY, shard=3))
    assert explanation.request["ExpressionAttributeValues"] == {":0": {"S": "DUE#20250808#3"}}
    assert explanation.index == "GSI1"


class Player(Entity, table=main, type="PLAYER"):
    player_id: str
    points: Annotated[int, fields.Counter()] = 0
    keys = Keys(primary=("PLAYER#{player_id}", "PLAYER"), GSI1=("BOARD", "{points:04}#{player_id}"))


class PlayerById(Get[Player]):
    player_id: str


class PlayersAbove(Query[Player]):
    points: int
    key = "GSI1PK = BOARD AND GSI1SK > {points:04}"


@pytest.fixture
def players() -> Repository:
    db = connect(Design("players", entities=[Player], patterns=[PlayerById, PlayersAbove]))
    for player_id, points in (("ada", 2), ("bob", 10)):
        db.create(Player(player_id=player_id, points=points))
    return db


def test_an_update_below_zero_is_rejected_and_nothing_is_written(players: Repository) -> None:
    with pytest.raises(KeyValueError, match="Player: points = -1 is negative"):
        players.update(PlayerById(player_id="ada"), add={"points": -3})
    with pytest.raises(KeyValueError, match="points = 10000 has too many digits"):
        players.update(PlayerById(player_id="bob"), add={"points": 9990})
    with pytest.raises(KeyValueError, match="points = -1 is negative"):
        players.create(Player(player_id="eve", points=-1))
    assert [(each.player_id, each.points) for each in players.run(PlayersAbove(points=0))] == [
        ("ada", 2),
        ("bob", 10),
    ]


def test_a_negative_bound_is_rejected(players: Repository) -> None:
    with pytest.raises(KeyValueError, match="PlayersAbove: points = -1 is negative"):
        players.run(PlayersAbove(points=-1))
