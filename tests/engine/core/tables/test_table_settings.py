"""Table settings: encryption and class in the description."""

from collections.abc import Iterator

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.table_cases import request_of

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/music"


NOON = 1_700_000_000.123


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=NOON))
    yield database
    database.close()


def test_settings_are_described(db: Database) -> None:
    request = request_of("music", "artist | artist:S")
    db.call(
        "CreateTable",
        {
            **request,
            "SSESpecification": {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "1234"},
            "TableClass": "STANDARD_INFREQUENT_ACCESS",
            "DeletionProtectionEnabled": True,
            "OnDemandThroughput": {"MaxReadRequestUnits": 7},
            "WarmThroughput": {"ReadUnitsPerSecond": 13_000},
        },
    )
    shown = db.call("DescribeTable", {"TableName": ARN})["Table"]
    assert shown["SSEDescription"] == {
        "Status": "ENABLED",
        "SSEType": "KMS",
        "KMSMasterKeyArn": "arn:aws:kms:us-east-1:123456789012:key/1234",
    }
    assert shown["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert shown["DeletionProtectionEnabled"]
    assert shown["OnDemandThroughput"] == {"MaxReadRequestUnits": 7}
    assert shown["WarmThroughput"] == {
        "ReadUnitsPerSecond": 13_000,
        "WriteUnitsPerSecond": 4_000,
        "Status": "ACTIVE",
    }
