"""Exports and imports: to folders beside the data file, and never outside of them."""

from pathlib import Path

import pytest

from tablewright.console.operations import bucket_transfers
from tablewright.errors import UsageError
from tests.console.operations.music_console import music


def test_a_table_is_exported_and_imported_again(tmp_path: Path) -> None:
    with music(albums=3, path=tmp_path / "music.db") as opened:
        started = bucket_transfers.start_export(
            opened, "music", "archive", None, "json", enable_recovery=True
        )
        exported = opened.tasks.wait(started.id)
        (listed,) = bucket_transfers.list_exports(opened)
        data = str(exported.result["manifest"]).rpartition("/")[0] + "/data/"
        started = bucket_transfers.start_import(opened, "archive", data, "json", "gzip", "copy", "music")
        imported = opened.tasks.wait(started.id)
        state = bucket_transfers.bucket_state(opened)
    assert (exported.state, exported.result["items"]) == ("done", 9)
    assert (listed["status"], listed["items"], listed["bucket"]) == ("COMPLETED", 9, "archive")
    assert (imported.error, imported.result) == (None, {"table": "copy", "items": 9, "rejected": 0})
    assert (state["folder"], state["buckets"]) == (str(tmp_path / "music.db.buckets"), ["archive"])


def test_an_export_without_recovery_says_what_to_do(tmp_path: Path) -> None:
    with (
        music(albums=1, path=tmp_path / "music.db") as opened,
        pytest.raises(UsageError, match="an export of music needs point-in-time recovery; turn it on first"),
    ):
        bucket_transfers.start_export(opened, "music", "archive", None, "json", enable_recovery=False)


@pytest.mark.parametrize("bucket", ["../etc", "/tmp", ".hidden", "a", "A-Bucket", "a..b", "x/y", "bad\0name"])
def test_a_bucket_is_a_plain_name(tmp_path: Path, bucket: str) -> None:
    with music(albums=0, path=tmp_path / "music.db") as opened:
        with pytest.raises(UsageError, match="is not the name of a bucket"):
            bucket_transfers.start_export(opened, "music", bucket, None, "json", enable_recovery=True)
        with pytest.raises(UsageError, match="is not the name of a bucket"):
            bucket_transfers.start_import(opened, bucket, None, "json", "none", "copy", "music")
    assert not [path for path in tmp_path.iterdir() if "buckets" in path.name]


@pytest.mark.parametrize("prefix", ["/etc", "../..", "a/../../b", "a\\b"])
def test_a_prefix_stays_in_its_bucket(tmp_path: Path, prefix: str) -> None:
    with (
        music(albums=0, path=tmp_path / "music.db") as opened,
        pytest.raises(UsageError, match="is not a key prefix"),
    ):
        bucket_transfers.start_import(opened, "archive", prefix, "json", "none", "copy", "music")


def test_memory_has_no_buckets() -> None:
    with music(albums=0) as opened:
        assert not bucket_transfers.bucket_state(opened)["available"]
        with pytest.raises(UsageError, match="A database in memory has no buckets"):
            bucket_transfers.start_export(opened, "music", "archive", None, "json", enable_recovery=True)
