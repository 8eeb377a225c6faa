"""DescribeTableReplicaAutoScaling: show the auto scaling settings of a table's replicas."""

from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.arns import table_name
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.replicas.auto_scaling import global_table, show_scaling

NAME = "DescribeTableReplicaAutoScaling"
MODE = "read"
SHAPE = TableShape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def run(tx: Reading, request: str) -> Reply:
    """Show the settings of all replicas."""
    table = global_table(tx.durable_table(request), table_name(request))
    return {"TableAutoScalingDescription": show_scaling(table)}
