"""DeleteTable: all items and indexes are deleted, and the name can be used again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.engine.core.state.catalog import EXPIRY
from tablewright.engine.database import Database
from tablewright.engine.storage import ReadView, open_store
from tablewright.errors import ResourceNotFound
from tests.engine.table_cases import request_of

NOTATION = "artist song | artist:S song:S year:N + lsi by-year artist year + gsi by-song song"


@pytest.fixture(params=["memory", "file"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    database = Database(open_store(None if request.param == "memory" else tmp_path / "music.db"))
    database.call("CreateTable", request_of("music", NOTATION))
    yield database
    database.close()


def put(db: Database) -> None:
    item = {"artist": {"S": "a"}, "song": {"S": "s"}, "year": {"N": "1"}, "ends": {"N": "1"}}
    db.call("PutItem", {"TableName": "music", "Item": item})


def test_the_reply_has_no_keys_and_indexes(db: Database) -> None:
    put(db)
    shown = db.call("DeleteTable", {"TableName": "music"})["TableDescription"]
    assert (shown["TableStatus"], shown["ItemCount"], shown["TableName"]) == ("DELETING", 1, "music")
    assert not {"KeySchema", "AttributeDefinitions", "CreationDateTime"} & shown.keys()
    assert not {"LocalSecondaryIndexes", "GlobalSecondaryIndexes", "WarmThroughput"} & shown.keys()


def test_no_row_of_a_deleted_table_is_left(db: Database) -> None:
    db.call(
        "UpdateTimeToLive",
        {"TableName": "music", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ends"}},
    )
    put(db)
    spaces = db.state.catalog.table("music").definition["Spaces"].values()
    db.call("DeleteTable", {"TableName": "music"})

    def left(rows: ReadView) -> bool:
        return any(map(rows.has_space, spaces)) or any(rows.range(EXPIRY))

    assert not db.state.store.read(left)
    with pytest.raises(ResourceNotFound, match="Requested resource not found: Table: music not found"):
        db.call("DescribeTable", {"TableName": "music"})
    with pytest.raises(ResourceNotFound, match=r"^Requested resource not found$"):
        db.call("GetItem", {"TableName": "music", "Key": {"artist": {"S": "a"}, "song": {"S": "s"}}})


def test_the_name_of_a_deleted_table_can_be_used_again(db: Database) -> None:
    put(db)
    first = db.call("DescribeTable", {"TableName": "music"})["Table"]
    db.call("DeleteTable", {"TableName": first["TableArn"]})
    db.call("CreateTable", request_of("music", NOTATION))
    second = db.call("DescribeTable", {"TableName": "music"})["Table"]
    assert (second["ItemCount"], second["TableId"] == first["TableId"]) == (0, False)
    assert db.call("Scan", {"TableName": "music"})["Count"] == 0


def test_reading_a_dropped_space_is_resource_not_found(db: Database) -> None:
    table = db.state.catalog.table("music")
    db.state.store.write(lambda rows: rows.drop_space(table.space))
    with pytest.raises(ResourceNotFound):
        db.call("GetItem", {"TableName": "music", "Key": {"artist": {"S": "a"}, "song": {"S": "s"}}})
