"""Patterns that read by the key of a copy, where the key of the entity itself begins with a field."""

from typing import Any

import pytest
from pydantic import Field

from tablewright import Copy, Design, Entity, Get, Index, Keys, Query, Table, connect
from tablewright.errors import DesignError

main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class Task(Entity, table=main, type="TASK"):
    project_id: str
    task_id: str
    title: str
    member_ids: list[str] = Field(default=[])
    keys = Keys(primary=("{project_id}", "{task_id}"), GSI1=("{title}", "{task_id}"))
    assigned = Copy(
        each="member_ids",
        name="user_id",
        primary=("USER#{user_id}", "TASK#{task_id}"),
        GSI1=("MEMBER#{user_id}", "{task_id}"),
    )
    short = Copy(primary=("SHORT", "TASK#{task_id}"), fields=["title"])


class TasksOfProject(Query[Task]):
    project_id: str
    key = "PK = {project_id}"


class TasksOfUser(Query[Task]):
    user_id: str
    key = "PK = USER#{user_id}"


class TaskOfUser(Get[Task]):
    user_id: str
    task_id: str
    key = "PK = USER#{user_id} AND SK = TASK#{task_id}"


class TasksOfMember(Query[Task]):
    member: str
    key = "GSI1PK = MEMBER#{member}"


class ShortTasks(Query[Task]):
    key = "PK = SHORT"


@pytest.fixture
def db() -> Any:
    design = Design(
        "tasks",
        entities=[Task],
        patterns=[TasksOfProject, TasksOfUser, TaskOfUser, TasksOfMember, ShortTasks],
    )
    with connect(design) as db:
        db.create(Task(project_id="p1", task_id="t1", title="Paint", member_ids=["ada", "bob"]))
        yield db


def test_a_copy_is_found_by_its_primary_key(db: Any) -> None:
    (task,) = db.run(TasksOfUser(user_id="ada"))
    assert (task.project_id, task.task_id) == ("p1", "t1")
    assert db.run(TaskOfUser(user_id="bob", task_id="t1")) == task
    (task,) = db.run(TasksOfMember(member="ada"))
    assert task.title == "Paint"


def test_the_entity_is_found_by_its_own_key_without_its_copies(db: Any) -> None:
    (task,) = db.run(TasksOfProject(project_id="p1"))
    assert task.project_id == "p1"
    assert db.all(TasksOfProject(project_id="USER#ada")) == []


def test_a_copy_without_the_key_fields_has_them_from_its_owner(db: Any) -> None:
    (task,) = db.run(ShortTasks())
    assert (task.title, task.project_id, task.task_id) == ("Paint", "p1", "t1")
    assert task.is_partial


def test_a_bare_field_means_the_key_with_its_name() -> None:
    table = Table("plain", key=("PK", "SK"))

    class Share(Entity, table=table, type="SHARE"):
        folder: str
        reader: str
        keys = Keys(primary=("{folder}", "{reader}"))
        of_reader = Copy(primary=("{reader}", "{folder}"))

    class OfFolder(Query[Share]):
        folder: str
        key = "PK = {folder}"

    class OfReader(Query[Share]):
        reader: str
        key = "PK = {reader}"

    with connect(Design("shares", entities=[Share], patterns=[OfFolder, OfReader])) as db:
        db.create(Share(folder="f", reader="r"))
        assert [share.reader for share in db.run(OfFolder(folder="f"))] == ["r"]
        assert [share.folder for share in db.run(OfReader(reader="r"))] == ["f"]

    with pytest.raises(
        DesignError, match=r"own key .*\{folder\}.* copy of_reader, .*\{reader\}.*folder or reader"
    ):

        class OfAnybody(Query[Share]):
            who: str
            key = "PK = {who}"
