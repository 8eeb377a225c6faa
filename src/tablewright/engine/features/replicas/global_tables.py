"""Global tables of version 2017.11.29: AWS does not create them any more, so there are none.

The operations of that version still exist: they report that the version is not supported, or that there is no such
global table. Tables with replicas of version 2019.11.21 are not found by them. See `replica_updates` for these.
"""

from operator import itemgetter
from typing import Any, NoReturn

from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.shapes import ListOf, Number, Shape, Text, one_of, required, structure
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.engine.core.tables.table_settings import TABLE_CLASSES
from tablewright.engine.core.tables.table_shapes import BILLING_MODE, INDEX_NAME
from tablewright.engine.features.replicas.replica_auto_scaling import UPDATE
from tablewright.errors import GlobalTableNotFound, ValidationError

GLOBAL_TABLE_NAME = required(Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"))


def version_not_supported() -> ValidationError:
    """The error for a request to create a global table, or a replica of one."""
    return ValidationError(
        f"{INVALID}DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global "
        "tables version 2019.11.21, instead of version 2017.11.29 (Legacy)."
    )


def not_found(name: str) -> GlobalTableNotFound:
    """The error for a global table by its name."""
    return GlobalTableNotFound(f"Global table with name: '{name}' does not exist.")


_CREATE_GLOBAL_TABLE = Shape(
    GlobalTableName=GLOBAL_TABLE_NAME,
    ReplicationGroup=required(ListOf(structure("Replica", RegionName=Text()))),
)


def _parse_create_global_table(request: dict[str, Any]) -> None:
    """Nothing is needed of the request."""


def _run_create_global_table(tx: Reading, request: None) -> NoReturn:
    """Reject the request as AWS does."""
    raise version_not_supported()


_DESCRIBE_GLOBAL_TABLE = Shape(GlobalTableName=GLOBAL_TABLE_NAME)


def _run_describe_global_table(tx: Reading, request: str) -> NoReturn:
    """Reject the request as AWS does."""
    raise GlobalTableNotFound(f"Global table not found: Global table with name: '{request}' does not exist.")


_DESCRIBE_GLOBAL_TABLE_SETTINGS = Shape(GlobalTableName=GLOBAL_TABLE_NAME)


def _run_describe_global_table_settings(tx: Reading, request: str) -> NoReturn:
    """Reject the request as AWS does."""
    raise not_found(request)


_LIST_GLOBAL_TABLES = Shape(
    ExclusiveStartGlobalTableName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"),
    Limit=Number(least=1),
    RegionName=Text(),
)


def _parse_list_global_tables(request: dict[str, Any]) -> None:
    """Nothing is needed of the request."""


def _run_list_global_tables(tx: Reading, request: None) -> Reply:
    """An empty list."""
    return {"GlobalTables": []}


_REGION = required(Text())
_UPDATE_GLOBAL_TABLE = Shape(
    GlobalTableName=GLOBAL_TABLE_NAME,
    ReplicaUpdates=required(
        ListOf(
            structure(
                "ReplicaUpdate",
                Create=structure("CreateReplicaAction", RegionName=_REGION),
                Delete=structure("DeleteReplicaAction", RegionName=_REGION),
            )
        )
    ),
)


def _parse_update_global_table(request: dict[str, Any]) -> str:
    """The name of the global table; a new replica is rejected before the table is searched."""
    updates = request["ReplicaUpdates"]
    if not updates:
        raise ValidationError("One or more parameter values were invalid")
    if any(update.get("Create") for update in updates):
        raise version_not_supported()
    return request["GlobalTableName"]  # type: ignore[no-any-return]


def _run_update_global_table(tx: Reading, request: str) -> NoReturn:
    """Reject the request as AWS does."""
    raise not_found(request)


_UNITS = Number(least=1, java="Long")
_UPDATE_GLOBAL_TABLE_SETTINGS = Shape(
    GlobalTableName=GLOBAL_TABLE_NAME,
    GlobalTableBillingMode=BILLING_MODE,
    GlobalTableProvisionedWriteCapacityUnits=_UNITS,
    GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate=UPDATE,
    GlobalTableGlobalSecondaryIndexSettingsUpdate=ListOf(
        structure(
            "GlobalTableGlobalSecondaryIndexSettingsUpdate",
            IndexName=INDEX_NAME,
            ProvisionedWriteCapacityUnits=_UNITS,
            ProvisionedWriteCapacityAutoScalingSettingsUpdate=UPDATE,
        ),
        shortest=1,
        longest=20,
    ),
    ReplicaSettingsUpdate=ListOf(
        structure(
            "ReplicaSettingsUpdate",
            RegionName=required(Text()),
            ReplicaProvisionedReadCapacityUnits=_UNITS,
            ReplicaProvisionedReadCapacityAutoScalingSettingsUpdate=UPDATE,
            ReplicaGlobalSecondaryIndexSettingsUpdate=ListOf(
                structure(
                    "ReplicaGlobalSecondaryIndexSettingsUpdate",
                    IndexName=INDEX_NAME,
                    ProvisionedReadCapacityUnits=_UNITS,
                    ProvisionedReadCapacityAutoScalingSettingsUpdate=UPDATE,
                ),
                shortest=1,
                longest=20,
            ),
            ReplicaTableClass=one_of(*TABLE_CLASSES),
        ),
        shortest=1,
        longest=50,
    ),
)


def _run_update_global_table_settings(tx: Reading, request: str) -> NoReturn:
    """Reject the request as AWS does."""
    raise not_found(request)


OPERATIONS = (
    Operation(
        "CreateGlobalTable",
        _CREATE_GLOBAL_TABLE,
        "read",
        _parse_create_global_table,
        _run_create_global_table,
    ),
    Operation(
        "DescribeGlobalTable",
        _DESCRIBE_GLOBAL_TABLE,
        "read",
        itemgetter("GlobalTableName"),
        _run_describe_global_table,
    ),
    Operation(
        "DescribeGlobalTableSettings",
        _DESCRIBE_GLOBAL_TABLE_SETTINGS,
        "read",
        itemgetter("GlobalTableName"),
        _run_describe_global_table_settings,
    ),
    Operation(
        "ListGlobalTables", _LIST_GLOBAL_TABLES, "read", _parse_list_global_tables, _run_list_global_tables
    ),
    Operation(
        "UpdateGlobalTable",
        _UPDATE_GLOBAL_TABLE,
        "read",
        _parse_update_global_table,
        _run_update_global_table,
    ),
    Operation(
        "UpdateGlobalTableSettings",
        _UPDATE_GLOBAL_TABLE_SETTINGS,
        "read",
        itemgetter("GlobalTableName"),
        _run_update_global_table_settings,
    ),
)
