"""DescribeLimits: the default quotas of AWS."""

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store


def test_limits_are_those_of_a_new_account() -> None:
    db = Database(open_store())
    assert db.call("DescribeLimits", {}) == {
        "AccountMaxReadCapacityUnits": 80_000,
        "AccountMaxWriteCapacityUnits": 80_000,
        "TableMaxReadCapacityUnits": 40_000,
        "TableMaxWriteCapacityUnits": 40_000,
    }
    db.close()
