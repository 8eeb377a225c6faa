"""Backups and recovery of the tables of a design."""

from datetime import UTC, datetime

import pytest

from tablewright.console.operations import table_backups
from tablewright.console.operations.table_backups import Description, wait_for
from tablewright.console.tasks import TaskReport, Tasks
from tablewright.errors import UsageError
from tests.console.operations.music_console import NOW, music


def test_a_backup_is_created_listed_restored_and_deleted() -> None:
    with music() as opened:
        made = opened.tasks.wait(table_backups.create_backup(opened, "music", "before").id)
        (listed,) = table_backups.list_backups(opened)
        restored = opened.tasks.wait(table_backups.restore_backup(opened, listed["arn"], "music-before").id)
        with pytest.raises(UsageError, match="type its name before; nothing was deleted"):
            table_backups.delete_backup(opened, listed["arn"], "music")
        assert len(table_backups.list_backups(opened)) == 1
        table_backups.delete_backup(opened, listed["arn"], "before")
        assert table_backups.list_backups(opened) == []
        count = opened.db.connection.call("Scan", {"TableName": "music-before", "Select": "COUNT"})["Count"]
    assert (made.state, made.result["name"]) == ("done", "before")
    assert (listed["name"], listed["table"], listed["created_at"]) == ("before", "music", NOW)
    assert (restored.result["table"], restored.result["items"], count) == ("music-before", 15, 15)


def test_a_restore_never_replaces_a_table() -> None:
    with music(albums=1) as opened:
        opened.tasks.wait(table_backups.create_backup(opened, "music", None).id)
        (listed,) = table_backups.list_backups(opened)
        with pytest.raises(UsageError, match="table music exists; a backup is restored to a new table"):
            table_backups.restore_backup(opened, listed["arn"], "music")
    assert listed["name"].startswith("music-")


def test_backups_of_other_tables_are_unknown() -> None:
    with music(albums=0) as opened:
        table = {"TableName": "other", "BillingMode": "PAY_PER_REQUEST"}
        table |= {"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}  # type: ignore[dict-item]
        table |= {"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]}  # type: ignore[dict-item]
        opened.db.connection.call("CreateTable", table)
        made = opened.db.connection.call("CreateBackup", {"TableName": "other", "BackupName": "theirs"})
        assert table_backups.list_backups(opened) == []
        with pytest.raises(UsageError, match="there is no backup"):
            table_backups.delete_backup(opened, made["BackupDetails"]["BackupArn"], "theirs")
        with pytest.raises(UsageError, match="music has no table other"):
            table_backups.create_backup(opened, "other", None)


def test_recovery_is_turned_on_and_only_off_with_the_name_typed() -> None:
    with music(albums=1) as opened:
        assert not table_backups.recovery_state(opened, "music")["enabled"]
        assert table_backups.set_recovery(opened, "music", enabled=True, confirm=None)["earliest"] == NOW
        with pytest.raises(UsageError, match="type the name music to confirm"):
            table_backups.set_recovery(opened, "music", enabled=False, confirm=None)
        assert table_backups.recovery_state(opened, "music")["enabled"]
        assert not table_backups.set_recovery(opened, "music", enabled=False, confirm="music")["enabled"]


def test_times_of_boto3_are_accepted() -> None:
    assert table_backups.seconds(datetime.fromtimestamp(NOW, UTC)) == NOW


def test_a_job_is_polled_until_its_end() -> None:
    listed: list[Description] = [
        {"status": "RUNNING", "items": 1},
        {"status": "RUNNING", "items": 2},
        {"status": "DONE"},
    ]
    replies = iter(listed)
    texts = []

    def run(report: TaskReport) -> Description:
        def describe(found: Description) -> str:
            texts.append(found["items"])
            return f"{found['items']} items"

        return wait_for(lambda: next(replies), lambda found: found["status"] == "RUNNING", report, describe)

    tasks = Tasks()
    ended = tasks.wait(tasks.start("job", "Job", run).id)
    tasks.close()
    assert (ended.state, ended.result, ended.text, texts) == ("done", {"status": "DONE"}, "2 items", [1, 2])


def test_a_cancelled_task_stops_waiting() -> None:
    def run(report: TaskReport) -> Description:
        return wait_for(dict, lambda found: True, report, lambda found: "running")

    tasks = Tasks()
    task = tasks.start("job", "Job", run)
    tasks.cancel(task.id)
    assert tasks.wait(task.id).state == "cancelled"
    tasks.close()
