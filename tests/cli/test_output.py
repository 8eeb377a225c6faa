"""Lines, tables and JSON: plain in a pipe, and at most as wide as a terminal."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from tablewright.cli.output import Cell, Column, bold, format_time, print_json, print_table, red

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
