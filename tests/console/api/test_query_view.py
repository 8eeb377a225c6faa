"""The view query: the endpoints and their errors; details are tested beside their modules."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.console.sample_console import ConsoleClient, console_client


@pytest.fixture(scope="module")
def boards() -> Iterator[ConsoleClient]:
    with console_client("boards", samples=1, writable=False) as console:
        yield console


def test_the_view_describes_its_words_and_limits(boards: ConsoleClient) -> None:
    board = boards.get("/query")
    assert board["most_exported"] == 100_000
    assert [table["name"] for table in board["tables"]] == list(boards.opened.tables)


def test_a_template_is_run_unchanged(boards: ConsoleClient) -> None:
    table = next(iter(boards.opened.tables))
    request = boards.get("/query/template", operation="Scan", table=table)["request"]
    reply = boards.post("/query/run", {"operation": "Scan", "request": request})
    assert reply["rows"]
    assert boards.error("GET", "/query/template", operation="DeleteTable", table=table)[0] == 400
    assert boards.error("GET", "/query/template", operation="Scan", table="absent")[0] == 400


def test_a_write_needs_the_option(boards: ConsoleClient) -> None:
    table = next(iter(boards.opened.tables))
    body = {"operation": "PutItem", "request": {"TableName": table, "Item": {}}}
    assert boards.error("POST", "/query/run", body) == (
        403,
        "This console is read-only. Start it with --write to change data.",
    )


def test_an_unknown_member_is_an_error(boards: ConsoleClient) -> None:
    assert boards.error("POST", "/query/run", {"operation": "Scan", "request": {}, "x": 1})[0] == 422
    assert boards.error("POST", "/query/run", {"operation": "Scan", "request": []})[0] == 422
    assert (
        boards.error("POST", "/query/export", {"operation": "Scan", "request": {}, "format": "xls"})[0] == 422
    )


def test_an_export_takes_a_query(boards: ConsoleClient) -> None:
    table = next(iter(boards.opened.tables))
    body = {"operation": "GetItem", "request": {"TableName": table, "Key": {}}, "format": "csv"}
    assert "takes a Query" in boards.error("POST", "/query/export", body)[1]


def test_queries_are_saved_in_the_working_directory(
    boards: ConsoleClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    body = {"name": "All boards", "kind": "statement", "text": "SELECT * FROM Boards"}
    assert boards.post("/query/saved", body)["path"] == ".tablewright/queries/All boards.json"
    assert (tmp_path / ".tablewright" / "queries" / "All boards.json").exists()
    assert boards.error("POST", "/query/saved", body)[0] == 409
    assert [query["name"] for query in boards.get("/query/saved")["queries"]] == ["All boards"]
    assert boards.error("POST", "/query/saved", {**body, "name": "../x"})[0] == 400
    other = tmp_path / ".tablewright" / "queries" / "Others.json"
    other.write_text('{"design": "other", "kind": "statement", "text": "SELECT 1"}')
    replaced = {**body, "name": "Others", "replace": True}
    for path, given in (("/query/saved", replaced), ("/query/saved/delete", {"name": "Others"})):
        status, message = boards.error("POST", path, given)
        assert (status, "saved query of the design other" in message) == (409, True)
    assert "SELECT 1" in other.read_text()
    assert boards.post("/query/saved/delete", {"name": "All boards"}) == {"deleted": True}
    assert boards.get("/query/saved")["queries"] == []
