"""The API of streams: the tail with its filters and positions, shards, consumers; any endpoint has the same."""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from tablewright import Clock, Repository
from tablewright.console.api import streams_view
from tablewright.console.endpoints import ConsoleRequest
from tests.access.streams.goals import Goal, Recorder, Step, goal, main, quiet, switch_stream
from tests.console.goals_console import goals_console
from tests.console.sample_console import ConsoleClient

RECORDS = f"/streams/{main.name}/records"


@pytest.fixture
def console() -> Iterator[ConsoleClient]:
    with goals_console() as found:
        yield found


def clock(console: ConsoleClient) -> Clock:
    found: Clock = console.opened.db.connection.clock  # type: ignore[attr-defined]
    return found


def step(number: int, **more: Any) -> Step:
    return Step(goal_id="g1", step_id=str(number), **more)


def steps(found: dict[str, Any]) -> list[str]:
    """The numbers of the steps in some records."""
    return [(record["after"] or record["before"])["stepId"]["S"] for record in found["records"]]


def tail(console: ConsoleClient, **query: str) -> Iterator[Any]:
    """The source of server-sent events, without the web server."""
    return streams_view.tail(ConsoleRequest(console.opened, {"table": main.name}, query))


def test_tables_are_listed_with_their_streams(console: ConsoleClient) -> None:
    first, second, _ = console.get("/streams")["tables"]
    assert (first["name"], first["enabled"], first["view"]) == (main.name, True, "NEW_AND_OLD_IMAGES")
    assert (second["name"], second["view"]) == (quiet.name, "NEW_IMAGE")


def test_a_disabled_stream_shows_the_line_and_the_command_that_enable_it(console: ConsoleClient) -> None:
    switch_stream(console.opened.db, on=False)
    found = console.get("/streams")["tables"][0]
    assert (found["enabled"], found["view"], found["designed"]) == (False, None, "NEW_AND_OLD_IMAGES")
    assert found["remedy"]["design"] == 'Table("goals-main", ..., stream="NEW_AND_OLD_IMAGES")'
    assert found["remedy"]["command"].startswith("tablewright deploy tests.access.streams.goals:design")


def test_a_table_that_does_not_exist_is_shown_as_such(console: ConsoleClient) -> None:
    console.opened.db.connection.call("DeleteTable", {"TableName": quiet.name})
    assert console.get("/streams")["tables"][1]["exists"] is False
    assert console.get(f"/streams/{quiet.name}")["shards"] == []


def test_a_stream_has_its_shards(console: ConsoleClient) -> None:
    (shard,) = console.get(f"/streams/{main.name}")["shards"]
    assert shard["id"].startswith("shardId-")
    assert (shard["closed"], shard["parent"]) == (False, None)


def test_records_are_typed_changes_without_secrets(console: ConsoleClient) -> None:
    db = console.opened.db
    made = db.create(goal(note="secret words"))
    db.update(made, set={"title": "other", "note": "more secret words"})
    found = console.get(RECORDS, start="oldest", entity="Goal", dependents="false")
    inserted, modified = found["records"]
    assert (inserted["event"], inserted["before"]) == ("inserted", None)
    assert modified["key_parts"]["PK"] == [
        {"text": "GOAL#", "field": None},
        {"text": "g1", "field": "goal_id"},
    ]
    assert {"title", "note"} <= set(modified["changed"])
    assert modified["before"]["note"] == modified["after"]["note"] == {"HIDDEN": True}
    stored = db.connection.call("Scan", {"TableName": main.name})["Items"]
    secret = next(item["note"]["B"] for item in stored if "note" in item and "B" in item["note"])
    reply = console.http.get(console.prefix + RECORDS, params={"start": "oldest"}).content
    assert b"secret words" not in reply
    assert b64encode(secret) not in reply


def test_revealed_secrets_are_shown() -> None:
    with goals_console(reveal=True) as console:
        console.opened.db.create(goal(note="secret words"))
        (found,) = console.get(RECORDS, start="oldest", entity="Goal", dependents="false")["records"]
    assert found["after"]["note"] == {"S": "secret words"}


def test_filters(console: ConsoleClient) -> None:
    db = console.opened.db
    db.create(goal())
    one = db.create(step(1))
    db.update(one, set={"done": True})
    db.delete(one)

    def events(**query: str) -> list[str]:
        records = console.get(RECORDS, start="oldest", **query)["records"]
        return [f"{record['event']} {record['entity']} {record['role']}" for record in records]

    assert events(dependents="false") == [
        "inserted Goal entity",
        "inserted Step entity",
        "modified Step entity",
        "removed Step entity",
    ]
    assert sorted(events(entity="Goal")) == [
        "inserted Goal copy",
        "inserted Goal entity",
        "inserted Goal lock",
    ]
    assert events(entity="Step", events="modified,removed") == ["modified Step entity", "removed Step entity"]
    assert events(key="STEP#1", events="inserted") == ["inserted Step entity"]
    assert events(changed="done", events="modified") == ["modified Step entity"]
    assert events(changed="done", entity="Goal") == []


def test_an_expired_item_is_named_so(console: ConsoleClient) -> None:
    db = console.opened.db
    db.create(goal(expires_at=int(clock(console).now()) + 10))
    clock(console).advance(60)
    db.connection.sweep()  # type: ignore[attr-defined]
    records = console.get(RECORDS, start="oldest", entity="Goal", dependents="false")["records"]
    assert [record["event"] for record in records] == ["inserted", "expired"]


def test_pages_continue_behind_their_positions(console: ConsoleClient) -> None:
    for number in range(5):
        console.opened.db.create(step(number))
    first = console.get(RECORDS, start="oldest", limit=2)
    assert (steps(first), first["at_end"]) == (["0", "1"], False)
    after = orjson.dumps(first["positions"]).decode()
    second = console.get(RECORDS, start="oldest", after=after, since=first["since"], limit=3)
    assert steps(second) == ["2", "3", "4"]
    after = orjson.dumps(second["positions"]).decode()
    assert console.get(RECORDS, start="oldest", after=after, since=first["since"])["records"] == []


def test_the_positions_pass_records_that_the_filter_leaves_out(console: ConsoleClient) -> None:
    for number in range(3):
        console.opened.db.create(step(number))
    first = console.get(RECORDS, start="oldest", entity="Goal")
    assert (first["records"], first["read"]) == ([], 3)
    after = orjson.dumps(first["positions"]).decode()
    assert console.get(RECORDS, start="oldest", after=after, since=first["since"])["records"] == []


def test_the_tail_sends_records_as_they_arrive(console: ConsoleClient) -> None:
    db = console.opened.db
    db.create(step(1))
    source = tail(console)
    assert next(source) == {"type": "open", "since": clock(console).now(), "shards": 1}
    assert next(source) is None
    db.create(step(2))
    found = next(source)
    assert (found["type"], steps(found)) == ("records", ["2"])
    assert next(source) is None


def test_a_tail_that_was_interrupted_continues_without_loss(console: ConsoleClient) -> None:
    db = console.opened.db
    source = tail(console)
    opened = next(source)
    db.create(step(1))
    first = next(source)
    source.close()  # type: ignore[attr-defined]
    db.create(step(2))
    again = tail(console, after=orjson.dumps(first["positions"]).decode(), since=str(opened["since"]))
    assert next(again)["since"] == opened["since"]
    assert steps(next(again)) == ["2"]


def test_the_web_server_sends_the_tail_as_events(
    console: ConsoleClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    console.opened.db.create(step(1))
    source = streams_view._Reader.read

    def once(self: Any, limit: int) -> dict[str, Any]:
        monkeypatch.setattr(streams_view._Reader, "read", ends)
        return source(self, limit)

    def ends(self: Any, limit: int) -> dict[str, Any]:
        raise KeyError("the end of the test")

    monkeypatch.setattr(streams_view._Reader, "read", once)
    reply = console.http.get(f"{console.prefix}/streams/{main.name}/tail", params={"start": "oldest"})
    first, second, third = reply.text.strip().split("\n\n")
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert orjson.loads(first.removeprefix("data: "))["type"] == "open"
    assert steps(orjson.loads(second.removeprefix("data: "))) == ["1"]
    assert third.startswith("event: problem\ndata: ")


def test_a_tail_of_a_table_without_stream_says_what_to_do(console: ConsoleClient) -> None:
    switch_stream(console.opened.db, on=False)
    clock(console).advance(2 * 24 * 3600)
    status, message = console.error("GET", RECORDS)
    assert (status, message) == (
        400,
        "table goals-main has no stream; set stream='NEW_AND_OLD_IMAGES' in its design",
    )


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"start": "yesterday"}, "start is now or oldest, got 'yesterday'"),
        ({"after": "{"}, "after must be the positions of an earlier reply, as JSON"),
        ({"after": '{"a": 1}'}, "after must be the positions of an earlier reply, as JSON"),
        ({"since": "noon"}, "since is a time in seconds since 1970, got 'noon'"),
        ({"limit": "0"}, "limit is a whole number from 1 to 1000, got '0'"),
        ({"entity": "Gaol"}, "goals has no entity Gaol; it has: Goal, Step, Thing"),
    ],
)
def test_wrong_parameters_are_errors(console: ConsoleClient, query: dict[str, str], message: str) -> None:
    assert console.error("GET", RECORDS, **query) == (400, message)


def test_an_unknown_table_is_an_error(console: ConsoleClient) -> None:
    status, message = console.error("GET", "/streams/absent/records")
    assert (status, message) == (
        400,
        "goals has no table absent; it has: goals-main, goals-quiet, goals-keys",
    )


def test_consumers_have_their_lag(console: ConsoleClient) -> None:
    db: Repository = console.opened.db
    assert console.get("/consumers")["consumers"] == []
    db.create(step(1))
    db.streams.handle(Recorder(Goal).listener, consumer="mailer")
    db.create(step(2))
    clock(console).advance(30)
    (found,) = console.get("/consumers")["consumers"]
    assert (found["consumer"], found["table"], found["records"], found["seconds"]) == (
        "mailer",
        main.name,
        1,
        30.0,
    )


def test_a_read_only_console_shows_streams() -> None:
    with goals_console(writable=False) as console:
        console.opened.db.create(step(1))
        assert steps(console.get(RECORDS, start="oldest")) == ["1"]
