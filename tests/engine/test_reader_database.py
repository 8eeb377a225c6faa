"""A database that reads the file of another: items and definitions are those of the last commit."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.core.operations import find_operation
from tablewright.engine.core.state.shared_counter import SharedCounter
from tablewright.engine.database import Database
from tablewright.engine.reader_database import READS, ReaderDatabase
from tablewright.engine.storage import open_store
from tablewright.errors import ResourceNotFound, StoreError


def table(name: str = "music", **more: Any) -> dict[str, Any]:
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
        **more,
    }


INDEX = {
    "IndexName": "by-label",
    "KeySchema": [{"AttributeName": "label", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
NINA = {"artist": {"S": "nina"}, "label": {"S": "rca"}}


@contextmanager
def both(path: Path) -> Iterator[tuple[Database, ReaderDatabase]]:
    """The database that writes a file, and one that reads it."""
    counter = SharedCounter.create()
    writer = Database(open_store(path))
    writer.publish_definitions(counter)
    reader = ReaderDatabase(path, "us-east-1", counter)
    try:
        yield writer, reader
    finally:
        reader.close()
        writer.close()
        counter.close()


def test_an_acknowledged_write_is_read(tmp_path: Path) -> None:
    with both(tmp_path / "data.db") as (writer, reader):
        writer.call("CreateTable", table())
        for number in range(50):
            writer.call("PutItem", {"TableName": "music", "Item": NINA | {"n": {"N": str(number)}}})
            found = reader.call("GetItem", {"TableName": "music", "Key": {"artist": {"S": "nina"}}})
            assert found["Item"]["n"] == {"N": str(number)}
        assert reader.call("Scan", {"TableName": "music"})["Count"] == 1


def test_definitions_follow_the_writer(tmp_path: Path) -> None:
    with both(tmp_path / "data.db") as (writer, reader):
        with pytest.raises(ResourceNotFound):
            reader.call("Scan", {"TableName": "music"})
        writer.call("CreateTable", table())
        assert reader.call("Scan", {"TableName": "music"})["Count"] == 0
        writer.call("PutItem", {"TableName": "music", "Item": NINA})
        added = {
            "AttributeDefinitions": [{"AttributeName": "label", "AttributeType": "S"}],
            "GlobalSecondaryIndexUpdates": [{"Create": INDEX}],
        }
        writer.call("UpdateTable", {"TableName": "music", **added})
        writer.jobs.wait_for_all()
        query = {
            "TableName": "music",
            "IndexName": "by-label",
            "KeyConditionExpression": "label = :l",
            "ExpressionAttributeValues": {":l": {"S": "rca"}},
        }
        assert reader.call("Query", query)["Count"] == 1
        writer.call("DeleteTable", {"TableName": "music"})
        with pytest.raises(ResourceNotFound):
            reader.call("Scan", {"TableName": "music"})
        writer.call("CreateTable", table())
        assert reader.call("Scan", {"TableName": "music"})["Count"] == 0, "a table of that name is a new one"


def test_a_read_is_repeated_when_a_definition_changed_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with both(tmp_path / "data.db") as (writer, reader):
        writer.call("CreateTable", table())
        writer.call("PutItem", {"TableName": "music", "Item": NINA})
        reader.call("Scan", {"TableName": "music"})
        original = Database._reply
        replies: list[object] = []

        def delete_meanwhile(self: Database, *arguments: Any) -> Any:
            reply = original(self, *arguments)
            if isinstance(self, ReaderDatabase) and not replies:
                replies.append(reply)
                writer.call("DeleteTable", {"TableName": "music"})
            return reply

        monkeypatch.setattr(Database, "_reply", delete_meanwhile)
        with pytest.raises(ResourceNotFound):
            reader.call("Scan", {"TableName": "music"})
        assert len(replies) == 1, "the first reply was computed, and not returned"


def test_a_reader_knows_whether_accesses_are_counted(tmp_path: Path) -> None:
    with both(tmp_path / "data.db") as (writer, reader):
        writer.call("CreateTable", table())
        assert not reader.counts_accesses
        writer.call(
            "UpdateContributorInsights", {"TableName": "music", "ContributorInsightsAction": "ENABLE"}
        )
        assert reader.counts_accesses


def test_a_reader_writes_nothing(tmp_path: Path) -> None:
    with both(tmp_path / "data.db") as (writer, reader):
        writer.call("CreateTable", table())
        with pytest.raises(StoreError, match="another process writes it"):
            reader.call("PutItem", {"TableName": "music", "Item": NINA})


def test_every_operation_of_a_reader_only_reads() -> None:
    for name in READS:
        operation = find_operation(name)
        assert operation is not None
        assert operation.mode != "write"
