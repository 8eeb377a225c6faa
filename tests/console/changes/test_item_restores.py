"""Restores through the API: planned first, written under a condition, and refused where they would do harm."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import Clock
from tests.access.streams.goals import START, Goal, GoalById, Step, goal, main, quiet
from tests.console.changes.test_item_versions import make_remote
from tests.console.goals_console import goals_console
from tests.console.sample_console import ConsoleClient

PLAN, RESTORE, TABLE = (
    f"/time/{main.name}/{each}" for each in ("restore-plan", "restore-item", "restore-table")
)
GOAL = {"partition": "GOAL#g1", "sort": "GOAL"}


@pytest.fixture
def console() -> Iterator[ConsoleClient]:
    with goals_console(recovery=True) as found:
        yield found


def clock_of(console: ConsoleClient) -> Clock:
    clock: Clock = console.opened.db.connection.clock  # type: ignore[attr-defined]
    return clock


def found_goal(console: ConsoleClient) -> Goal | None:
    return console.opened.db.run(GoalById(goal_id="g1"))


def titles(console: ConsoleClient) -> list[str]:
    """The texts of the sort keys, of entities, copies and locks."""
    items = console.opened.db.connection.call("Scan", {"TableName": main.name})["Items"]
    return sorted(f"{item['PK']['S']} {item['SK']['S']}" for item in items)


def make_and_change(console: ConsoleClient) -> Goal:
    """Create a goal at 10, change its title and note at 20."""
    clock_of(console).advance(10)
    made = console.opened.db.create(goal(note="first note"))
    clock_of(console).advance(10)
    return console.opened.db.update(made, set={"title": "new title", "note": "second note"})


def restore(console: ConsoleClient, **version: Any) -> Any:
    body = {**GOAL, **version}
    return console.post(RESTORE, {**body, "expected": console.post(PLAN, body)["expected"]})


def test_the_plan_shows_the_change_and_every_write(console: ConsoleClient) -> None:
    make_and_change(console)
    before = titles(console)
    plan = console.post(PLAN, {**GOAL, "at": START + 10})
    assert set(plan["change"]["changed"]) == {"title", "note"}
    assert plan["change"]["before"]["note"] == plan["change"]["after"]["note"] == {"HIDDEN": True}
    kinds = sorted((write["kind"], write["role"]) for write in plan["writes"])
    assert kinds == [("change", "item"), ("delete", "item"), ("write", "copy"), ("write", "lock")]
    assert titles(console) == before


def test_a_restored_entity_has_its_fields_copies_and_locks(console: ConsoleClient) -> None:
    make_and_change(console)
    done = restore(console, at=START + 10)
    assert len(done["writes"]) == 4
    assert (found := found_goal(console)) is not None
    assert (found.title, found.note) == ("title 1", "first note")
    assert any(title.startswith("_lock#GOAL#title#title 1") for title in titles(console))
    assert not any("new title" in title for title in titles(console))


def test_a_version_is_chosen_by_its_change(console: ConsoleClient) -> None:
    make_and_change(console)
    newest, oldest = console.get(f"/time/{main.name}/changes", **GOAL)["changes"]
    restore(console, sequence=newest["sequence"], side="before")
    assert (found := found_goal(console)) is not None
    assert found.title == "title 1"
    restore(console, sequence=newest["sequence"])
    assert (found := found_goal(console)) is not None
    assert found.title == "new title"
    restore(console, sequence=oldest["sequence"], side="before")
    assert (found_goal(console), titles(console)) == (None, [])


def test_a_deleted_entity_comes_back(console: ConsoleClient) -> None:
    made = make_and_change(console)
    before = titles(console)
    clock_of(console).advance(10)
    console.opened.db.delete(made)
    assert titles(console) == []
    restore(console, at=START + 20)
    assert titles(console) == before


def test_a_version_of_the_stream_is_restored_on_any_endpoint(console: ConsoleClient) -> None:
    make_and_change(console)
    make_remote(console.opened)
    restore(console, at=START + 10)
    assert (found := found_goal(console)) is not None
    assert found.title == "title 1"


def test_an_item_that_changed_since_the_plan_is_not_overwritten(console: ConsoleClient) -> None:
    made = make_and_change(console)
    body = {**GOAL, "at": START + 10}
    expected = console.post(PLAN, body)["expected"]
    console.opened.db.update(made, set={"title": "newest"})
    status, message = console.error("POST", RESTORE, {**body, "expected": expected})
    assert status == 409
    assert "was changed meanwhile, and nothing was written" in message
    assert (found := found_goal(console)) is not None
    assert found.title == "newest"


def test_an_item_of_no_entity_is_restored_alone(console: ConsoleClient) -> None:
    key = {"PK": {"S": "raw"}, "SK": {"S": "x"}}
    call = console.opened.db.connection.call
    for number in ("1", "2"):
        clock_of(console).advance(10)
        call("PutItem", {"TableName": main.name, "Item": {**key, "n": {"N": number}}})
    body = {"partition": "raw", "sort": "x", "at": START + 10}
    plan = console.post(PLAN, body)
    assert [write["kind"] for write in plan["writes"]] == ["write"]
    console.post(RESTORE, {**body, "expected": plan["expected"]})
    assert call("GetItem", {"TableName": main.name, "Key": key})["Item"]["n"] == {"N": "1"}


def test_a_copy_and_a_lock_are_not_restored_alone(console: ConsoleClient) -> None:
    make_and_change(console)
    copy = {"partition": "OWNER#ada", "sort": "GOAL#g1", "at": START + 10}
    status, message = console.error("POST", PLAN, copy)
    assert (status, message) == (400, "this item is a copy; restore its Goal, and the copy follows")


def test_a_unique_value_of_another_entity_is_an_error(console: ConsoleClient) -> None:
    make_and_change(console)
    console.opened.db.create(goal(2, title="title 1"))
    status, message = console.error("POST", PLAN, {**GOAL, "at": START + 10})
    assert status == 400
    assert "cannot be restored: Goal(goal_id='g1') cannot have title = 'title 1'" in message


def test_keys_are_not_restored(console: ConsoleClient) -> None:
    status, message = console.error(
        "POST", "/time/goals-keys/restore-plan", {"partition": "x", "sort": "y", "at": START}
    )
    assert status == 403
    assert "Encryption keys are not restored here" in message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({**GOAL}, "give the time of the version, at, or its change, sequence; not both"),
        ({**GOAL, "at": 1, "sequence": "1"}, "give the time of the version, at"),
        ({**GOAL, "at": 1}, "the time 1.0 is not in the recovery window"),
        ({**GOAL, "sequence": "77"}, "PK = 'GOAL#g1', SK = 'GOAL' has no change 77"),
        ({"partition": "GOAL#g1", "at": START}, "the sort key SK of the item is missing"),
    ],
)
def test_wrong_versions_are_errors(console: ConsoleClient, body: dict[str, Any], message: str) -> None:
    status, found = console.error("POST", PLAN, body)
    assert status == 400
    assert found.startswith(message)


def test_unknown_members_are_errors(console: ConsoleClient) -> None:
    status, message = console.error("POST", PLAN, {**GOAL, "time": START})
    assert (status, message) == (422, "time is not a known name")


def test_a_read_only_console_plans_and_does_not_restore() -> None:
    with goals_console(recovery=True, writable=False) as console:
        make_and_change(console)
        body = {**GOAL, "at": START + 10}
        plan = console.post(PLAN, body)
        status, message = console.error("POST", RESTORE, {**body, "expected": plan["expected"]})
        assert (status, "--write" in message) == (403, True)
        status, _ = console.error("POST", TABLE, {"into": "copy", "confirm": main.name})
        assert status == 403


def test_a_table_is_restored_to_a_new_table(console: ConsoleClient) -> None:
    clock_of(console).advance(10)
    console.opened.db.put(Step(goal_id="g", step_id="1"))
    clock_of(console).advance(10)
    console.opened.db.put(Step(goal_id="g", step_id="2"))
    body = {"at": START + 10, "into": "goals-before", "confirm": main.name}
    assert console.post(TABLE, body)["name"] == "goals-before"
    console.opened.db.connection._open().jobs.wait()  # type: ignore[attr-defined]
    found = console.get("/time/restored/goals-before")
    assert (found["status"], found["items"]) == ("ACTIVE", 1)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"into": "copy", "confirm": "goals"}, 400, "type the name of the table to restore it: goals-main"),
        ({"into": "copy"}, 422, "confirm is required"),
        ({"into": "x", "confirm": main.name}, 422, "into must have at least 3 characters"),
        ({"into": "a b c", "confirm": main.name}, 422, "into must match pattern"),
        ({"into": main.name, "confirm": main.name}, 400, "Table already exists: goals-main"),
        ({"into": "copy", "confirm": main.name, "at": START - 1}, 400, "RestoreDateTime"),
    ],
)
def test_a_wrong_restore_of_a_table_is_an_error(
    console: ConsoleClient, body: dict[str, Any], status: int, message: str
) -> None:
    found, text = console.error("POST", TABLE, body)
    assert (found, text[: len(message)]) == (status, message)


def test_a_table_without_recovery_is_not_restored(console: ConsoleClient) -> None:
    body = {"into": "copy", "confirm": quiet.name}
    status, message = console.error("POST", f"/time/{quiet.name}/restore-table", body)
    assert status == 400
    assert message.startswith("point-in-time recovery of goals-quiet is not enabled")
