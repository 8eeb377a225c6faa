"""Opening places."""

from pathlib import Path

import pytest

from tablewright import embedded
from tablewright.cli.places import list_all, open_tables, table_names
from tablewright.errors import UsageError
from tests.cli.backup_places import create


def test_a_missing_file_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist; give another place with --on"):
        open_tables(str(tmp_path / "app.db"))
    assert list(tmp_path.iterdir()) == []


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
