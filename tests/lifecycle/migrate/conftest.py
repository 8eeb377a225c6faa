"""Processes that plan a migration."""

import subprocess
from types import SimpleNamespace

import pytest

from tablewright.lifecycle.migrate import planning_pool
from tests.forked_processes import ForkedProcess


@pytest.fixture
def forked_planners(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork them, where a test does not end them: each would import the library first."""
    forking = SimpleNamespace(Popen=ForkedProcess, DEVNULL=subprocess.DEVNULL)
    monkeypatch.setattr(planning_pool, "subprocess", forking)
