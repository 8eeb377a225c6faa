"""Lines, tables and JSON: plain in a pipe, and at most as wide as a terminal."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from tablewright.cli.output import (
    LISTED,
    Cell,
    Column,
    bold,
    format_time,
    grouped_lines,
    print_json,
    print_table,
    red,
)

COLUMNS = (Column("NAME", is_cut=True), Column("COUNT", "right"), Column("RESULT"))
ROWS: list[tuple[Cell | str, ...]] = [
    ("x" * 200, "1", Cell("ok", "green")),
    ("[red]y[/red]", "1,000", "failed :smile:"),
]


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make standard output a terminal with 60 columns."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_a_table_in_a_pipe_is_plain_and_complete(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, ROWS)
    assert capsys.readouterr().out.splitlines() == [
        f"{'NAME':<200}  COUNT  RESULT",
        f"{'x' * 200}      1  ok",
        f"{'[red]y[/red]':<200}  1,000  failed :smile:",
    ]


def test_a_table_on_a_terminal_fits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_terminal(monkeypatch)
    print_table(COLUMNS, ROWS)
    printed = capsys.readouterr().out
    assert "\033[32mok" in printed
    lines = re.sub(r"\033\[[0-9;]*m", "", printed).splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= 60
    assert "…" in lines[1]


def test_colours_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    use_terminal(monkeypatch)
    assert (bold("a"), red("b")) == ("\033[1ma\033[0m", "\033[31mb\033[0m")
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert bold("a") == "a"


def test_no_colours_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert bold(red("a")) == "a"


def test_json_has_datetimes_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"at": [datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=1)))], "n": 1.5})
    assert capsys.readouterr().out == '{\n  "at": [\n    "2026-01-01T01:00:00+00:00"\n  ],\n  "n": 1.5\n}\n'


def test_times_of_replies() -> None:
    assert format_time(0) == "1970-01-01 00:00:00"
    assert format_time(datetime(2026, 1, 1, tzinfo=UTC)) == "2026-01-01 00:00:00"


def lines(*messages: str) -> list[str]:
    things = [(f"key {number}", message) for number, message in enumerate(messages)]
    return list(
        grouped_lines(things, lambda it: it[1], lambda it: it[0], lambda it: f"{it[0]}: {it[1]}", "item")
    )


def test_identical_messages_are_one_line_with_three_examples() -> None:
    assert lines(*["is odd"] * 8000) == ["8,000 items: is odd; for example key 0, key 1, key 2"]


def test_messages_that_differ_in_values_are_one_line() -> None:
    prices = [f"price: '{number} x' is not a number, in 1.{number}" for number in range(20)]
    assert lines(*prices) == ["20 items: price: ... is not a number, in ...; for example key 0, key 1, key 2"]


def test_few_messages_are_listed() -> None:
    assert lines(*["is odd"] * LISTED) == [f"key {number}: is odd" for number in range(LISTED)]


def test_the_largest_group_is_first_and_different_messages_stay_apart() -> None:
    assert lines("is odd", *["is even"] * 11) == [
        "11 items: is even; for example key 1, key 2, key 3",
        "key 0: is odd",
    ]
