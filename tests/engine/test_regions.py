"""Regions: each is a namespace of its own, beside the default region."""

import logging
from pathlib import Path

import pytest

from tablewright.engine.database import Database
from tablewright.engine.regions import Regions
from tablewright.engine.storage import open_store
from tablewright.errors import ResourceNotFound, ValidationError
from tests.engine.table_cases import request_of

MUSIC = request_of("music", "artist | artist:S")


def names(database: Database) -> list[str]:
    return list(database.call("ListTables", {})["TableNames"])


def test_a_replica_in_a_region_that_no_client_could_use_is_rejected() -> None:
    database = Database(open_store(), region="us-east-1")
    database.clock.freeze()

    class Other:
        def call(self, operation: str, request: dict[str, object]) -> dict[str, object]:
            raise ResourceNotFound("Requested resource not found")

    regions = Regions(database, {"eu-west-1": Other()}, serves_one=True)
    database.call("CreateTable", request_of("music", "artist | artist:S"))

    def create(region: str) -> dict[str, object]:
        updates = [{"Create": {"RegionName": region}}]
        return database.call("UpdateTable", {"TableName": "music", "ReplicaUpdates": updates})

    with pytest.raises(ValidationError, match=r"serves us-east-1 only.* --replica ap-south-1=URL"):
        create("ap-south-1")
    assert "Replicas" not in database.call("DescribeTable", {"TableName": "music"})["Table"]
    create("eu-west-1")
    regions.close()
    database.close()


def test_tables_of_one_region_are_not_in_another() -> None:
    default = Database(open_store())
    regions = Regions(default)
    ireland = regions.database("eu-west-1", may_write=True)
    described = ireland.call("CreateTable", MUSIC)["TableDescription"]
    assert described["TableArn"] == "arn:aws:dynamodb:eu-west-1:123456789012:table/music"
    assert (names(ireland), names(default)) == (["music"], [])
    assert names(regions.database("eu-west-2", may_write=False)) == []
    regions.close()
    default.close()


@pytest.mark.parametrize("region", [None, "us-east-1", "local", "", "../../etc/passwd"])
def test_the_default_region_is_the_database_itself(region: str | None) -> None:
    default = Database(open_store())
    regions = Regions(default)
    assert regions.database(region, may_write=True) is default
    default.close()


def test_a_region_has_a_file_of_its_own_from_its_first_write(tmp_path: Path) -> None:
    default = Database(open_store(tmp_path / "app.db"))
    regions = Regions(default)
    file = tmp_path / "app.db.eu-west-1"
    assert names(regions.database("eu-west-1", may_write=False)) == []
    assert not file.exists()
    regions.database("eu-west-1", may_write=True).call("CreateTable", MUSIC)
    assert names(regions.database("eu-west-1", may_write=False)) == ["music"]
    regions.close()
    default.close()
    assert file.exists()
    default = Database(open_store(tmp_path / "app.db"))
    regions = Regions(default)
    assert names(regions.database("eu-west-1", may_write=False)) == ["music"]
    assert names(default) == []
    regions.close()
    default.close()


def test_staged_writes_of_all_regions_are_flushed(tmp_path: Path) -> None:
    default = Database(open_store(tmp_path / "app.db"))
    regions = Regions(default)
    ireland = regions.database("eu-west-1", may_write=True)
    ireland.call("CreateTable", MUSIC)
    body = b'{"TableName": "music", "Item": {"artist": {"S": "a"}}}'
    staged = ireland.stage_json("PutItem", body)
    assert staged.group is not None
    regions.flush()
    assert ireland.call("Scan", {"TableName": "music"})["Count"] == 1
    regions.close()
    default.close()


def test_tables_that_are_hidden_by_another_default_region_are_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "app.db.eu-west-1").touch()
    default = Database(open_store(tmp_path / "app.db"), region="eu-west-1")
    with caplog.at_level(logging.WARNING, "tablewright.engine"):
        Regions(default)
    assert "app.db.eu-west-1 has tables of eu-west-1 that are not shown" in caplog.text
    default.close()
