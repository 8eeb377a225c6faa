"""Saved queries: files of the project with safe names."""

import os
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
    assert delete_query("All items", "shop", folder)
    assert not delete_query("All items", "shop", folder)
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
        delete_query(name, "shop", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    kept = save_query("kept", QUERY, replace=False, folder=tmp_path)
    folder = tmp_path / "queries"
    folder.mkdir()
    (folder / "q.json").symlink_to(kept)
    save_query("q", QUERY.model_copy(update={"text": "SELECT 2"}), replace=True, folder=folder)
    assert not (folder / "q.json").is_symlink()
    (folder / "link.json").symlink_to(kept)
    assert delete_query("link", "shop", folder)
    assert list_queries("shop", tmp_path)[0]["text"] == QUERY.text


def test_queries_of_other_designs_are_neither_replaced_nor_deleted(tmp_path: Path) -> None:
    save_query("q", QUERY, replace=False, folder=tmp_path)
    other = QUERY.model_copy(update={"design": "club", "text": "SELECT 2"})
    for replace in (False, True):
        with pytest.raises(Conflict, match="q is a saved query of the design shop; choose another name"):
            save_query("q", other, replace=replace, folder=tmp_path)
    with pytest.raises(Conflict, match="q is a saved query of the design shop; delete it there"):
        delete_query("q", "club", tmp_path)
    assert list_queries("shop", tmp_path)[0]["text"] == QUERY.text
    assert delete_query("q", "shop", tmp_path)


@pytest.mark.parametrize("content", ["{", "[]", '{"design": "shop"}', '{"x": "' + "x" * 200_000 + '"}'])
def test_files_that_are_no_saved_queries_are_neither_replaced_nor_deleted(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "notes.json"
    path.write_text(content)
    with pytest.raises(Conflict, match=r"notes\.json is not a saved query; choose another name"):
        save_query("notes", QUERY, replace=True, folder=tmp_path)
    with pytest.raises(Conflict, match=r"notes\.json is not a saved query; delete the file yourself"):
        delete_query("notes", "shop", tmp_path)
    assert path.read_text() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_dangling_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "q.json").symlink_to(tmp_path / "absent")
    with pytest.raises(Conflict, match="is not a saved query"):
        save_query("q", QUERY, replace=True, folder=tmp_path)
    with pytest.raises(Conflict, match="is not a saved query"):
        delete_query("q", "shop", tmp_path)
    assert not (tmp_path / "absent").exists()


def test_other_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "damaged.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "big.json").write_text('{"x": "' + "x" * 200_000 + '"}')
    (tmp_path / "folder.json").mkdir()
    for name in ("con", "a ", "a.b"):
        (tmp_path / f"{name}.json").write_text(QUERY.model_dump_json())
    assert list_queries("shop", tmp_path) == []


def test_a_folder_with_the_name_of_a_query_is_left_and_no_file_remains(tmp_path: Path) -> None:
    (tmp_path / "q.json").mkdir()
    with pytest.raises(Conflict, match="is not a saved query"):
        save_query("q", QUERY, replace=True, folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["q.json"]


def test_a_query_that_is_too_large_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at most"):
        save_query("q", QUERY.model_copy(update={"text": "x" * 200_000}), replace=False, folder=tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        save_query("q", QUERY, replace=False, folder=tmp_path / "file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes in folders")
def test_a_pipe_with_the_name_of_a_query_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "q.json")
    assert list_queries("shop", tmp_path) == []
