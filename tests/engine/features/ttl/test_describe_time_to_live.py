"""DescribeTimeToLive: show the TTL attribute of a table."""

import pytest

from tablewright.errors import ResourceNotFound
from tests.engine.core.operations.music_table import open_music


def test_the_attribute_is_shown_while_ttl_is_enabled() -> None:
    with open_music() as db:
        for enabled, shown in (
            (True, {"TimeToLiveStatus": "ENABLED", "AttributeName": "ends"}),
            (False, {"TimeToLiveStatus": "DISABLED"}),
        ):
            specification = {"AttributeName": "ends", "Enabled": enabled}
            db.call("UpdateTimeToLive", {"TableName": "music", "TimeToLiveSpecification": specification})
            described = db.call("DescribeTimeToLive", {"TableName": "music"})
            assert described == {"TimeToLiveDescription": shown}


def test_an_unknown_table_is_not_found() -> None:
    with open_music() as db, pytest.raises(ResourceNotFound, match="Table: missing not found"):
        db.call("DescribeTimeToLive", {"TableName": "missing"})
