"""ListImports: list the imports of the last 90 days, newest first, a page at a time."""

from pathlib import Path

from tests.engine.core.operations.music_table import finish_jobs, open_music, start_import


def test_pages_list_imports_newest_first_and_keep_those_of_deleted_tables(tmp_path: Path) -> None:
    with open_music(tmp_path) as db:
        for name in ("one", "two", "three"):
            start_import(db, name)
            finish_jobs(db)
            db.clock.advance(1)
        db.call("DeleteTable", {"TableName": "two"})

        def tables(page: dict[str, list[dict[str, str]]]) -> list[str]:
            return [each["TableArn"].rpartition("/")[2] for each in page["ImportSummaryList"]]

        page = db.call("ListImports", {"PageSize": 2})
        assert tables(page) == ["three", "two"]
        rest = db.call("ListImports", {"PageSize": 2, "NextToken": page["NextToken"]})
        assert tables(rest) == ["one"]
        assert "NextToken" not in rest
        db.clock.advance(91 * 24 * 3600)
        assert tables(db.call("ListImports", {})) == []
