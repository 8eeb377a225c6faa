"""Deployment steps: their descriptions, costs and requests."""

import pytest

from tablewright import Index, Table, billing
from tablewright.lifecycle.deploy.deployment_steps import (
    AddIndex,
    Backfill,
    DeploymentStep,
    DropIndex,
    ReplaceTable,
    TableCreation,
)
from tablewright.lifecycle.deploy.table_state import IndexState

INDEX = IndexState("by-x", (("x", "HASH", "S"), ("n", "RANGE", "N")), ("INCLUDE", "a"))
DEFINITION = {"TableName": "t", "GlobalSecondaryIndexes": [{"IndexName": "by-x"}]}


@pytest.mark.parametrize(
    ("step", "description", "units", "is_destructive", "operations"),
    [
        (TableCreation("t", DEFINITION), "create table t with indexes by-x", 0, False, ["CreateTable"]),
        (
            ReplaceTable("t", DEFINITION, "its key is a (S), the design has b (S)", "t-replaced"),
            "replace table t (its key is a (S), the design has b (S)): back up as t-replaced, delete, create again",
            0,
            True,
            ["CreateBackup", "DeleteTable", "CreateTable"],
        ),
        (
            AddIndex("t", INDEX, {"IndexName": "by-x"}, {"x": "S"}, 9),
            "add index by-x on x, n to t",
            9,
            False,
            ["UpdateTable"],
        ),
        (
            DropIndex("t", "by-x", "the design does not have it"),
            "drop index by-x of t (the design does not have it)",
            0,
            True,
            ["UpdateTable"],
        ),
        (Backfill("t", "by-x", 9), "backfill the key attributes of index by-x in t", 18, False, []),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, DeploymentStep) else "",
)
def test_a_step(
    step: DeploymentStep, description: str, units: int, is_destructive: bool, operations: list[str]
) -> None:
    assert (step.description, step.units, step.is_destructive) == (description, units, is_destructive)
    assert [operation for operation, _ in step.requests] == operations


def test_a_destructive_step_says_what_is_lost() -> None:
    assert ReplaceTable("t", DEFINITION, "why", "t-replaced", 1_234).loss == (
        "the table is deleted, with about 1,234 items, its stream and its history; backup t-replaced keeps the items"
    )
    assert DropIndex("t", "by-x", "why").loss == "reads of index by-x fail"


def test_an_index_is_added_with_its_types_and_projection() -> None:
    table = Table(
        "things",
        "id",
        [Index("by-x", "x", "n", projection=["a"])],
        types={"n": "N"},
        billing=billing.Provisioned(5, 7),
    )
    definition = table.global_index(table.index("by-x"))
    ((_, request),) = AddIndex("t", INDEX, definition, {"x": "S", "n": "N"}).requests
    assert request["AttributeDefinitions"] == [
        {"AttributeName": "x", "AttributeType": "S"},
        {"AttributeName": "n", "AttributeType": "N"},
    ]
    assert request["GlobalSecondaryIndexUpdates"][0]["Create"] == {
        "IndexName": "by-x",
        "KeySchema": [{"AttributeName": "x", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}],
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a"]},
        "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 7},
    }
