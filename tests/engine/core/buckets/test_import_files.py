"""Import files: the formats, compression, and objects that end in the middle of an item."""

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.core.buckets.import_files import Malformed, ObjectSource, reader_of

ADA = {"id": {"S": "ada"}}
JSON = b'{"Item": {"id": {"S": "ada"}}}\n'


def read(
    path: Path,
    content: bytes,
    input_format: str,
    compression: str = "NONE",
    options: Mapping[str, Any] | None = None,
) -> tuple[list[dict[str, Any]], int]:
    """The items of an object, and its size."""
    path.write_bytes(content)
    source = ObjectSource(path, compression)
    items = list(reader_of(input_format, options, {"id": "S", "age": "N"})(source))
    return items, source.size


@pytest.mark.parametrize(
    ("input_format", "content"),
    [
        ("DYNAMODB_JSON", b"\n" + JSON + b"  \n"),
        ("ION", b"$ion_1_0 {Item:{id:\n'''a''' '''da'''}}\n"),
        ("CSV", b"\xef\xbb\xbfid\nada\n"),
    ],
)
@pytest.mark.parametrize("compression", ["NONE", "GZIP"])
def test_formats(tmp_path: Path, input_format: str, content: bytes, compression: str) -> None:
    stored = gzip.compress(content) if compression == "GZIP" else content
    assert read(tmp_path / "object", stored, input_format, compression) == ([ADA], len(content))


def test_csv_keys_have_types_and_empty_values_are_left_out(tmp_path: Path) -> None:
    options = {"Csv": {"Delimiter": ";", "HeaderList": ["id", "age", "note"]}}
    items, _ = read(tmp_path / "object", b"ada;36;\nbob;;x\n", "CSV", options=options)
    assert items == [{**ADA, "age": {"N": "36"}}, {"id": {"S": "bob"}, "note": {"S": "x"}}]


@pytest.mark.parametrize(
    ("input_format", "content", "compression"),
    [
        ("DYNAMODB_JSON", JSON, "GZIP"),
        ("DYNAMODB_JSON", gzip.compress(JSON * 100, mtime=0)[:-9], "GZIP"),
        ("DYNAMODB_JSON", b"[1]\n", "NONE"),
        ("DYNAMODB_JSON", b'{"Item": 1}\n', "NONE"),
        ("ION", b"{Item:{id:1}", "NONE"),
        ("ION", b"{Other:{id:1}}", "NONE"),
        ("ION", b"[1]", "NONE"),
        ("ION", gzip.compress(b"{Item:{id:1}}" * 100, mtime=0)[:-9], "GZIP"),
        ("CSV", b"id\na,b\n", "NONE"),
        ("CSV", b"id\n\xff\n", "NONE"),
    ],
)
def test_objects_that_do_not_parse(
    tmp_path: Path, input_format: str, content: bytes, compression: str
) -> None:
    with pytest.raises(Malformed):
        read(tmp_path / "object", content, input_format, compression)
