"""Object stores: the same contract for a folder and for S3; no name leaves the folder."""

from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from tablewright_systems.listbackup.archives.object_store import (
    S3,
    Folder,
    Memory,
    ObjectMissing,
    ObjectStore,
    object_name,
    open_store,
    store_for,
)

from systems.tests.listbackup.archives.fake_s3 import fake_s3
from tablewright import embedded


@pytest.fixture(params=["folder", "memory", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ObjectStore]:
    if request.param == "folder":
        yield Folder(tmp_path / "bucket")
        return
    if request.param == "memory":
        yield Memory()
        return
    with fake_s3() as (url, _):
        client = boto3.client(
            "s3", endpoint_url=url, region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="b"
        )
        yield S3("bucket", "backups", client)


def test_an_object_is_stored_replaced_listed_and_deleted(store: ObjectStore) -> None:
    for number in range(5):
        store.put(f"a/b/{number}", b"%d" % number)
    store.put("a/b/0", bytes(range(256)) * 20)
    store.put("a/bc", b"of another prefix")
    assert store.get("a/b/0") == bytes(range(256)) * 20
    assert sorted(store.names("a/b/")) == [f"a/b/{number}" for number in range(5)]
    store.delete("a/b/3")
    store.delete("a/b/3")
    assert sorted(store.names("a/b/")) == ["a/b/0", "a/b/1", "a/b/2", "a/b/4"]


def test_a_missing_object_is_reported(store: ObjectStore) -> None:
    with pytest.raises(ObjectMissing, match="a/none"):
        store.get("a/none")
    assert list(store.names("none/")) == []


@pytest.mark.parametrize(
    "name", ["../a", "a/../../b", "/etc/passwd", "a//b", ".hidden", "a/.", "", "a\nb", "a/"]
)
def test_names_that_leave_the_store_are_rejected(store: ObjectStore, name: str) -> None:
    with pytest.raises(ValueError, match="not the name of an object"):
        store.put(name, b"")
    with pytest.raises(ValueError, match="not the name of an object"):
        store.get(name)


@pytest.mark.parametrize("part", ["..", "../..", "/etc", "a/b", "C:\\x", "a\0b", "日本", "."])
def test_every_part_of_a_name_becomes_one_component(tmp_path: Path, part: str) -> None:
    name = object_name("account", part)
    assert name.count("/") == 1
    store = Folder(tmp_path / "bucket")
    store.put(name, b"data")
    assert store.get(name) == b"data"
    assert [path.parent for path in tmp_path.rglob("*") if path.is_file()] == [
        tmp_path / "bucket" / "account"
    ]


def test_a_part_that_no_file_system_accepts_is_rejected() -> None:
    with pytest.raises(ValueError, match="1 to 200 characters"):
        object_name("a", "")
    with pytest.raises(ValueError, match="1 to 200 characters"):
        object_name("a" * 201)


def test_a_symbolic_link_out_of_the_folder_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "bucket").mkdir()
    (tmp_path / "bucket" / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(ValueError, match="symbolic link"):
        Folder(tmp_path / "bucket").put("link/file", b"")


def test_a_failed_write_leaves_the_object_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Folder(tmp_path)
    store.put("a/b", b"before")

    def fail(handle: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        store.put("a/b", b"after")
    assert store.get("a/b") == b"before"
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


def test_a_folder_without_objects_is_removed(tmp_path: Path) -> None:
    store = Folder(tmp_path)
    store.put("a/b/c", b"")
    store.put("a/d", b"")
    store.delete("a/b/c")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "d"]


def test_files_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    Folder(tmp_path / "bucket").put("a/b", b"secret")
    assert (tmp_path / "bucket" / "a" / "b").stat().st_mode & 0o077 == 0
    assert (tmp_path / "bucket").stat().st_mode & 0o077 == 0


def test_a_location_selects_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    assert isinstance(open_store(tmp_path), Folder)
    assert isinstance(open_store("s3://bucket/backups"), S3)
    with pytest.raises(ValueError, match="names no bucket"):
        open_store("s3:///backups")


def test_archives_are_stored_beside_the_data_unless_a_place_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LISTBACKUP_ARCHIVES", raising=False)
    with embedded() as one, embedded() as other:
        store_for(one).put("a/b", b"")
        assert list(store_for(one).names("a/")) == ["a/b"]
        assert list(store_for(other).names("a/")) == []
    with embedded(tmp_path / "data.db") as connection:
        store_for(connection).put("a/b", b"")
        assert (tmp_path / "data.db.archives" / "a" / "b").exists()
        monkeypatch.setenv("LISTBACKUP_ARCHIVES", str(tmp_path / "bucket"))
        store_for(connection).put("a/c", b"")
        assert (tmp_path / "bucket" / "a" / "c").exists()


def test_a_database_elsewhere_needs_a_named_place(monkeypatch: pytest.MonkeyPatch) -> None:
    class Remote:
        def call(self, operation: str, request: dict[str, object]) -> dict[str, object]:
            return {}

        def close(self) -> None:
            pass

    monkeypatch.delenv("LISTBACKUP_ARCHIVES", raising=False)
    with pytest.raises(ValueError, match="set LISTBACKUP_ARCHIVES to a folder or to s3://"):
        store_for(Remote())
