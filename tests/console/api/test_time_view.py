"""The API of time: what of the past is known, changes, items at two times."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import Clock
from tests.access.streams.goals import START, Step, goal, main, quiet, switch_stream
from tests.console.changes.test_item_versions import make_remote
from tests.console.goals_console import goals_console
from tests.console.sample_console import ConsoleClient

CHANGES = f"/time/{main.name}/changes"
ITEMS = f"/time/{main.name}/items"


@pytest.fixture
def console() -> Iterator[ConsoleClient]:
    with goals_console(recovery=True) as found:
        yield found


def clock_of(console: ConsoleClient) -> Clock:
    clock: Clock = console.opened.db.connection.clock  # type: ignore[attr-defined]
    return clock


def write(console: ConsoleClient, number: int, *, done: bool = False) -> None:
    """Write a step ten seconds later."""
    clock_of(console).advance(10)
    console.opened.db.put(Step(goal_id="g", step_id=str(number), done=done))


def described(console: ConsoleClient, name: str = main.name) -> dict[str, Any]:
    (found,) = (each for each in console.get("/time")["tables"] if each["name"] == name)
    table: dict[str, Any] = found
    return table


def test_a_table_with_recovery_has_every_version(console: ConsoleClient) -> None:
    found = described(console)
    assert (found["recovery"]["enabled"], found["recovery"]["first"], found["recovery"]["days"]) == (
        True,
        START,
        35,
    )
    assert found["versions"] == {
        "source": "journal",
        "first": START,
        "why": "Every change is kept by point-in-time recovery.",
    }
    assert console.get("/time")["now"] == START


def test_a_table_without_recovery_shows_the_line_and_the_command_that_enable_it() -> None:
    with goals_console() as console:
        found = described(console, quiet.name)
    assert found["recovery"]["enabled"] is False
    assert found["versions"]["source"] is None
    assert found["versions"]["why"] == "Point-in-time recovery is off, so earlier versions are not kept."
    assert found["remedy"]["design"] == 'Table("goals-quiet", ..., point_in_time_recovery=True)'
    assert found["remedy"]["command"].startswith("tablewright deploy tests.access.streams.goals:design")


def test_other_endpoints_say_what_they_have_not(console: ConsoleClient) -> None:
    make_remote(console.opened)
    stream = described(console)["versions"]
    assert stream["source"] == "stream"
    assert stream["why"] == (
        "Versions are those of the stream: the last 24 hours. Point-in-time recovery of this endpoint restores whole "
        "tables only."
    )
    switch_stream(console.opened.db, on=False)
    assert described(console)["versions"]["why"].startswith("This endpoint restores whole tables to a point")


def test_an_absent_table_is_shown_as_such(console: ConsoleClient) -> None:
    console.opened.db.connection.call("DeleteTable", {"TableName": quiet.name})
    found = described(console, quiet.name)
    assert (found["exists"], found["versions"]["why"]) == (False, "The table does not exist.")


def test_changes_of_a_table_a_partition_and_an_item(console: ConsoleClient) -> None:
    write(console, 1)
    write(console, 2)
    write(console, 1, done=True)
    table = console.get(CHANGES)
    assert [change["kind"] for change in table["changes"]] == ["modified", "inserted", "inserted"]
    assert (table["source"], table["complete"], table["since"]) == ("journal", True, START)
    partition = console.get(CHANGES, partition="GOAL#g")
    assert partition["changes"] == table["changes"]
    assert console.get(CHANGES, partition="GOAL#other")["changes"] == []
    newest, oldest = console.get(CHANGES, partition="GOAL#g", sort="STEP#1")["changes"]
    assert (newest["at"], newest["changed"], newest["entity"]) == (START + 30, ["done"], "Step")
    assert newest["key_parts"]["SK"][1] == {"text": "1", "field": "step_id"}
    assert (oldest["before"], oldest["after"]) == (None, newest["before"])


def test_changes_have_no_secrets(console: ConsoleClient) -> None:
    db = console.opened.db
    made = db.create(goal(note="secret words"))
    db.update(made, set={"note": "other words"})
    newest = console.get(CHANGES, partition="GOAL#g1", sort="GOAL")["changes"][0]
    assert newest["changed"] == ["note"]
    assert newest["before"]["note"] == newest["after"]["note"] == {"HIDDEN": True}


def test_pages_of_changes(console: ConsoleClient) -> None:
    for number in range(3):
        write(console, number)
    first = console.get(CHANGES, limit=2)
    assert (len(first["changes"]), first["complete"], first["since"]) == (2, False, START + 20)
    rest = console.get(CHANGES, limit=2, before=first["changes"][-1]["sequence"])
    assert (len(rest["changes"]), rest["complete"]) == (1, True)
    assert console.get(CHANGES, until=START + 10)["changes"] == rest["changes"]


def test_a_reply_has_about_a_megabyte(console: ConsoleClient) -> None:
    for number in range(4):
        item = {"PK": {"S": "big"}, "SK": {"S": str(number)}, "text": {"S": "x" * 390_000}}
        console.opened.db.connection.call("PutItem", {"TableName": main.name, "Item": item})
    first = console.get(CHANGES)
    assert (len(first["changes"]), first["complete"]) == (2, False)
    rest = console.get(CHANGES, before=first["changes"][-1]["sequence"])
    assert (len(rest["changes"]), rest["complete"]) == (2, True)


def test_a_partition_at_two_times(console: ConsoleClient) -> None:
    write(console, 1)  # at 10
    write(console, 2)  # at 20
    write(console, 1, done=True)  # at 30
    clock_of(console).advance(10)
    console.opened.db.delete(Step(goal_id="g", step_id="2"))  # at 40
    write(console, 3)  # at 50
    found = console.get(ITEMS, partition="GOAL#g", **{"from": START + 20, "to": START + 50})
    assert [(row["key"]["SK"]["S"], row["kind"]) for row in found["rows"]] == [
        ("STEP#1", "modified"),
        ("STEP#2", "removed"),
        ("STEP#3", "inserted"),
    ]
    assert (found["changed"], found["next"]) == (3, None)
    same = console.get(ITEMS, partition="GOAL#g", sort="STEP#1", **{"from": START + 30, "to": START + 50})
    assert [row["kind"] for row in same["rows"]] == ["same"]
    assert console.get(ITEMS, partition="GOAL#g", **{"from": START, "to": START + 5})["rows"] == []


def test_a_large_partition_has_pages(console: ConsoleClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewright.console.changes.item_versions.MOST_ITEMS", 2)
    for number in range(3):
        write(console, number)
    times = {"from": START, "to": START + 30}
    first = console.get(ITEMS, partition="GOAL#g", **times)
    assert (len(first["rows"]), first["next"]) == (2, "STEP#1")
    rest = console.get(ITEMS, partition="GOAL#g", start=first["next"], **times)
    assert [row["key"]["SK"]["S"] for row in rest["rows"]] == ["STEP#2"]


@pytest.mark.parametrize(
    ("path", "query", "message"),
    [
        (ITEMS, {"from": 1, "to": 2}, "the parameter partition is missing"),
        (ITEMS, {"partition": "p", "to": 2}, "the parameter from is missing"),
        (ITEMS, {"partition": "p", "from": "x", "to": 2}, "from is a time in seconds since 1970, got 'x'"),
        (ITEMS, {"partition": "p", "from": 1, "to": 2}, "the time 1.0 is not in the recovery window"),
        (CHANGES, {"sort": "s"}, "the parameter partition is missing"),
        (CHANGES, {"partition": ""}, "PK is a key, and a key cannot be empty"),
        (CHANGES, {"before": "x"}, "'x' is not a sequence number"),
        (CHANGES, {"limit": "many"}, "limit is a whole number from 1 to 1000, got 'many'"),
        ("/time/absent/changes", {}, "goals has no table absent"),
        (f"/time/{quiet.name}/changes", {}, "there are no earlier versions of the items of goals-quiet"),
    ],
)
def test_wrong_parameters_are_errors(
    console: ConsoleClient, path: str, query: dict[str, Any], message: str
) -> None:
    status, found = console.error("GET", path, **query)
    assert status == 400
    assert found.startswith(message)


def test_versions_from_the_stream(console: ConsoleClient) -> None:
    write(console, 1)
    write(console, 1, done=True)
    journal = console.get(CHANGES)["changes"]
    make_remote(console.opened)
    stream = console.get(CHANGES)
    assert stream["source"] == "stream"
    assert [(change["at"], change["changed"]) for change in stream["changes"]] == [
        (each["at"], each["changed"]) for each in journal
    ]
