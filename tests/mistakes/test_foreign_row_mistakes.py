"""Rows that other programs wrote wrongly: read in every form we can recognise, compared, counted, and reported."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import Field

from tablewright import (
    Clock,
    Copy,
    Design,
    Entity,
    Get,
    Index,
    Keys,
    Query,
    Repository,
    Table,
    connect,
    fields,
)
from tablewright.lifecycle.integrity import fsck
from tests.mistakes.outcomes import REFUSED, fsck_kinds, outcome, stored, write_raw

club = Table("club", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")], ttl="expiresAt")
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
TEXT = "2026-05-01T12:00:00.000Z"


class Status(Enum):
    OPEN = "open"
    DONE = "done"


class Task(Entity, table=club, type="TASK"):
    task_id: str
    status: Status = Status.OPEN
    points: int = 0
    done: bool = False
    created_at: fields.Timestamp
    note: str | None = None
    tags: set[str] = Field(default_factory=set)
    expires_at: Annotated[int | None, fields.Ttl()] = None
    version: Annotated[int, fields.Version()] = 0
    keys = Keys(primary=("TASKS", "TASK#{task_id}"), GSI1=("STATUS#{status}", "{created_at}#{task_id}"))


class Member(Entity, table=club, type="MEMBER"):
    member_id: str
    email: Annotated[str, fields.Unique()]
    teams: list[str] = Field(default_factory=list)
    keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"))
    seats = Copy(each="teams", name="team", primary=("TEAM#{team}", "MEMBER#{member_id}"))


class TaskById(Get[Task]):
    task_id: str


class Tasks(Query[Task]):
    key = "PK = TASKS"


class TasksByStatus(Query[Task]):
    status: Status
    key = "GSI1PK = STATUS#{status}"


class TasksSince(Query[Task]):
    since: datetime
    key = "PK = TASKS"
    filter = "created_at >= {since}"


class TasksOfPoints(Query[Task]):
    least: int
    key = "PK = TASKS"
    filter = "points >= {least}"


class TasksNotDone(Query[Task]):
    key = "PK = TASKS"
    filter = "status = 'open' AND done = false"


class MemberById(Get[Member]):
    member_id: str


class TeamMembers(Query[Member]):
    team: str
    key = "PK = TEAM#{team}"


PATTERNS = [TaskById, Tasks, TasksByStatus, TasksSince, TasksOfPoints, TasksNotDone, MemberById, TeamMembers]


@pytest.fixture
def db() -> Iterator[Repository]:
    design = Design("club", entities=[Task, Member], patterns=PATTERNS)
    with connect(design, clock=Clock(start=NOON)) as db:
        yield db


def foreign(db: Repository, task_id: str = "1", **attributes: dict[str, Any] | None) -> None:
    """Write a task as another program does, with other attributes; None leaves one out."""
    item: dict[str, Any] = {
        "PK": {"S": "TASKS"},
        "SK": {"S": f"TASK#{task_id}"},
        "GSI1PK": {"S": "STATUS#open"},
        "GSI1SK": {"S": f"{TEXT}#{task_id}"},
        "type": {"S": "TASK"},
        "taskId": {"S": task_id},
        "status": {"S": "open"},
        "points": {"N": "5"},
        "done": {"BOOL": False},
        "createdAt": {"S": TEXT},
        "version": {"N": "1"},
    }
    item |= attributes
    write_raw(db, "club", {name: value for name, value in item.items() if value is not None})


def reads_of(db: Repository, pattern: Query[Task]) -> tuple[int, int]:
    """How many rows a page returns, and how many it names as unknown."""
    page = db.run(pattern)
    return len(page), len(page.unknown)


def repaired(db: Repository) -> bool:
    """Whether an integrity check reports something, and repairs all of it."""
    return bool(fsck_kinds(db)) and not fsck.check(db, repair=True).findings


@pytest.mark.parametrize(
    "form", ["2026-05-01T12:00:00Z", "2026-05-01T12:00:00+00:00", "2026-05-01T12:00:00.000000Z"]
)
def test_a_time_in_another_form_equals_itself(db: Repository, form: str) -> None:
    foreign(db, createdAt={"S": form})
    task = db.get_or_raise(TaskById(task_id="1"))
    assert db.update(task, set={"note": "met"}, when=Task.created_at == task.created_at).note == "met"


def test_a_time_in_another_form_is_not_unequal_to_itself(db: Repository) -> None:
    foreign(db, createdAt={"S": "2026-05-01T14:00:00+02:00"})
    task = db.get_or_raise(TaskById(task_id="1"))
    assert (
        outcome(lambda: db.update(task, set={"note": "?"}, when=Task.created_at != task.created_at))
        == REFUSED
    )


def test_a_time_of_another_zone_is_reported_and_repaired_for_ranges(db: Repository) -> None:
    foreign(db, createdAt={"S": "2026-05-01T08:00:00-04:00"})
    assert repaired(db)
    assert [task.task_id for task in db.run(TasksSince(since=NOON))] == ["1"]


def test_a_time_in_seconds_is_found_by_its_condition(db: Repository) -> None:
    foreign(db, createdAt={"N": str(int(NOON.timestamp()))})
    task = db.get_or_raise(TaskById(task_id="1"))
    assert db.update(task, set={"note": "met"}, when=Task.created_at == NOON).note == "met"
    assert stored(db, "club", PK="TASKS", SK="TASK#1")["createdAt"]


def test_a_number_as_text_is_reported_and_repaired_for_filters(db: Repository) -> None:
    foreign(db, points={"S": "5"})
    assert repaired(db)
    assert [task.points for task in db.run(TasksOfPoints(least=3))] == [5]


def test_a_number_as_text_that_is_added_to(db: Repository) -> None:
    foreign(db, points={"S": "5"})
    task = TaskById(task_id="1")
    assert outcome(lambda: db.add(task, points=1).points, "Task", "points", "text") in (REFUSED, 6)


def test_an_enum_of_another_case_is_reported(db: Repository) -> None:
    foreign(db, status={"S": "OPEN"})
    page = db.run(Tasks())
    assert [task.status for task in page] == [Status.OPEN] or len(page.unknown) == 1
    assert fsck_kinds(db)


def test_a_truth_as_a_number_is_reported_and_repaired_for_filters(db: Repository) -> None:
    foreign(db, done={"N": "0"})
    assert repaired(db)
    assert [task.done for task in db.run(TasksNotDone())] == [False]


def test_a_set_as_a_list_that_is_added_to(db: Repository) -> None:
    foreign(db, tags={"L": [{"S": "red"}]})
    task = TaskById(task_id="1")
    assert db.get_or_raise(task).tags == {"red"}
    assert outcome(lambda: db.add(task, tags={"new"}).tags, "Task", "tags", "list") in (
        REFUSED,
        {"red", "new"},
    )


def test_a_version_as_text(db: Repository) -> None:
    foreign(db, version={"S": "3"})
    task = db.get_or_raise(TaskById(task_id="1"))
    assert outcome(lambda: db.put(task.changed(note="x")).version, "Task", "version") in (REFUSED, 4)


def test_a_row_without_a_required_attribute_does_not_break_its_page(db: Repository) -> None:
    foreign(db, "1", createdAt=None, GSI1SK=None, GSI1PK=None)
    foreign(db, "2", createdAt={"NULL": True}, GSI1SK=None, GSI1PK=None)
    foreign(db, "3")
    assert reads_of(db, Tasks()) == (1, 2)
    assert outcome(lambda: db.run(TaskById(task_id="1")), "TASK#1", "createdAt") == REFUSED
    assert fsck_kinds(db).count("unknown item") + fsck_kinds(db).count("incomplete item") == 2
    assert db.delete(TaskById(task_id="1"))
    assert db.delete(TaskById(task_id="2"))


def test_an_optional_attribute_that_is_null_is_absent(db: Repository) -> None:
    foreign(db, note={"NULL": True}, legacy={"S": "kept"})
    task = db.get_or_raise(TaskById(task_id="1"))
    assert task.note is None
    assert db.update(task, set={"points": 6}, when=fields.of(Task.note).is_absent()).points == 6
    db.put(db.get_or_raise(TaskById(task_id="1")).changed(note="x"))
    assert stored(db, "club", PK="TASKS", SK="TASK#1")["legacy"] == {"S": "kept"}


def test_a_stale_index_key_is_reported_and_leaves_with_the_next_write(db: Repository) -> None:
    foreign(db, status={"S": "done"})
    assert fsck_kinds(db) == ["stale index keys"]
    db.put(db.get_or_raise(TaskById(task_id="1")).changed(points=7))
    assert fsck_kinds(db) == []
    assert not db.run(TasksByStatus(status=Status.OPEN))


def test_an_index_key_that_the_class_does_not_declare(db: Repository) -> None:
    db.create(Member(member_id="1", email="a@b.c"))
    member = stored(db, "club", PK="MEMBER#1", SK="MEMBER")
    write_raw(db, "club", {**member, "GSI1PK": {"S": "STATUS#open"}, "GSI1SK": {"S": f"{TEXT}#1"}})
    assert fsck_kinds(db) == ["stale index keys"]
    db.put(db.get_or_raise(MemberById(member_id="1")).changed(teams=["red"]))
    assert not db.run(TasksByStatus(status=Status.OPEN)).unknown


def test_an_expiry_in_milliseconds_is_reported_and_repaired(db: Repository) -> None:
    foreign(db, expiresAt={"N": str(int((NOON - timedelta(days=1)).timestamp()) * 1000)})
    assert len(db.run(Tasks())) == 1
    assert fsck_kinds(db) == ["ignored expiry"]
    assert repaired(db)
    assert not db.run(Tasks())


def test_a_duplicate_of_a_unique_value_keeps_the_lock_of_its_owner(db: Repository) -> None:
    db.create(Member(member_id="1", email="a@b.c"))
    key = {"PK": {"S": "MEMBER#2"}, "SK": {"S": "MEMBER"}}
    write_raw(db, "club", {**key, "type": {"S": "MEMBER"}, "memberId": {"S": "2"}, "email": {"S": "a@b.c"}})
    assert fsck_kinds(db) == ["duplicate unique value"]
    db.update(MemberById(member_id="2"), set={"teams": ["red"]})
    assert db.delete(MemberById(member_id="2"))
    assert outcome(lambda: db.create(Member(member_id="3", email="a@b.c")), "email") == REFUSED
    assert fsck_kinds(db) == []


def test_a_copy_that_another_program_changed_or_deleted(db: Repository) -> None:
    db.create(Member(member_id="1", email="a@b.c", teams=["red", "blue"]))
    key = {"PK": {"S": "TEAM#red"}, "SK": {"S": "MEMBER#1"}}
    write_raw(db, "club", {**stored(db, "club", PK="TEAM#red", SK="MEMBER#1"), "email": {"S": "old@b.c"}})
    assert fsck_kinds(db) == ["copy out of date"]
    db.connection.call("DeleteItem", {"TableName": "club", "Key": key})
    assert fsck_kinds(db) == ["missing copy"]
    db.put(db.get_or_raise(MemberById(member_id="1")).changed(teams=["red", "blue", "green"]))
    assert [member.email for member in db.run(TeamMembers(team="red"))] == ["a@b.c"]
    assert fsck_kinds(db) == []


def test_the_copies_of_a_member_that_another_program_deleted(db: Repository) -> None:
    db.create(Member(member_id="1", email="a@b.c", teams=["red"]))
    key = {"PK": {"S": "MEMBER#1"}, "SK": {"S": "MEMBER"}}
    db.connection.call("DeleteItem", {"TableName": "club", "Key": key})
    assert fsck_kinds(db) == ["orphan copy", "orphan lock"]
    again = outcome(lambda: db.create(Member(member_id="2", email="a@b.c")).member_id, "Member", "email")
    assert again in (REFUSED, "2")
