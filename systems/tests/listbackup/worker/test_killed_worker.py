"""A worker killed with SIGKILL at any point: the next worker finishes the job, and nothing is stored twice."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from systems.tests.listbackup.worker.killed_worker import DATA_TYPES
from tests import forked_processes


def results_of_kills(folder: Path, step: int, *more: str) -> list[Any]:
    module = "systems.tests.listbackup.worker.killed_worker"
    command = [sys.executable, "-m", module, str(folder), str(step), *more]
    done = forked_processes.run(command)
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


def test_a_job_whose_workers_are_killed_many_times_loses_nothing(tmp_path: Path) -> None:
    """Its `maxRetries` is 3, but each worker gets further."""
    kills, result = results_of_kills(tmp_path, 7, "again")
    assert kills >= 20
    assert (result["status"], result["counts"], result["problems"]) == ("completed", DATA_TYPES, [])
    assert result["listed"] == result["written"] == sum(DATA_TYPES.values())
    assert all(len(ids) == len(set(ids)) == DATA_TYPES[name] for name, ids in result["records"].items())
    assert (result["unlisted"], result["storage"]) == (0, 0)
    assert result["repeated"] <= kills


@pytest.mark.soak
def test_a_worker_killed_at_every_point_loses_nothing(tmp_path: Path) -> None:
    results = results_of_kills(tmp_path, step=1)
    assert len(results) >= 50
    assert any(result["attempts"] == 2 for result in results)
    assert any(result["repeated"] == 1 for result in results)
    assert_nothing_lost_or_doubled(results)
