"""The systems' data is consistent: a check finds nothing, a migration and a backfill change nothing."""

import pytest

from tablewright import Repository, connect, migrations
from tablewright.access.calls.procedures import run_sync
from tablewright.lifecycle.deploy.deployment_steps import Backfill
from tablewright.lifecycle.deploy.key_backfill import fill_index
from tablewright.lifecycle.integrity.integrity_check import check
from tablewright_systems.registry import SYSTEMS, System


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: str(system.name))
def test_sample_data_is_consistent(system: System) -> None:
    with connect(system.design, environment=system.environment) as db:
        system.fill(db, 15)
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


def _everything(db: Repository) -> dict[str, list[str]]:
    names = [db.context.table_name(table) for table in db.design.tables]
    return {
        name: sorted(map(str, db.connection.call("Scan", {"TableName": name})["Items"])) for name in names
    }
