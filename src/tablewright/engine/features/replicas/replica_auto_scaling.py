"""UpdateTableReplicaAutoScaling and DescribeTableReplicaAutoScaling."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.arns import table_name
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.replicas.auto_scaling import (
    INDEX_UPDATES,
    REPLICA_UPDATES,
    UPDATE,
    global_table,
    show_scaling,
    updated_scaling,
)
from tablewright.engine.features.replicas.shared_settings import with_settings

_UPDATE_TABLE_REPLICA_AUTO_SCALING = TableShape(
    TableName=TABLE_NAME,
    GlobalSecondaryIndexUpdates=INDEX_UPDATES,
    ProvisionedWriteCapacityAutoScalingUpdate=UPDATE,
    ReplicaUpdates=REPLICA_UPDATES,
)


@dataclass(frozen=True, slots=True)
class UpdateTableReplicaAutoScaling:
    """Parsed UpdateTableReplicaAutoScaling request: the table's name or ARN, and the request as sent."""

    table: str
    raw: dict[str, Any]


def _parse_update_table_replica_auto_scaling(request: dict[str, Any]) -> UpdateTableReplicaAutoScaling:
    """Parse the request."""
    return UpdateTableReplicaAutoScaling(request["TableName"], request)


def _run_update_table_replica_auto_scaling(tx: Writing, request: UpdateTableReplicaAutoScaling) -> Reply:
    """Store the settings in this region; replication brings them to the others."""
    table = global_table(tx.durable_table(request.table), table_name(request.table))
    scaling = updated_scaling(table, request.raw)
    definition = with_settings(table.definition, {"AutoScaling": scaling}, tx.now(), tx.state.region)
    saved = tx.state.catalog.save(tx.rows, definition)
    return {"TableAutoScalingDescription": show_scaling(saved)}


_DESCRIBE_TABLE_REPLICA_AUTO_SCALING = TableShape(TableName=TABLE_NAME)


def _parse_describe_table_replica_auto_scaling(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def _run_describe_table_replica_auto_scaling(tx: Reading, request: str) -> Reply:
    """Show the settings of all replicas."""
    table = global_table(tx.durable_table(request), table_name(request))
    return {"TableAutoScalingDescription": show_scaling(table)}


OPERATIONS = (
    Operation(
        "UpdateTableReplicaAutoScaling",
        _UPDATE_TABLE_REPLICA_AUTO_SCALING,
        "write",
        _parse_update_table_replica_auto_scaling,
        _run_update_table_replica_auto_scaling,
    ),
    Operation(
        "DescribeTableReplicaAutoScaling",
        _DESCRIBE_TABLE_REPLICA_AUTO_SCALING,
        "read",
        _parse_describe_table_replica_auto_scaling,
        _run_describe_table_replica_auto_scaling,
    ),
)
