"""Errors: one line for those that a user can correct, and a short report for a bug."""

import socket
import subprocess
from types import SimpleNamespace

import pytest

from tablewright.cli import main
from tablewright.cli.commands import tables
from tablewright.cli.crash_report import EXIT_CODE
from tests.cli.runner import COMMAND


@pytest.fixture
def bug(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug in `tablewright tables`."""

    def fail(options: SimpleNamespace) -> int:
        raise KeyError("type")

    monkeypatch.setattr(tables, "run", fail)
    monkeypatch.delenv("TABLEWRIGHT_DEBUG", raising=False)


@pytest.mark.usefixtures("bug")
def test_a_bug_is_reported_in_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "--on", "my app.db"]) == EXIT_CODE
    first, second = capsys.readouterr().err.splitlines()
    assert first == "tablewright: internal error: KeyError: 'type'"
    assert second.startswith("This is a bug (tests.cli.test_crash_report, line ")
    assert "Report it" in second
    assert second.endswith("run: tablewright tables --on 'my app.db' --debug")


@pytest.mark.usefixtures("bug")
@pytest.mark.parametrize("arguments", [["tables", "--debug"], ["--debug", "tables"]])
def test_debug_prints_the_traceback(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == EXIT_CODE
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.usefixtures("bug")
def test_the_environment_variable_prints_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TABLEWRIGHT_DEBUG", "1")
    assert main(["tables"]) == EXIT_CODE
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.usefixtures("bug")
def test_a_terminal_gets_a_traceback_of_rich(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["tables", "--debug"]) == EXIT_CODE
    error = capsys.readouterr().err
    assert "Traceback" in error
    assert "╭" in error


def test_an_expected_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "--on", "no.db"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_expected_error_has_a_traceback_with_debug(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "--on", "no.db", "--debug"]) == 2
    assert "UsageError" in capsys.readouterr().err


def test_an_unreachable_endpoint_is_an_expected_error(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as bound:  # to a port that refuses connections, as nothing listens
        bound.bind(("127.0.0.1", 0))
        assert main(["tables", "--on", f"http://127.0.0.1:{bound.getsockname()[1]}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_closed_pipe_is_not_an_error() -> None:
    command = [*COMMAND, "check", "--explain", "TW107"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141
