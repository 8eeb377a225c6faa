"""UpdateTableReplicaAutoScaling: change the auto scaling settings of a table's replicas; nothing scales by them."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.arns import table_name
from tablewright.engine.core.sessions import Writing
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

NAME = "UpdateTableReplicaAutoScaling"
MODE = "write"
SHAPE = TableShape(
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


def parse(request: dict[str, Any]) -> UpdateTableReplicaAutoScaling:
    """Parse the request."""
    return UpdateTableReplicaAutoScaling(request["TableName"], request)


def run(tx: Writing, request: UpdateTableReplicaAutoScaling) -> Reply:
    """Store the settings in this region; replication brings them to the others."""
    table = global_table(tx.durable_table(request.table), table_name(request.table))
    scaling = updated_scaling(table, request.raw)
    definition = with_settings(table.definition, {"AutoScaling": scaling}, tx.now(), tx.state.region)
    saved = tx.state.catalog.save(tx.rows, definition)
    return {"TableAutoScalingDescription": show_scaling(saved)}
