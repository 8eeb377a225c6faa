"""Runners: whether the process that holds a lease may still run."""

import subprocess
import sys

from tablewright.lifecycle.traversal.runners import may_run, runner_name


def test_this_process_runs() -> None:
    assert may_run(runner_name())
    assert runner_name() != runner_name()


def test_a_process_that_has_ended_does_not_run() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True
    )
    host = runner_name().partition("/")[0]
    assert not may_run(f"{host}/{ended.stdout.strip()}/x")
    assert not may_run("text")


def test_a_process_of_another_host_may_run() -> None:
    assert may_run("elsewhere/1/x")
