"""Run commands as a user does, in a process of their own; or in this process, where that shows as much."""

import io
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from tablewright_systems.commands import main

from tests import forked_processes

COMMAND = [sys.executable, "-m", "tablewright_systems"]


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return forked_processes.run([*COMMAND, *arguments], cwd=cwd, timeout=60)


def run_here(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, which is many times faster."""
    output, errors = io.StringIO(), io.StringIO()
    with chdir(cwd), redirect_stdout(output), redirect_stderr(errors):
        code = main(arguments)
    return subprocess.CompletedProcess(arguments, code, output.getvalue(), errors.getvalue())


def error_line(*arguments: str, cwd: Path | None = None) -> str:
    """Run a command that must fail with exit code 2 and one line on standard error, and return the message."""
    return _error_line(run(*arguments, cwd=cwd))


def error_line_here(*arguments: str, cwd: Path) -> str:
    """The same, with the command in this process."""
    return _error_line(run_here(*arguments, cwd=cwd))


def _error_line(result: subprocess.CompletedProcess[str]) -> str:
    assert (result.returncode, result.stdout) == (2, ""), result
    (line,) = result.stderr.splitlines()
    return line.removeprefix("tablewright-systems: ")
