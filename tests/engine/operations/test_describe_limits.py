"""DescribeLimits, DescribeEndpoints, DescribeContinuousBackups: what AWS answers in a new account."""

from tablewright.engine.database import Database
from tablewright.storage import open_store
from tests.engine.table_cases import answer_to, request_of


def test_limits_are_those_of_a_new_account() -> None:
    db = Database(open_store())
    assert db.call("DescribeLimits", {}) == {
        "AccountMaxReadCapacityUnits": 80_000,
        "AccountMaxWriteCapacityUnits": 80_000,
        "TableMaxReadCapacityUnits": 40_000,
        "TableMaxWriteCapacityUnits": 40_000,
    }
    db.close()


def test_the_endpoint_is_that_of_the_region() -> None:
    db = Database(open_store(), region="eu-central-1")
    endpoint = {"Address": "dynamodb.eu-central-1.amazonaws.com", "CachePeriodInMinutes": 1440}
    assert db.call("DescribeEndpoints", {}) == {"Endpoints": [endpoint]}
    db.close()


def test_continuous_backups_are_disabled() -> None:
    db = Database(open_store())
    db.call("CreateTable", request_of("music", "artist | artist:S"))
    assert db.call("DescribeContinuousBackups", {"TableName": "music"}) == {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "DISABLED",
            "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
        }
    }
    answer = answer_to(db, "DescribeContinuousBackups", {"TableName": "nowhere"})
    assert answer == "TableNotFoundException: Table not found: nowhere"
    db.close()
