"""Table states: a created table has the state that its design declares."""

from typing import Any

import pytest

from tablewright import Connection, Index, Table, billing, embedded
from tablewright.access.context import Context
from tablewright.access.create_tables import create_missing
from tablewright.access.procedures import run_sync
from tablewright.errors import UnknownOperation
from tablewright.lifecycle.deploy.setting_changes import setting_changes
from tablewright.lifecycle.deploy.table_state import (
    IndexState,
    TableState,
    current_state,
    desired_state,
    import_schema,
    is_same_key,
    is_same_schema,
)
from tests.engine.features.faults.faulty_table import TABLE

INDEXES = [
    Index("by-owner", "owner", "size", projection="KEYS_ONLY"),
    Index("some", "owner", projection=("b", "a")),
    Index("local", "PK", "owner", local=True),
]

POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"AWS": "arn:aws:iam::123456789012:root"},
            "Action": "dynamodb:GetItem",
            "Resource": "*",
        }
    ],
}


def found(table: Table) -> TableState:
    with embedded() as connection:
        run_sync(create_missing([table], Context()), connection.call)
        state = run_sync(current_state(table.name, desired_state(table, table.name)), connection.call)
    assert state is not None
    return state


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"indexes": INDEXES, "types": {"size": "N"}},
        {"billing": billing.Provisioned(5, 7)},
        {"stream": "NEW_IMAGE", "ttl": "expiresAt"},
        {"deletion_protection": True, "table_class": "STANDARD_INFREQUENT_ACCESS"},
        {"tags": {"team": "notes", "cost": "7"}},
        {"billing": billing.OnDemand(max_read=500), "warm_throughput": billing.WarmThroughput(12_000, 4_000)},
        {"billing": billing.Autoscaled(5, 7, max_read=50, max_write=70)},
        {
            "billing": billing.Provisioned(5, 7),
            "indexes": [Index("own", "owner", billing=billing.Provisioned(1, 2), contributor_insights=True)],
        },
        {"point_in_time_recovery": True, "recovery_days": 7},
        {"contributor_insights": True, "resource_policy": POLICY},
        {"encryption_key": "alias/aws/dynamodb"},
        {"ttl": False, "stream": False, "encryption_key": False, "resource_policy": False},
    ],
    ids=lambda settings: ", ".join(settings) or "plain",
)
def test_a_created_table_has_the_desired_state(settings: dict[str, Any]) -> None:
    table = Table("states", ("PK", "SK"), **settings)
    current, desired = found(table), desired_state(table, "states")
    assert current.key == desired.key == (("PK", "HASH", "S"), ("SK", "RANGE", "S"))
    assert all(index.is_like(desired.index(index.name) or index) for index in current.indexes)
    assert len(current.indexes) == len(desired.indexes)
    assert list(setting_changes(desired, current)) == []


def test_a_missing_table_has_no_state() -> None:
    with embedded() as connection:
        assert run_sync(current_state("absent"), connection.call) is None


def test_an_index_is_found_by_its_name() -> None:
    state = desired_state(Table("states", ("PK", "SK"), INDEXES, types={"size": "N"}), "states")
    index = state.index("some")
    assert index is not None
    assert index.is_like(IndexState("some", (("owner", "HASH", "S"),), ("INCLUDE", "a", "b")))
    assert state.index("none") is None
    assert index.is_like(IndexState("other name", index.key, index.projection))
    assert not index.is_like(IndexState("some", index.key, ("ALL",)))


class Lacking:
    """A store with the DynamoDB API that lacks operations, as DynamoDB Local does."""

    def __init__(self, connection: Connection, *operations: str) -> None:
        self._connection = connection
        self._lacked = operations
        self.asked: list[str] = []

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(operation)
        if operation in self._lacked:
            raise UnknownOperation("An unknown operation was requested.")
        reply = self._connection.call(operation, request)
        if operation == "DescribeTable":  # as moto after an index was added
            reply["Table"]["AttributeDefinitions"] = [{"AttributeName": "SK", "AttributeType": "S"}]
        return reply


def test_only_stated_settings_are_asked_for() -> None:
    table = Table("states", ("PK", "SK"))
    with embedded() as connection:
        run_sync(create_missing([table], Context()), connection.call)
        store = Lacking(connection)
        run_sync(current_state("states", desired_state(table, "states")), store.call)
    assert store.asked == ["DescribeTable", "DescribeTimeToLive"]


def test_a_setting_that_a_store_cannot_tell_is_not_compared() -> None:
    table = Table(
        "states",
        ("PK", "SK"),
        [Index("own", "owner", contributor_insights=True)],
        point_in_time_recovery=True,
        tags={"team": "notes"},
    )
    desired = desired_state(table, "states")
    with embedded() as connection:
        run_sync(
            create_missing([Table("states", ("PK", "SK"), [Index("own", "owner")])], Context()),
            connection.call,
        )
        store = Lacking(
            connection, "DescribeContinuousBackups", "ListTagsOfResource", "DescribeContributorInsights"
        )
        current = run_sync(current_state("states", desired), store.call)
    assert current is not None
    assert current.unread == {"point_in_time_recovery", "tags", "contributor_insights of index own"}
    assert current.key == (("PK", "HASH", "?"), ("SK", "RANGE", "S"))
    assert is_same_schema(current.key, desired.key)
    assert list(setting_changes(desired, current)) == []


@pytest.mark.parametrize(
    ("desired", "current", "is_same"),
    [
        ("alias/aws/dynamodb", "arn:aws:kms:eu-north-1:1:key/a-b", True),
        ("alias/mine", "arn:aws:kms:eu-north-1:1:key/a-b", True),
        ("arn:aws:kms:eu-north-1:1:alias/mine", "arn:aws:kms:eu-north-1:1:key/a-b", True),
        ("arn:aws:kms:eu-north-1:1:key/a-b", "arn:aws:kms:eu-north-1:1:key/a-b", True),
        ("a-b", "arn:aws:kms:eu-north-1:1:key/a-b", True),
        ("arn:aws:kms:eu-north-1:1:key/other", "arn:aws:kms:eu-north-1:1:key/a-b", False),
        ("alias/mine", None, False),
    ],
)
def test_a_key_is_compared_where_its_name_tells(desired: str, current: str | None, is_same: bool) -> None:
    assert is_same_key(desired, current) == is_same


def test_keys_and_global_indexes_are_taken_and_unused_definitions_left_out() -> None:
    local = {
        "IndexName": "by-time",
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "time", "KeyType": "RANGE"},
        ],
        "Projection": {"ProjectionType": "ALL"},
    }
    table = TABLE | {
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "group", "time")
        ],
        "LocalSecondaryIndexes": [local],
    }
    with embedded() as db:
        db.call("CreateTable", table)
        schema = import_schema(db, "things")
    assert schema["KeySchema"] == table["KeySchema"]
    assert [index["IndexName"] for index in schema["GlobalSecondaryIndexes"]] == ["by-group"]
    assert {definition["AttributeName"] for definition in schema["AttributeDefinitions"]} == {
        "pk",
        "sk",
        "group",
    }
    assert "LocalSecondaryIndexes" not in schema
