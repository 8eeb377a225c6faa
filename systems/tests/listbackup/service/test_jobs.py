"""Jobs whose platforms or data types do not fit together are rejected when they are created."""

from typing import Any

import pytest
from tablewright_systems.listbackup.design.archives import FileFormat
from tablewright_systems.listbackup.design.jobs import JobsOfAccount, JobType
from tablewright_systems.listbackup.service import backups
from tablewright_systems.service import Invalid

from systems.tests.listbackup.backup_setup import BackupSetup

OTHER_PLATFORM = "this backup is from keap, but the source is stripe; restore it to a keap source"
PLATFORM_HAS = "it has contacts, orders, products"


def rejected(setup: BackupSetup, *args: Any, **more: Any) -> tuple[str, str | None]:
    """Return the message and the field of a job that is rejected; no job is stored."""
    before = setup.db.all(JobsOfAccount(account_id=setup.account_id))
    with pytest.raises(Invalid) as caught:
        setup.queue(*args, **more)
    assert setup.db.all(JobsOfAccount(account_id=setup.account_id)) == before
    return caught.value.message, caught.value.field


def test_a_backup_is_restored_to_a_source_of_its_platform_only(setup: BackupSetup) -> None:
    keap, other_keap, stripe = setup.source(), setup.source(), setup.source("stripe")
    options = {"backupId": setup.archive(setup.run(JobType.BACKUP, keap)).archive_id}
    assert rejected(setup, JobType.IMPORT, stripe, options=options) == (OTHER_PLATFORM, "sourceId")
    for source in (keap, other_keap):
        setup.queue(JobType.IMPORT, source, options=options)


def test_a_migration_needs_two_sources_of_one_platform(setup: BackupSetup) -> None:
    keap, other_keap, stripe = setup.source(), setup.source(), setup.source("stripe")
    assert rejected(setup, JobType.MIGRATION, keap, options={"targetSourceId": stripe.source_id}) == (
        OTHER_PLATFORM,
        "config.options.targetSourceId",
    )
    setup.queue(JobType.MIGRATION, keap, options={"targetSourceId": other_keap.source_id})


@pytest.mark.parametrize("job_type", [JobType.SYNC, JobType.BACKUP, JobType.EXPORT])
def test_a_data_type_that_the_platform_lacks_is_rejected(setup: BackupSetup, job_type: JobType) -> None:
    source = setup.source("stripe")
    assert rejected(setup, job_type, source, data_types=["orders", "bananas"]) == (
        f"stripe has no bananas; {PLATFORM_HAS}",
        "config.dataTypes",
    )
    setup.queue(job_type, source, data_types=["orders"])


def test_a_restore_of_a_data_type_that_the_backup_lacks_is_rejected(setup: BackupSetup) -> None:
    source = setup.source("stripe", ("contacts",))
    options = {"backupId": setup.archive(setup.run(JobType.BACKUP, source)).archive_id}
    for data_types, message in (
        (["bananas"], f"stripe has no bananas; {PLATFORM_HAS}"),
        (["orders"], "the backup has no orders; it has contacts"),
    ):
        result = rejected(setup, JobType.IMPORT, source, options=options, data_types=data_types)
        assert result == (message, "config.dataTypes")
    message, _ = rejected(setup, JobType.EXPORT, options=options, data_types=["orders"])
    assert message == "the backup has no orders; it has contacts"
    setup.queue(JobType.IMPORT, source, options=options, data_types=["contacts"])


def test_a_backup_of_all_sources_needs_a_data_type_of_some_platform(setup: BackupSetup) -> None:
    setup.source()
    message, field = rejected(setup, JobType.BACKUP, data_types=["bananas"])
    assert (message, field) == (
        "no platform has bananas; platforms have contacts, orders, products",
        "config.dataTypes",
    )
    setup.queue(JobType.BACKUP, data_types=["orders"])


def test_an_upload_of_an_unknown_data_type_is_not_imported(setup: BackupSetup) -> None:
    source = setup.source("stripe")
    made = {
        name: backups.upload(
            setup.db, setup.caller, setup.store, setup.account_id, name, '[{"id": "1"}]', FileFormat.JSON
        ).archive_id
        for name in ("bananas", "contacts")
    }
    assert rejected(setup, JobType.IMPORT, source, options={"uploadId": made["bananas"]}) == (
        f"stripe has no bananas; {PLATFORM_HAS}",
        "config.options.uploadId",
    )
    setup.queue(JobType.IMPORT, source, options={"uploadId": made["contacts"]})
