"""Migrations: status, dry run, run, rejects with reasons, retry, revert."""

import pytest

from tablewright.console.operations import migration_runs
from tablewright.console.shown_items import secret_attributes
from tablewright.console.tasks import TaskConflict, TaskReport
from tablewright.errors import UsageError
from tablewright.lifecycle.migrate.migration_run import OnProgress
from tablewright.lifecycle.traversal.checkpoint_records import Reject
from tests.console.club_design import open_club
from tests.console.operations.music_console import music
from tests.console.sample_console import open_system
from tests.lifecycle.albums import AlbumById, album


def statuses(found: dict[str, object]) -> list[str]:
    return [migration["status"] for migration in found["migrations"]]  # type: ignore[attr-defined]


def test_a_dry_run_writes_nothing_and_a_run_applies_all() -> None:
    with music() as opened:
        dry = opened.tasks.wait(
            migration_runs.start_run(opened, None, down=False, dry_run=True, confirm=None).id
        )
        before = statuses(migration_runs.describe_migrations(opened))
        run = opened.tasks.wait(
            migration_runs.start_run(opened, None, down=False, dry_run=False, confirm=None).id
        )
        after = statuses(migration_runs.describe_migrations(opened))
    assert before == ["pending", "pending"]
    assert after == ["applied", "applied"]
    assert [result["changed"] for result in dry.result["results"]] == [5, 0]
    assert [result["changed"] for result in run.result["results"]] == [5, 0]
    assert (dry.title, run.title) == ("Dry run: migrate", "Migrate")


def test_rejects_have_reasons_and_are_migrated_again() -> None:
    with music(albums=2) as opened:
        opened.db.put(album(9, price="free"))
        run = opened.tasks.wait(
            migration_runs.start_run(opened, None, down=False, dry_run=False, confirm=None).id
        )
        listed = migration_runs.list_rejects(opened, "1-prices")
        found = opened.db.run(AlbumById(album_id="009"))
        assert found is not None
        opened.db.put(album(9, price="9.00", version=found.version))
        retried = opened.tasks.wait(migration_runs.start_retry(opened, "1-prices").id)
        left = migration_runs.list_rejects(opened, "1-prices")
    assert "1-prices" in run.result["stopped"]
    (reject,) = listed["rejects"]
    assert reject["reason"] == "price: 'free' is no number"
    assert reject["key"]["PK"] == {"S": "ALBUM#009"}
    assert (retried.error, retried.result, left["total"]) == (None, {"left": 0, "rejects": []}, 0)


def test_a_reason_of_a_table_with_secrets_is_hidden_unless_revealed() -> None:
    opened, revealing = (open_system("listbackup", samples=0, reveal=reveal) for reveal in (False, True))
    table = next(name for name, table in opened.tables.items() if secret_attributes(opened, table))
    reject = Reject(table, {"PK": {"S": "x"}}, "value 'hunter2' is wrong")
    assert "hunter2" not in str(migration_runs.reject_data(opened, reject))
    assert "hunter2" in str(migration_runs.reject_data(revealing, reject))
    assert "hunter2" not in str(migration_runs.reject_data(opened, Reject("gone", {}, "hunter2")))
    opened.close()
    revealing.close()


def test_the_last_migration_is_reverted_with_its_name_typed() -> None:
    with music(albums=2) as opened:
        with pytest.raises(UsageError, match="nothing to revert"):
            migration_runs.start_run(opened, None, down=True, dry_run=False, confirm=None)
        opened.tasks.wait(
            migration_runs.start_run(opened, "1-prices", down=False, dry_run=False, confirm=None).id
        )
        with pytest.raises(UsageError, match="type its name 1-prices; nothing was changed"):
            migration_runs.start_run(opened, None, down=True, dry_run=False, confirm="music")
        ended = opened.tasks.wait(
            migration_runs.start_run(opened, None, down=True, dry_run=False, confirm="1-prices").id
        )
        after = statuses(migration_runs.describe_migrations(opened))
    assert ended.result["results"][0]["direction"] == "down"
    assert after == ["reverted", "pending"]


def test_a_cancelled_run_can_be_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    with music(albums=30) as opened:
        report = migration_runs._reporter

        def cancelling(given: TaskReport) -> OnProgress:
            opened.tasks.cancel("1")
            return report(given)

        monkeypatch.setattr(migration_runs, "_reporter", cancelling)
        cancelled = opened.tasks.wait(
            migration_runs.start_run(opened, None, down=False, dry_run=False, confirm=None).id
        )
        monkeypatch.setattr(migration_runs, "_reporter", report)
        between = statuses(migration_runs.describe_migrations(opened))
        opened.tasks.wait(migration_runs.start_run(opened, None, down=False, dry_run=False, confirm=None).id)
        after = statuses(migration_runs.describe_migrations(opened))
    assert cancelled.state == "cancelled"
    assert between[0] in ("interrupted", "under way")
    assert after == ["applied", "applied"]


def test_one_run_at_a_time() -> None:
    with music(albums=0) as opened:
        opened.tasks.start("purge", "Purge", lambda report: report.wait(30), table="music", exclusive=True)
        with pytest.raises(TaskConflict, match="table music is in use"):
            migration_runs.start_run(opened, None, down=False, dry_run=False, confirm=None)


def test_unknown_migrations_and_designs_without_migrations() -> None:
    with (
        music(albums=0) as opened,
        pytest.raises(UsageError, match="music has no migration 9-none; it has: 1-pri"),
    ):
        migration_runs.start_retry(opened, "9-none")
    opened = open_club()
    assert "has no migrations" in migration_runs.describe_migrations(opened)["why"]
    for dry_run in (True, False):
        with pytest.raises(UsageError, match="The design club has no migrations"):
            migration_runs.start_run(opened, None, down=False, dry_run=dry_run, confirm=None)
    opened.close()
