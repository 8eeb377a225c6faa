"""Saved queries: files of the project with safe names."""

from pathlib import Path

import pytest

from tablewright.console.endpoints import Conflict
from tablewright.console.queries.saved_queries import SavedQuery, delete_query, list_queries, save_query
from tablewright.errors import UsageError

QUERY = SavedQuery(design="shop", kind="statement", text='SELECT * FROM "app"', description="All items")


def test_a_query_is_saved_listed_and_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "queries"
    assert list_queries("shop", folder) == []
    save_query("All items", QUERY, replace=False, folder=folder)
    (found,) = list_queries("shop", folder)
    assert (found["name"], found["text"]) == ("All items", QUERY.text)
    assert list_queries("other", folder) == []
    assert delete_query("All items", folder)
    assert not delete_query("All items", folder)
    assert list(folder.iterdir()) == []


def test_a_query_is_replaced_only_if_the_user_says_so(tmp_path: Path) -> None:
    save_query("q", QUERY, replace=False, folder=tmp_path)
    with pytest.raises(Conflict, match="saved already"):
        save_query("q", QUERY, replace=False, folder=tmp_path)
    save_query("q", QUERY.model_copy(update={"text": "SELECT 2"}), replace=True, folder=tmp_path)
    assert list_queries("shop", tmp_path)[0]["text"] == "SELECT 2"


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a\\b",
        ".hidden",
        "a.json",
        "x" * 65,
        "con",
        "a\x00",
        "é",
        " a",
        "a ",
        "LPT1",
    ],
)
def test_names_that_are_not_safe_are_rejected(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="letters, digits"):
        save_query(name, QUERY, replace=True, folder=tmp_path)
    with pytest.raises(UsageError):
        delete_query(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("kept")
    folder = tmp_path / "queries"
    folder.mkdir()
    (folder / "q.json").symlink_to(other)
    save_query("q", QUERY, replace=True, folder=folder)
    assert other.read_text() == "kept"
    assert not (folder / "q.json").is_symlink()


def test_other_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "damaged.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "big.json").write_text('{"x": "' + "x" * 200_000 + '"}')
    (tmp_path / "folder.json").mkdir()
    assert list_queries("shop", tmp_path) == []


def test_a_query_that_is_too_large_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at most"):
        save_query("q", QUERY.model_copy(update={"text": "x" * 200_000}), replace=False, folder=tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        save_query("q", QUERY, replace=False, folder=tmp_path / "file")
