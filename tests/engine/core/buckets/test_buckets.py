"""Buckets: keys stay in their bucket, objects are written atomically, and no directory means no bucket."""

import os
from pathlib import Path

import pytest

from tablewright.engine.core.buckets.buckets import Buckets, Denied, NoSuchBucket
from tablewright.errors import ValidationError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "archive").mkdir()
    return tmp_path


def test_objects_are_listed_by_prefix_in_the_order_of_their_keys(root: Path) -> None:
    bucket = Buckets(root).bucket("archive")
    for key in ("b/2", "b/1", "a", "b-3"):
        bucket.write(key, b"content")
    (root / "archive" / "b" / "0.partial").write_bytes(b"not complete")
    assert [path.relative_to(root / "archive").as_posix() for path in bucket.objects("b")] == [
        "b-3",
        "b/1",
        "b/2",
    ]


@pytest.mark.parametrize("key", ["", "/", "../x", "a/../../x", "a/./b", "a\0b"])
def test_a_key_cannot_lead_out_of_its_bucket(root: Path, key: str) -> None:
    with pytest.raises(Denied):
        Buckets(root).bucket("archive").path(key)


def test_a_link_cannot_lead_out_of_its_bucket(root: Path) -> None:
    (root / "secret").write_text("x")
    os.symlink(root / "secret", root / "archive" / "link")
    bucket = Buckets(root).bucket("archive")
    assert list(bucket.objects("")) == []
    with pytest.raises(Denied):
        bucket.path("link")


@pytest.mark.parametrize("name", ["missing", "..", "archive/.."])
def test_a_bucket_must_be_a_folder_of_the_directory(root: Path, name: str) -> None:
    with pytest.raises(NoSuchBucket):
        Buckets(root).bucket(name)


def test_the_directory_is_beside_the_data_file_unless_given(tmp_path: Path) -> None:
    assert Buckets.beside(tmp_path / "app.db", None).root == tmp_path / "app.db.buckets"
    assert Buckets.beside(tmp_path / "app.db", tmp_path / "other").root == (tmp_path / "other").resolve()
    with pytest.raises(ValidationError, match="a database in memory has no buckets"):
        Buckets.beside(None, None).require()


def test_only_the_owner_can_read_an_object(root: Path) -> None:
    before = os.umask(0)
    try:
        Buckets(root).bucket("archive").write("report", b"content")
    finally:
        os.umask(before)
    assert (root / "archive" / "report").stat().st_mode & 0o777 == 0o600
