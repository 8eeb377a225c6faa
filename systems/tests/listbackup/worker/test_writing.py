"""Writing the records of an archive to a platform."""

from tablewright_systems.listbackup.design.jobs import JobStatus, JobType

from systems.tests.listbackup.backup_setup import BackupSetup


def test_all_rejected_records_are_counted_and_the_first_are_listed(setup: BackupSetup) -> None:
    source = setup.source("stripe", ("orders", "products"))
    backup = setup.archive(setup.run(JobType.BACKUP, source))
    orders, products = backup.counts["orders"], backup.counts["products"]
    assert orders > 100
    job = setup.run(JobType.IMPORT, source, options={"backupId": backup.archive_id})
    assert (job.status, job.progress.processed, job.progress.failed) == (
        JobStatus.COMPLETED,
        orders + products,
        orders,
    )
    assert job.checkpoint is not None
    assert (job.checkpoint.failed, len(job.checkpoint.failures)) == (orders, 100)
    assert job.result is not None
    assert (len(job.result.errors), job.result.summary["errorsOmitted"]) == (100, orders - 100)


def test_a_few_rejected_records_are_all_listed(setup: BackupSetup) -> None:
    source = setup.source("stripe", ("orders",))
    for order in sorted(setup.fakes.stripe.records["orders"])[3:]:
        setup.fakes.stripe.delete("orders", order)
    backup = setup.archive(setup.run(JobType.BACKUP, source))
    job = setup.run(JobType.IMPORT, source, options={"backupId": backup.archive_id})
    assert job.result is not None
    assert (job.progress.failed, len(job.result.errors)) == (3, 3)
    assert "errorsOmitted" not in job.result.summary
