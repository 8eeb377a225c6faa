"""Opening locations."""

from pathlib import Path

import pytest

from tablewright import embedded
from tablewright.cli.data_locations import list_all, load_design, open_tables, table_names
from tablewright.errors import TablewrightError, UsageError
from tests.cli.backup_locations import create


def test_a_missing_file_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist; give another location with --on"):
        open_tables(str(tmp_path / "app.db"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "\nunknown_name",
            "cannot import broken_design: NameError: name 'unknown_name' is not defined (broken_design",
        ),
        ("def", "cannot import broken_design: SyntaxError: "),
        ("import no_such_module", "cannot import broken_design: No module named 'no_such_module'"),
    ],
)
def test_a_design_module_that_fails(
    source: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_design.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(TablewrightError) as raised:
        load_design("broken_design:design")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_buckets_are_for_files() -> None:
    with pytest.raises(UsageError, match="--buckets is for data files; http://x has its own buckets"):
        open_tables("http://x", "buckets")


def test_all_pages_of_a_list_are_read() -> None:
    with embedded() as db:
        for number in range(101):
            create(db, f"table-{number:03}")
        assert table_names(db) == [f"table-{number:03}" for number in range(101)]
        start = ("LastEvaluatedTableName", "ExclusiveStartTableName")
        assert len(list_all(db, "ListTables", "TableNames", {"Limit": 7}, start)) == 101
