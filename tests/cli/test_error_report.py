"""Errors: one line for those that a user can correct, and a short report for a bug."""

import socket
import subprocess
from types import SimpleNamespace

import pytest
from botocore.exceptions import ClientError

from tablewright.cli import main
from tablewright.cli.commands import tables
from tablewright.cli.error_report import EXIT_CODE, error_message
from tablewright.errors import ResourceNotFound, ServiceError, TablewrightError, UnknownOperation
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
    assert second.startswith("This is a bug (tests.cli.test_error_report, line ")
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


def lacking(text: str, operation: str) -> UnknownOperation:
    """The error of an endpoint, as a connection raises it."""
    try:
        reply = {"Error": {"Code": "UnknownOperationException", "Message": text}}
        raise UnknownOperation(text) from ClientError(reply, operation)
    except UnknownOperation as error:
        return error


@pytest.mark.parametrize("text", ["", "An unknown operation was requested."])
def test_an_operation_that_an_endpoint_lacks_is_named(text: str) -> None:
    assert error_message(lacking(text, "CreateBackup"), "http://127.0.0.1:8000") == (
        "http://127.0.0.1:8000 does not support CreateBackup; give another location"
    )
    assert error_message(UnknownOperation(text), None) == (
        "the endpoint does not support an operation of this command; give another location"
    )


@pytest.mark.parametrize(
    "error",
    [ResourceNotFound("gone"), UnknownOperation("ListExports is not implemented"), TablewrightError("x")],
)
def test_other_messages_stay(error: TablewrightError) -> None:
    assert error_message(error, "app.db") == str(error)


def test_a_web_page_is_no_message() -> None:
    page = ServiceError.of("500", "<!doctype html>\n<html lang=en>\n<title>500 Internal Server Error</title>")
    assert error_message(page, None) == "The endpoint replied with the error 500, and without a message."
