"""DescribeLimits and DescribeEndpoints: what AWS answers in a new account."""

from tablewright.engine.database import Database
from tablewright.storage import open_store


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
