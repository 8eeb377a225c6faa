"""The systems' data is consistent, also after their background jobs; a migration and a backfill change nothing."""

from datetime import UTC, datetime, timedelta

import pytest
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.service import JobRunner

from tablewright import Clock, Repository, connect, migrations
from tablewright.access.procedures import run_sync
from tablewright.lifecycle.deploy.deployment import fill_index
from tablewright.lifecycle.deploy.deployment_steps import Backfill
from tablewright.lifecycle.integrity.fsck import check


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: str(system.name))
def test_sample_data_is_consistent(system: System) -> None:
    # The clock stands still: an item that expires between two scans would be a difference.
    clock = Clock(start=datetime(2026, 3, 1, tzinfo=UTC))
    with connect(system.design, environment=system.environment, clock=clock) as db:
        system.fill(db, 5)
        report = check(db)
        assert [str(finding) for finding in report.findings] == []
        assert report.notes == {}
        assert report.seen > 30
        before = _everything(db)
        for table in db.design.tables:
            for index in table.indexes:
                if db.design.entities_of(table):
                    step = Backfill(db.context.table_name(table), index.name)
                    run_sync(fill_index(db.design, db.context, step), db.connection.call)
        assert _everything(db) == before
        if system.name != "student_hub":  # whose students still type their budgets
            assert all(result.tally.changed == 0 for result in migrations.migrate(db))


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: str(system.name))
def test_data_is_consistent_after_ten_days_of_jobs(system: System) -> None:
    """Workers are left out: they read platforms, and have tests of their own."""
    jobs = [job for job in system.jobs if job.exclusive]
    clock = Clock(start=datetime(2026, 3, 1, tzinfo=UTC))
    with connect(system.design, environment=system.environment, clock=clock) as db:
        system.fill(db, 4)
        runner = JobRunner(db.connection, {system.name: (db, jobs)}, clock=clock)
        for _ in range(2):
            assert len(runner.run_due()) == len(jobs)
            clock.advance(timedelta(days=10))
        assert {job.name: job.last_error for job in runner.jobs if job.last_error} == {}
        assert [str(finding) for finding in check(db).findings] == []


def _everything(db: Repository) -> dict[str, list[str]]:
    names = [db.context.table_name(table) for table in db.design.tables]
    return {
        name: sorted(map(str, db.connection.call("Scan", {"TableName": name})["Items"])) for name in names
    }
