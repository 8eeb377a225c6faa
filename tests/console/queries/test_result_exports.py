"""Result exports: text that spreadsheets do not run, numbers with all digits, no secrets."""

import csv
import io
import json
from typing import Any

import pytest

from tablewright.console.queries.result_exports import OTHER, columns_of, export_text, hidden_names
from tests.console.queries.secret_design import main, secret_console, stored_secrets

ITEM: dict[str, Any] = {
    "id": {"S": "1"},
    "n": {"N": "-12345678901234567890.5"},
    "ok": {"BOOL": True},
    "none": {"NULL": True},
    "raw": {"B": b"\x00"},
    "tags": {"SS": ["a", "b"]},
    "numbers": {"NS": ["1", "2"]},
    "parts": {"BS": [b"\x00"]},
    "list": {"L": [{"S": "x"}, {"N": "1"}]},
    "map": {"M": {"k": {"S": "v"}, "secret": {"HIDDEN": True}}},
    "secret": {"HIDDEN": True},
}


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1"])
def test_text_that_a_spreadsheet_would_run_is_quoted(text: str) -> None:
    found = export_text([{"id": {"S": text}}], "csv", ["id"], header=False)
    ((cell, _),) = list(csv.reader(io.StringIO(found, newline="")))
    assert cell == f"'{text}"


def test_a_column_cannot_be_a_formula() -> None:
    assert export_text([], "csv", ["=x"], header=True).startswith("'=x,")


def test_csv_has_a_column_for_other_attributes() -> None:
    found = export_text([ITEM], "csv", ["id", "n", "ok", "none", "secret", "tags"], header=True)
    header, row = csv.reader(io.StringIO(found))
    assert header[-1] == OTHER
    assert row[:6] == ["1", "-12345678901234567890.5", "true", "", "(hidden)", '["a", "b"]']
    assert "raw" in json.loads(row[-1])


def test_json_lines_are_plain_json() -> None:
    (line,) = export_text([ITEM], "jsonl", [], header=True).splitlines()
    assert "-12345678901234567890.5" in line
    found = json.loads(line)
    assert found["map"] == {"k": "v"}
    assert "secret" not in found
    assert (found["raw"], found["list"], found["numbers"], found["parts"]) == (
        "AA==",
        ["x", 1],
        [1, 2],
        ["AA=="],
    )


def test_json_of_dynamodb_can_be_imported() -> None:
    (line,) = export_text([ITEM], "dynamodb", [], header=True).splitlines()
    item = json.loads(line)["Item"]
    assert item["n"] == ITEM["n"]
    assert item["raw"] == {"B": "AA=="}
    assert "HIDDEN" not in line


def test_hidden_attributes_are_named() -> None:
    assert hidden_names([ITEM, {"id": {"S": "2"}}]) == ["secret"]


def test_the_columns_of_a_table_begin_with_its_key() -> None:
    with secret_console(0) as console:
        columns = columns_of(console.opened, main)
    assert columns[:3] == ["PK", "SK", "type"]
    assert "email" in columns


def test_an_export_has_no_secrets_even_where_they_are_revealed() -> None:
    with secret_console(1, reveal=True) as console:
        query = {"operation": "Scan", "request": {"TableName": "app"}}
        assert "token-0" in str(console.post("/query/run", query)["rows"])
        reply = console.post("/query/export", {**query, "format": "jsonl"})
    assert "token-0" not in reply["text"]
    assert reply["hidden"] == ["digest", "token"]


@pytest.mark.parametrize("form", ["csv", "jsonl", "dynamodb"])
def test_an_export_is_read_page_by_page_and_has_no_secrets(form: str) -> None:
    with secret_console() as console:
        secrets = stored_secrets(console)
        text, start, items = "", None, 0
        while True:
            body = {
                "operation": "Scan",
                "request": {"TableName": "app", "Limit": 4},
                "start": start,
                "format": form,
            }
            reply = console.post("/query/export", body)
            text += reply["text"]
            items += reply["items"]
            start = reply["next"]
            assert set(reply["hidden"]) <= {"token", "digest"}
            if start is None:
                break
    assert items == 9
    assert len(text.splitlines()) == 9 + (form == "csv")
    assert not [secret for secret in secrets if secret in text]
