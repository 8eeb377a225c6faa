"""The command `tablewright-systems`: its commands, help, errors and exit codes."""

import sys
from pathlib import Path

import pytest
from tablewright_systems import commands

from systems.tests.commands.runner import run, run_here


def test_help_lists_the_commands() -> None:
    result = run("--help")
    assert result.returncode == 0
    for command in commands.COMMANDS:
        assert f"{command.NAME} " in result.stdout
        assert command.SUMMARY.split(",")[0] in result.stdout
    assert run("--version").stdout.startswith("tablewright-systems 0.")


def test_without_a_command_help_is_an_error() -> None:
    result = run()
    assert (result.returncode, result.stdout) == (2, "")
    assert "usage: tablewright-systems" in result.stderr


def test_an_unknown_option_is_one_line() -> None:
    result = run("token", "boards", "--unknown")
    assert (result.returncode, len(result.stderr.splitlines())) == (2, 1)
    assert result.stderr.endswith("see: tablewright-systems --help\n")


@pytest.mark.parametrize("option", [[], ["--debug"]])
def test_a_bug_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: list[str]
) -> None:
    def fail(options: object) -> int:
        raise RuntimeError("broken")

    monkeypatch.setattr(commands.token, "run", fail)
    result = run_here("token", "boards", *option, cwd=tmp_path)
    assert result.returncode == commands.INTERNAL_ERROR
    assert "tablewright-systems: internal error: RuntimeError: broken" in result.stderr
    assert ("Traceback" in result.stderr) is bool(option)


def test_a_closed_pipe_and_a_stopped_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands.token, "run", stop)
    assert run_here("token", "boards", cwd=tmp_path).returncode == 130


def test_the_script_is_the_same_command() -> None:
    script = Path(sys.executable).with_name("tablewright-systems")
    if script.exists():
        assert "tablewright_systems.commands" in script.read_text()
