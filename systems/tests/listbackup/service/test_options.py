"""Options of jobs: what a type of job needs, and what it does not have."""

from datetime import timedelta
from typing import Any

import pytest
from tablewright_systems.listbackup.design.jobs import DateRange, JobType
from tablewright_systems.listbackup.service import sources
from tablewright_systems.listbackup.service.options import sources_of
from tablewright_systems.service import Conflict, Invalid, NotFound

from systems.tests.listbackup.backup_setup import BackupSetup


@pytest.mark.parametrize(
    ("job_type", "options", "message"),
    [
        (JobType.IMPORT, {}, "needs either the option backupId or uploadId"),
        (JobType.EXPORT, {"backupId": "b1"}, "either a sourceId or the option backupId"),
        (JobType.MIGRATION, {}, "needs the option targetSourceId"),
        (JobType.BACKUP, {"format": "csv"}, "does not have the options format"),
        (JobType.BACKUP, {"mode": "partial"}, "config.options.mode"),
        (JobType.SYNC, {"speed": 9}, "config.options.speed"),
    ],
)
def test_options_that_a_job_does_not_have_are_rejected(
    setup: BackupSetup, job_type: JobType, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(Invalid, match=message):
        setup.queue(job_type, setup.source(), options=options)


@pytest.mark.parametrize("job_type", [JobType.SYNC, JobType.IMPORT, JobType.MIGRATION])
def test_a_job_that_needs_a_source_is_rejected_without_one(setup: BackupSetup, job_type: JobType) -> None:
    with pytest.raises(Invalid, match="needs a sourceId"):
        setup.queue(job_type)


def test_an_incremental_backup_has_no_date_range(setup: BackupSetup) -> None:
    dates = DateRange(start=setup.db.now() - timedelta(days=1), end=setup.db.now())
    with pytest.raises(Invalid, match="has no dateRange"):
        setup.queue(JobType.BACKUP, setup.source(), date_range=dates, options={"mode": "incremental"})


def test_a_date_range_that_ends_before_its_start_is_rejected(setup: BackupSetup) -> None:
    start = setup.db.now()
    source = setup.source()
    for end in (start, start - timedelta(seconds=1)):
        with pytest.raises(Invalid, match="the end must be after the start") as raised:
            setup.queue(JobType.BACKUP, source, date_range=DateRange(start=start, end=end))
        assert raised.value.field == "config.dateRange.end"


FILTERS: list[tuple[dict[str, Any], str]] = [
    ({"": "x"}, "'' is not the name of a field"),
    ({"address..city": "Bern"}, "'address..city' is not the name of a field"),
    ({"country": []}, "'country' accepts no value"),
]


@pytest.mark.parametrize(("filters", "message"), FILTERS)
def test_filters_that_no_record_matches_are_rejected(
    setup: BackupSetup, filters: dict[str, Any], message: str
) -> None:
    source = setup.source()
    with pytest.raises(Invalid, match=message) as raised:
        setup.queue(JobType.BACKUP, source, filters=filters)
    assert raised.value.field == "config.filters"
    with pytest.raises(Invalid, match=message):
        sources.change_source(
            setup.db,
            setup.caller,
            setup.account_id,
            source.source_id,
            config=source.config.model_copy(update={"filters": filters}),
        )


def test_a_migration_needs_two_active_sources_of_the_account(setup: BackupSetup) -> None:
    one, other = setup.source("stripe"), setup.source("stripe")
    job = setup.queue(JobType.MIGRATION, one, options={"targetSourceId": other.source_id})
    assert sources_of(job) == [one.source_id, other.source_id]
    with pytest.raises(NotFound):
        setup.queue(JobType.MIGRATION, one, options={"targetSourceId": "none-such"})
    with pytest.raises(Invalid, match="another source"):
        setup.queue(JobType.MIGRATION, one, options={"targetSourceId": one.source_id})
    setup.fakes.stripe.api_keys.clear()
    setup.run(JobType.BACKUP, other)
    with pytest.raises(Conflict, match="is error"):
        setup.queue(JobType.MIGRATION, one, options={"targetSourceId": other.source_id})


def test_only_archives_of_the_account_and_of_the_right_kind_are_restored(setup: BackupSetup) -> None:
    source = setup.source()
    export = setup.archive(setup.run(JobType.EXPORT, source))
    for option in (
        {"backupId": export.archive_id},
        {"uploadId": export.archive_id},
        {"backupId": "none-such"},
    ):
        with pytest.raises(NotFound):
            setup.queue(JobType.IMPORT, source, options=option)
