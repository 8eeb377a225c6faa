"""Table updates: one change at a time, checked before anything is written."""

from typing import Any

import pytest

from tablewright.engine.core.tables.table_updates import require_one_change
from tablewright.errors import ServiceError, ValidationError
from tests.engine.core.operations.music_table import START, open_music

UNITS = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
STREAM = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
DELETION = [{"Delete": {"IndexName": "by-year"}}]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({}, "At least one of"),
        (
            {"GlobalSecondaryIndexUpdates": [], "TableClass": "STANDARD"},
            "List of GlobalSecondaryIndexUpdates is empty",
        ),
        (
            {"TableClass": "STANDARD", "BillingMode": "PROVISIONED"},
            "TableClass modification must be the only",
        ),
        ({"DeletionProtectionEnabled": True, "StreamSpecification": STREAM}, "must be the only operation"),
        (
            {"OnDemandThroughput": {"MaxReadRequestUnits": 1}, "StreamSpecification": STREAM},
            "only be combined",
        ),
        ({"StreamSpecification": STREAM, "ProvisionedThroughput": UNITS}, "cannot modify stream status"),
        (
            {"GlobalSecondaryIndexUpdates": DELETION, "StreamSpecification": STREAM},
            "while changing stream status",
        ),
        (
            {"GlobalSecondaryIndexUpdates": DELETION, "ProvisionedThroughput": UNITS},
            "while updating table IOPS",
        ),
    ],
)
def test_most_combinations_are_rejected(request_: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        require_one_change(request_)


def test_allowed_combinations() -> None:
    require_one_change({"BillingMode": "PROVISIONED", "ProvisionedThroughput": UNITS})
    require_one_change({"BillingMode": "PAY_PER_REQUEST", "OnDemandThroughput": {"MaxReadRequestUnits": 1}})


def test_the_reply_shows_the_change_and_the_next_description_its_end() -> None:
    with open_music() as db:
        request = {"TableName": "music", "TableClass": "STANDARD_INFREQUENT_ACCESS"}
        reply = db.call("UpdateTable", request)["TableDescription"]
        assert reply["TableStatus"] == "UPDATING"
        table = db.call("DescribeTable", {"TableName": "music"})["Table"]
        assert table["TableStatus"] == "ACTIVE"
        assert table["TableClassSummary"] == {
            "TableClass": "STANDARD_INFREQUENT_ACCESS",
            "LastUpdateDateTime": START,
        }


def test_a_rejected_update_changes_nothing() -> None:
    with open_music() as db:
        before = db.state.catalog.table("music").definition
        with pytest.raises(ServiceError):
            db.call("UpdateTable", {"TableName": "music", "StreamSpecification": {"StreamEnabled": False}})
        assert db.state.catalog.table("music").definition is before
