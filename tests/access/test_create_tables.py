"""Table creation: missing tables are created with their TTL, existing ones are left alone."""

from typing import Any

from tablewright import embedded
from tablewright.access.calls.procedures import Reply, run_sync
from tablewright.access.context import Context
from tablewright.access.create_tables import POLL, create_missing
from tablewright.errors import ResourceInUse, ResourceNotFound
from tests.access import shop

CONTEXT = Context(environment="dev")
TABLES = [shop.main, shop.events]


def test_only_missing_tables_are_created() -> None:
    with embedded() as connection:
        assert run_sync(create_missing([shop.main], CONTEXT), connection.call) == ["shop-dev-main"]
        assert run_sync(create_missing(TABLES, CONTEXT), connection.call) == ["shop-dev-events"]
        assert run_sync(create_missing(TABLES, CONTEXT), connection.call) == []
        expiry = connection.call("DescribeTimeToLive", {"TableName": "shop-dev-main"})
        assert expiry["TimeToLiveDescription"]["AttributeName"] == "expiresAt"


def test_a_table_that_another_process_creates_is_waited_for() -> None:
    statuses = iter([ResourceNotFound("none"), "CREATING", "CREATING", "ACTIVE"])
    operations: list[str] = []
    pauses: list[float] = []

    def call(operation: str, request: dict[str, Any]) -> Reply:
        operations.append(operation)
        if operation == "CreateTable":
            raise ResourceInUse("another process creates it")
        status = next(statuses)
        if isinstance(status, ResourceNotFound):
            raise status
        return {"Table": {"TableStatus": status}}

    run_sync(create_missing([shop.events], CONTEXT), call, pauses.append)
    assert operations == ["DescribeTable", "CreateTable", *["DescribeTable"] * 3]
    assert pauses == [POLL, POLL]
