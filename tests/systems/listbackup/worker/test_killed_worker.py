"""A worker killed with SIGKILL at any point: the next worker finishes the job, and nothing is stored twice."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.systems.listbackup.worker.killed_worker import DATA_TYPES


def results_of_kills(folder: Path, step: int) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "tests.systems.listbackup.worker.killed_worker", str(folder), str(step)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def assert_nothing_lost_or_doubled(results: list[dict[str, Any]]) -> None:
    """The last result is that of a worker that was not killed; every other one must equal it."""
    *killed, undisturbed = results
    assert undisturbed["attempts"] == 1
    assert undisturbed["counts"] == DATA_TYPES
    assert undisturbed["listed"] == undisturbed["written"] == sum(DATA_TYPES.values())
    for result in killed:
        assert result["repeated"] <= 1, "only the write that was interrupted is repeated"
        assert {**result, "attempts": 1, "repeated": 0} == undisturbed
    assert (undisturbed["problems"], undisturbed["unlisted"], undisturbed["storage"]) == ([], 0, 0)


def test_a_killed_worker_loses_nothing_and_stores_nothing_twice(tmp_path: Path) -> None:
    results = results_of_kills(tmp_path, step=17)
    assert len(results) >= 5
    assert_nothing_lost_or_doubled(results)


@pytest.mark.soak
def test_a_worker_killed_at_every_point_loses_nothing(tmp_path: Path) -> None:
    results = results_of_kills(tmp_path, step=1)
    assert len(results) >= 50
    assert any(result["attempts"] == 2 for result in results)
    assert any(result["repeated"] == 1 for result in results)
    assert_nothing_lost_or_doubled(results)
