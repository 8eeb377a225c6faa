"""Export manifests: data files of limited size, checksums, and files that an interrupted export left."""

import gzip
import hashlib
import json
from base64 import b64encode
from pathlib import Path

import pytest

from tablewright.engine.core.buckets.buckets import Bucket
from tablewright.engine.features.exports import export_manifests
from tablewright.engine.features.exports.export_manifests import ExportLayout


def test_data_files_are_split_and_listed_with_their_checksums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_manifests, "FILE_SIZE", 10)
    layout = ExportLayout(Bucket(tmp_path), "nov/", "0123", "DYNAMODB_JSON", is_full=True)
    layout.begin()
    layout.write([b"12345\n"] * 5)
    assert layout.finish({"version": "1"}) == 5
    listed = (tmp_path / layout.files_manifest).read_bytes()
    entries = [json.loads(line) for line in listed.splitlines()]
    assert [entry["itemCount"] for entry in entries] == [2, 2, 1]
    for entry in entries:
        content = (tmp_path / entry["dataFileS3Key"]).read_bytes()
        assert gzip.decompress(content) == b"12345\n" * entry["itemCount"]
        assert entry["md5Checksum"] == b64encode(hashlib.md5(content).digest()).decode()
    summary = tmp_path / "nov/AWSDynamoDB/0123/manifest-summary.json"
    assert json.loads(summary.read_bytes()) == {"version": "1", "itemCount": 5}
    checksum = summary.with_suffix(".md5").read_text()
    assert checksum == b64encode(hashlib.md5(summary.read_bytes()).digest()).decode()


def test_an_export_that_starts_again_deletes_what_it_left(tmp_path: Path) -> None:
    left = tmp_path / "AWSDynamoDB/0123/data/left.json.gz.partial"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"x")
    ExportLayout(Bucket(tmp_path), None, "0123", "ION", is_full=True).begin()
    assert not left.exists()
    assert (tmp_path / "AWSDynamoDB/0123/_started").read_bytes() == b""


def test_an_empty_export_has_an_empty_data_file(tmp_path: Path) -> None:
    layout = ExportLayout(Bucket(tmp_path), None, "0123", "ION", is_full=False)
    layout.begin()
    assert layout.finish({}) == 0
    (file,) = (tmp_path / "AWSDynamoDB/data").iterdir()
    assert file.name.endswith(".ion.gz")
    assert gzip.decompress(file.read_bytes()) == b""
