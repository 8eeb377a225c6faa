"""UpdateGlobalTable: a new replica is rejected before the table is searched, and no table is found."""

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import GlobalTableNotFound, ServiceError, ValidationError

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
