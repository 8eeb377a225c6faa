"""Forked processes behave as those of `subprocess`: code, arguments, folder, environment, streams, status."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import forked_processes
from tests.forked_processes import ForkedProcess

SHOWN = """
import json, os, sys
print(json.dumps([sys.argv, os.getcwd(), os.environ.get("COLOR"), sys.path[:2], __name__]))
print("to standard error", file=sys.stderr)
"""


def both(command: list[str], **settings: Any) -> list[tuple[int, str, str]]:
    """The results of a forked process and of a process of its own."""
    forked = forked_processes.run([sys.executable, *command], **settings)
    own = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False, **settings)
    return [(done.returncode, done.stdout, done.stderr) for done in (forked, own)]


def test_a_program_sees_the_same(tmp_path: Path) -> None:
    environment = {"COLOR": "red", "PYTHONPATH": str(tmp_path / "more")}
    forked, own = both(["-c", SHOWN, "a", "b c"], cwd=tmp_path, env=environment)
    assert forked == own
    assert str(tmp_path) in own[1]


def test_a_module_sees_the_same(tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text("if True:" + SHOWN.replace("\n", "\n    "))
    forked, own = both(["-m", "shown", "a"], cwd=tmp_path)
    assert forked == own
    assert str(tmp_path) in own[1]


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("", 0),
        ("import sys; sys.exit(7)", 7),
        ("import sys; sys.exit('a reason')", 1),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    ],
)
def test_the_status_is_the_same(program: str, status: int) -> None:
    forked, own = both(["-c", program])
    assert forked == own
    assert own[0] == status


def test_an_exception_is_shown() -> None:
    done = forked_processes.run([sys.executable, "-c", "1 / 0"])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("ZeroDivisionError: division by zero\n")


def test_a_process_is_signalled_and_several_run_at_once() -> None:
    program = "import sys; print('ready', flush=True); sys.stdin.read()"
    first, second = (
        ForkedProcess(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    )
    for process in (first, second):
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        first.wait(timeout=0.01)
    first.terminate()
    assert first.wait(timeout=60) == -signal.SIGTERM
    assert second.communicate("")[0] == "", "its input has ended, though it was started while the other ran"
    assert (first.poll(), second.poll()) == (-signal.SIGTERM, 0)
    first.communicate()
