"""Global tables of version 2017: the errors of AWS, which ended that version."""

import pytest

from tablewright.engine.database import Database
from tablewright.engine.features.replicas.global_tables import (
    not_found,
    version_not_supported,
)
from tablewright.engine.storage import open_store
from tablewright.errors import GlobalTableNotFound, ServiceError, ValidationError
from tests.engine.features.replicas.replicated_table import US, World, world


def test_errors_name_the_version_and_the_table() -> None:
    assert "version 2017.11.29 is not supported" in version_not_supported().message
    assert not_found("music").body() == {
        "__type": "com.amazonaws.dynamodb.v20120810#GlobalTableNotFoundException",
        "message": "Global table with name: 'music' does not exist.",
    }


def test_version_2017_is_not_supported() -> None:
    database = Database(open_store())
    request = {"GlobalTableName": "music", "ReplicationGroup": [{"RegionName": "us-east-1"}]}
    with pytest.raises(ValidationError) as caught:
        database.call("CreateGlobalTable", request)
    assert caught.value.message == (
        "One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. We "
        "recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy)."
    )
    with pytest.raises(ValidationError, match="Value null at 'replicationGroup'"):
        database.call("CreateGlobalTable", {"GlobalTableName": "music"})
    database.close()


__all__ = ["world"]


@pytest.mark.parametrize("name", ["music", "missing"])
def test_no_global_table_is_found(world: World, name: str) -> None:
    with pytest.raises(GlobalTableNotFound) as caught:
        world[US].call("DescribeGlobalTable", {"GlobalTableName": name})
    assert caught.value.code == "GlobalTableNotFoundException"
    assert caught.value.message == f"Global table not found: Global table with name: '{name}' does not exist."


CREATE, DELETE = {"Create": {"RegionName": "eu-west-1"}}, {"Delete": {"RegionName": "eu-west-1"}}


@pytest.mark.parametrize(
    ("updates", "error", "message"),
    [
        ([CREATE], ValidationError, "global tables version 2017.11.29 is not supported"),
        ([DELETE], GlobalTableNotFound, "^Global table with name: 'music' does not exist.$"),
        ([], ValidationError, "^One or more parameter values were invalid$"),
    ],
)
def test_every_update_is_rejected(updates: list[object], error: type[ServiceError], message: str) -> None:
    database = Database(open_store())
    with pytest.raises(error, match=message):
        database.call("UpdateGlobalTable", {"GlobalTableName": "music", "ReplicaUpdates": updates})
    database.close()
