"""Opening locations."""

import argparse
import sys
from pathlib import Path

import pytest

from tablewright import embedded
from tablewright.cli.data_locations import (
    list_all,
    load_design,
    open_deployed,
    open_design,
    open_tables,
    table_names,
)
from tablewright.errors import DesignError, TablewrightError, UsageError
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
            "cannot import broken_design: NameError: name 'unknown_name' is not defined (broken_design.py:2); ",
        ),
        (
            "x = (",
            "cannot import broken_design: SyntaxError: '(' was never closed (broken_design.py, line 1); --debug",
        ),
        (
            "import no_such_module",
            "cannot import broken_design: No module named 'no_such_module' (broken_design.py:1)",
        ),
        (
            "from tablewright import Enity",
            "cannot import broken_design: cannot import name 'Enity' from 'tablewright'",
        ),
        ("design = 5", "broken_design has an instance of int, not a Design, as design; add design = Design("),
        ("design = str", "broken_design has the class str, not a Design, as design; add design = Design("),
        ("", "broken_design has no variable design; add design = Design("),
        (
            "from tablewright import Design\nother = Design('other')",
            "broken_design has no variable design; its designs are: other",
        ),
    ],
)
def test_a_design_module_that_fails(
    source: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_design.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    sys.modules.pop("broken_design", None)
    with pytest.raises(TablewrightError) as raised:
        load_design("broken_design:design")
    sys.modules.pop("broken_design", None)  # `delitem` would put it back after the test
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_missing_environment_is_an_error_before_the_store_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "design_of_stages.py").write_text(
        "from tablewright import Design, Table\ndesign = Design('app', tables=[Table('app-{env}', key='id')])\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "app.db"
    given = {"design": "design_of_stages:design", "on": str(file), "prefix": ""}
    with pytest.raises(DesignError, match=r"table app-\{env\}: \{env\} needs an environment.* use --env dev"):
        open_design(argparse.Namespace(**given, env=None))
    with pytest.raises(DesignError, match=r"table app-\{env\}: \{env\} needs an environment"):
        open_deployed(argparse.Namespace(**given, env=None))
    assert not file.exists()
    with open_design(argparse.Namespace(**given, env="dev")) as db:
        assert db.context.table_name(db.design.tables[0]) == "app-dev"


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
