"""Killed ahead of the Nth write, or half way through it: acknowledged commits are kept, and none is partial.

A second group of tests kills again while the file is recovered. The last tests plant bugs, which must be reported.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.sessions import EFFECTS, Writing, maintain_indexes
from tablewright.engine.storage import Transaction
from tablewright.engine.storage.group_commit import Writers
from tests.engine.crash.crash_script import CrashScript, copied, remove
from tests.engine.crash.file_calls import FileCall, watching
from tests.engine.crash.killed_process import Killed, kill_ahead_of

COMMITS = 40
T = TypeVar("T")


def count_calls(script: CrashScript, path: Path, *, start: int = 0, reads_too: bool = False) -> int:
    """The number of file calls of the whole script."""
    calls: list[FileCall] = []
    with watching(calls.append):
        script.run(path, lambda number: None, start)
    return sum(call.changes_file or reads_too for call in calls)


def points(total: int, wanted: int) -> list[int]:
    """Call numbers from 1 to `total`, evenly spread."""
    return sorted({1 + total * turn // wanted for turn in range(wanted)})


def kill_at_points(directory: Path, seed: int, kills: int) -> tuple[list[Killed], list[str]]:
    """Kill a script at so many of its writes; what is known about each process, and the problems of the files."""
    script = CrashScript(seed, COMMITS)
    total = count_calls(script, directory / f"whole-{seed}.db")
    killed, problems = [], []
    for number in points(total, kills):
        path = directory / f"kill-{number}.db"
        result = kill_ahead_of(script, path, number, seed=seed)
        problem = script.problem(path, result.acknowledged, result.acknowledged + 1)
        if problem is not None:
            problems.append(f"seed {seed}, killed at call {number} of {total}: {problem}")
        killed.append(result)
        remove(path)
    return killed, problems


@pytest.mark.parametrize(
    ("seeds", "kills"), [(1, 12), pytest.param(5, 200, marks=pytest.mark.soak)], ids=["12", "1000"]
)
def test_kills_at_the_nth_write_lose_nothing(tmp_path: Path, seeds: int, kills: int) -> None:
    for seed in range(seeds):
        killed, problems = kill_at_points(tmp_path, seed, kills)
        assert len(killed) == kills
        assert all(result.was_killed for result in killed)
        assert {0, COMMITS - 1} & {result.acknowledged for result in killed}, (
            "no kill at the start or the end"
        )
        assert not problems


@pytest.mark.parametrize(
    ("seeds", "kills"), [(1, 6), pytest.param(10, 20, marks=pytest.mark.soak)], ids=["6", "200"]
)
def test_kills_during_recovery_lose_nothing(tmp_path: Path, seeds: int, kills: int) -> None:
    """Kill a writer, then kill a second process at each part of its work: open, recover, write, close."""
    for seed in range(100, 100 + seeds):
        script = CrashScript(seed, COMMITS)
        crashed = tmp_path / f"crashed-{seed}.db"
        # Ahead of the close, which copies the log to the data file and deletes it.
        first = kill_ahead_of(script, crashed, count_calls(script, tmp_path / f"whole-{seed}.db") // 2)
        assert first.was_killed
        assert Path(f"{crashed}-wal").stat().st_size, "nothing to recover"
        resumed = resumed_at(script, crashed, tmp_path / "resumed.db", first.acknowledged)
        rest = CrashScript(seed, COMMITS)
        rest.commits = script.commits[: resumed + 2]  # open, recover, two commits, close
        total = count_calls(rest, copied(crashed, tmp_path / "counted.db"), start=resumed, reads_too=True)
        for number in points(total, kills):
            path = copied(crashed, tmp_path / f"again-{number}.db")
            second = kill_ahead_of(rest, path, number, start=resumed, reads_too=True)
            assert second.was_killed
            problem = script.problem(path, max(second.acknowledged, first.acknowledged), resumed + 2)
            assert problem is None, (
                f"seed {seed}, killed at call {number} of {total} of the recovery: {problem}"
            )
            remove(path)


def resumed_at(script: CrashScript, crashed: Path, copy: Path, acknowledged: int) -> int:
    """The number of commits that a crashed file has: the acknowledged ones, and perhaps the one in flight."""
    in_flight = script.problem(copied(crashed, copy), acknowledged + 1)
    remove(copy)
    return acknowledged if in_flight else acknowledged + 1


def test_a_reply_before_the_commit_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes: Counter[Writers] = Counter()
    run = Writers.run

    def reply_early(writers: Writers, work: Callable[[Transaction], T]) -> T:
        writes[writers] += 1
        # A store that is being opened writes too, and needs those commits.
        return run(writers, work) if writes[writers] <= 4 else writers.stage(work).tentative()

    monkeypatch.setattr(Writers, "run", reply_early)
    _, problems = kill_at_points(tmp_path, 0, 20)
    assert any("lost write" in problem for problem in problems)


def test_a_transaction_in_several_commits_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Writing.apply

    def apply_and_commit(tx: Writing, change: ItemChange, meter: CapacityMeter | None = None) -> None:
        whole(tx, change, meter)
        tx.rows.execute("COMMIT")
        tx.rows.execute("BEGIN IMMEDIATE")

    monkeypatch.setattr(Writing, "apply", apply_and_commit)
    _, problems = kill_at_points(tmp_path, 0, 15)
    assert any("torn transaction" in problem for problem in problems)


def test_an_index_without_its_writes_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = tuple(effect for effect in EFFECTS if effect is not maintain_indexes)
    monkeypatch.setattr("tablewright.engine.database.EFFECTS", without)
    _, problems = kill_at_points(tmp_path, 0, 5)
    assert any("differs from its table" in problem for problem in problems)
