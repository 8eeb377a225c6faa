"""Bulk access is for embedded databases; a reader sees the data file of another connection."""

from pathlib import Path

from tablewright import Faults, embedded
from tablewright.connections.bulk import FileReader

MUSIC = {
    "TableName": "music",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
}


def test_an_embedded_database_has_bulk_access() -> None:
    with embedded() as db:
        assert db.bulk_access() is not None


def test_a_database_with_faults_has_none() -> None:
    with embedded(faults=Faults(throttling=0.5)) as db:
        assert db.bulk_access() is None


def test_a_reader_sees_the_tables_and_items_of_the_file(tmp_path: Path) -> None:
    with embedded(tmp_path / "app.db") as db:
        db.call("CreateTable", MUSIC)
        reader = FileReader(tmp_path / "app.db")
        try:
            assert not reader.access.page(reader.access.table("music"), (0, 1), None, 10).rows
            db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": "Nina"}}})
            db.call("CreateTable", {**MUSIC, "TableName": "more"})
            reader.refresh()
            assert len(reader.access.page(reader.access.table("music"), (0, 1), None, 10).rows) == 1
            assert reader.access.table("more").name == "more"
        finally:
            reader.close()
