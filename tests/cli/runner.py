"""Run commands as a user does: in a process of their own."""

import subprocess
import sys
from pathlib import Path

COMMAND = [sys.executable, "-m", "tablewright"]


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, cwd=cwd, timeout=60)


def error_line(*arguments: str, cwd: Path | None = None) -> str:
    """Run a command that must fail with exit code 2 and one line on standard error, and return the message."""
    result = run(*arguments, cwd=cwd)
    assert (result.returncode, result.stdout) == (2, ""), result
    (line,) = result.stderr.splitlines()
    return line.removeprefix("tablewright: ")
