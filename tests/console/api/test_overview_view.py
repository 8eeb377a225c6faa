"""The overview: picture, counts, findings, index lag, samples and request rates."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tablewright import Faults
from tablewright.connections import Embedded
from tablewright.console.api.overview_view import index_lag
from tests.console.sample_console import ConsoleClient, console_client, open_system


def test_the_overview_has_a_picture_and_counts_of_every_table() -> None:
    with console_client("boards") as console:
        found = console.get("/overview")
        names = list(console.opened.tables)
        stored = console.opened.db.connection.call("DescribeTable", {"TableName": names[0]})["Table"]
    assert [each["table"] for each in found["picture"]] == names
    assert [each["table"] for each in found["counts"]] == names
    counts = found["counts"][0]
    assert (counts["items"], counts["bytes"]) == (stored["ItemCount"], stored["TableSizeBytes"])
    assert counts["items"] > 0
    assert "exact" in found["counted"]
    assert found["findings"]["warning"] == 1
    assert found["sample"] == {"automatic": True, "why": None}
    assert found["commands"]["deploy"].startswith(
        "tablewright deploy tablewright_systems.boards.design:design"
    )


def test_the_index_lag_is_that_of_the_embedded_database() -> None:
    with console_client("boards", samples=0) as console:
        assert console.get("/overview")["index_lag"] == {"available": True, "seconds": 0.0}
        connection = console.opened.db.connection
        assert isinstance(connection, Embedded)
        connection.faults = Faults(index_lag=2.5)
        assert console.get("/overview")["index_lag"]["seconds"] == 2.5


class _Remote:
    """An endpoint of another kind."""

    def __init__(self, connection: Any) -> None:
        self.call, self.close = connection.call, connection.close


def test_other_endpoints_do_not_tell_the_index_lag() -> None:
    opened = open_system("boards", samples=0)
    opened.db.connection = _Remote(opened.db.connection)
    try:
        assert index_lag(opened)["available"] is False
        found = ConsoleClient(replace(opened, location="aws:eu-north-1")).get("/overview")
        assert "six hours" in found["counted"]
        assert not found["is_embedded"]
        assert not found["sample"]["automatic"]
        assert "up to 1,000 items" in found["sample"]["why"]
    finally:
        opened.close()


def test_a_sample_counts_entities() -> None:
    with console_client("boards") as console:
        found = console.get("/overview/sample", table=next(iter(console.opened.tables)))
    assert found["complete"]
    assert {each["role"] for each in found["counts"]} == {"entity", "lock"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({}, "the parameter table is missing"), ({"table": "absent"}, "has no table absent")],
)
def test_a_sample_needs_a_table_of_the_design(parameters: dict[str, str], message: str) -> None:
    with console_client("boards", samples=0) as console:
        status, found = console.error("GET", "/overview/sample", **parameters)
    assert status == 400
    assert message in found


def test_a_table_that_does_not_exist_has_no_counts() -> None:
    with console_client("boards", samples=0) as console:
        name = next(iter(console.opened.tables))
        console.opened.db.connection.call("DeleteTable", {"TableName": name})
        found = console.get("/overview")["counts"][0]
        sample = console.get("/overview/sample", table=name)
    assert (found["exists"], found["items"]) == (False, None)
    assert (sample["examined"], sample["counts"]) == (0, [])


def test_request_rates_are_events() -> None:
    opened = open_system("boards", samples=0)
    opened.db.connection = _Remote(opened.db.connection)
    console = ConsoleClient(opened)
    try:
        reply = console.http.get(console.prefix + "/overview/requests")
        assert reply.headers["content-type"].startswith("text/event-stream")
        event = json.loads(reply.text.removeprefix("data: "))
        assert event["available"] is False
        assert "CloudWatch" in event["why"]
    finally:
        opened.close()
