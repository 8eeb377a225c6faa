"""CreateGlobalTable: rejected in AWS's words, after the shape was checked."""

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ValidationError


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
