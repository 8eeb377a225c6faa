"""DescribeTableReplicaAutoScaling: show the auto scaling settings of a table's replicas."""

from typing import Any

from tablewright.engine.operations import Reply
from tablewright.engine.requests.arns import table_name
from tablewright.engine.sessions import Reading
from tablewright.engine.tables.auto_scaling import global_table, show_scaling
from tablewright.engine.tables.table_shapes import TABLE_NAME, TableShape

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
