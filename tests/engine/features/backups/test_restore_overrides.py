"""Restore overrides: what a restored table takes from its source, and what it may differ in."""

from pathlib import Path
from typing import Any

import pytest

from tablewright.errors import ValidationError
from tests.engine.archive import INDEXED, archive, back_up, create, restore

UNITS = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 2}


def test_indexes_and_billing_can_be_overridden(tmp_path: Path) -> None:
    with archive(tmp_path) as db:
        create(db, keys=INDEXED)
        backup = back_up(db)
        same = restore(db, backup, "same")
        assert [index["IndexName"] for index in same["GlobalSecondaryIndexes"]] == ["by-team"]
        changed = {
            "BillingModeOverride": "PROVISIONED",
            "ProvisionedThroughputOverride": UNITS,
            "GlobalSecondaryIndexOverride": [],
        }
        other = restore(db, backup, "other", **changed)
        assert "GlobalSecondaryIndexes" not in other
        assert other["ProvisionedThroughput"]["ReadCapacityUnits"] == 3
        assert [each["AttributeName"] for each in other["AttributeDefinitions"]] == ["id"]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"BillingModeOverride": "PROVISIONED"}, "Must override ProvisionedThroughput"),
        ({"ProvisionedThroughputOverride": UNITS}, "unless BillingMode is PROVISIONED"),
        (
            {"BillingModeOverride": "PAY_PER_REQUEST", "ProvisionedThroughputOverride": UNITS},
            "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST",
        ),
        (
            {
                "GlobalSecondaryIndexOverride": [
                    {
                        "IndexName": "new",
                        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "ALL"},
                    }
                ]
            },
            "Index new does not match a secondary index that existed in the source table",
        ),
    ],
)
def test_overrides_that_are_not_valid(tmp_path: Path, overrides: dict[str, Any], message: str) -> None:
    with archive(tmp_path) as db:
        create(db, keys=INDEXED)
        backup = back_up(db)
        with pytest.raises(ValidationError, match=message):
            restore(db, backup, **overrides)
