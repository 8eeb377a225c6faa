"""Restores to points in time and from backups return exactly the items that the table had."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.features.backups import backups, change_journal, restores
from tests.engine.features.backups.recovery_points import Workload, differences


@pytest.mark.parametrize(
    ("points", "changes", "seed"),
    [(7, 12, 1), pytest.param(50, 60, 2, marks=pytest.mark.soak)],
    ids=["7 points", "50 points"],
)
def test_restores_return_the_items_of_their_time(
    tmp_path: Path, record_property: Callable[[str, object], None], points: int, changes: int, seed: int
) -> None:
    with Workload(tmp_path / "data.db", seed) as workload:
        workload.run(points, changes)
        record_property("restores", workload.restores)
        for name, count in Counter(workload.events).items():
            record_property(name, count)
        assert workload.problems == []
        # Each point, and each point's backup, and the backup of the deleted table.
        assert workload.restores == points * 2 + 1
        assert set(workload.events) >= {"reopen", "create index", "change TTL", "delete table"}
        sizes = {len(state) for _, state in workload.backups}
        assert len(sizes) > points // 3, "the points have different states"


Journal = Callable[..., None]


def without_deletes(journal: Journal) -> Journal:
    def record(tx: Any, change: Any, meter: Any) -> None:
        if change.new is not None:
            journal(tx, change, meter)

    return record


def only_inserts(journal: Journal) -> Journal:
    def record(tx: Any, change: Any, meter: Any) -> None:
        if change.old is None:
            journal(tx, change, meter)

    return record


@pytest.mark.parametrize("planted", [without_deletes, only_inserts])
def test_a_journal_with_missing_entries_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted: Callable[[Journal], Journal]
) -> None:
    monkeypatch.setattr(change_journal, "journal_change", planted(change_journal.journal_change))
    with Workload(tmp_path / "data.db", 1) as workload:
        workload.run(4, 12)
        assert any(problem.startswith("point") for problem in workload.problems)


@pytest.mark.parametrize("milliseconds", [-3, 3])
def test_restores_to_another_time_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, milliseconds: int
) -> None:
    """Three milliseconds off is enough."""
    monkeypatch.setattr(
        restores,
        "number_after",
        lambda time: change_journal.number_after(time + milliseconds / 1000),
    )
    with Workload(tmp_path / "data.db", 3) as workload:
        for _ in range(10):
            workload.put()
            workload.remember()
        workload.put_batch()
        workload.restore_points()
        assert workload.problems


def test_a_backup_of_another_table_is_found(tmp_path: Path) -> None:
    with Workload(tmp_path / "data.db", 3) as workload:
        for _ in range(3):
            workload.put()
            workload.remember()
        (first, one), (second, two), _ = workload.backups
        workload.backups = [(second, one), (first, two)]
        workload.restore_backups()
        assert len(workload.problems) == 2


def test_a_lost_backup_of_a_deleted_table_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system backup without the items."""
    keep = backups.keep_deleted

    def keep_empty(tx: Any, table: Any) -> None:
        tx.rows.delete_range(table.space)
        keep(tx, table)

    monkeypatch.setattr(backups, "keep_deleted", keep_empty)
    with Workload(tmp_path / "data.db", 3) as workload:
        workload.put_batch()
        workload.remember()
        workload.delete_table()
        workload.restore_backups()
        assert workload.problems


def test_differences_are_named() -> None:
    one, other = {"note": {"S": "1"}}, {"note": {"S": "2"}}
    assert differences({("a", 1): one}, {("a", 1): one}) == []
    assert differences({("a", 1): one}, {}) == ["('a', 1) is missing"]
    assert differences({}, {("a", 1): one}) == ["('a', 1) should not exist"]
    assert differences({("a", 1): one}, {("a", 1): other}) == [f"('a', 1) is {other} instead of {one}"]
