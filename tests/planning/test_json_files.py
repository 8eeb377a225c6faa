"""JSON files: errors name the file, the place and the fix."""

from pathlib import Path

import pytest

from tablewright.errors import UsageError
from tablewright.planning.json_files import StrictModel, parsed, read_json


class Inner(StrictModel):
    count: int


class Outer(StrictModel):
    inner: Inner


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"inner": {"count": "x"}}, r"f\.json: inner\.count must be a valid integer, got 'x'"),
        (
            {"inner": {"count": 1, "cuont": 2}},
            r"f\.json: inner\.cuont is not a known name; remove or rename it",
        ),
        ([], r"f\.json: the file must be"),
    ],
)
def test_invalid_content_is_rejected(content: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parsed(Outer, content, "f.json")


def test_unreadable_files_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*none\.json: No such file"):
        read_json(tmp_path / "none.json")
    file = tmp_path / "bad.json"
    file.write_text("{")
    with pytest.raises(UsageError, match=r"bad\.json is not valid JSON"):
        read_json(file)
