"""Replicas: the same table in several regions, each of which can be written (global tables, version 2019.11.21)."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="replicas",
    operations={
        "CreateGlobalTable": "global_tables.create_global_table",
        "CreateReplica": "create_replica",
        "DeleteReplica": "delete_replica",
        "DescribeGlobalTable": "global_tables.describe_global_table",
        "DescribeGlobalTableSettings": "global_tables.describe_global_table_settings",
        "DescribeTableReplicaAutoScaling": "describe_table_replica_auto_scaling",
        "ListGlobalTables": "global_tables.list_global_tables",
        "ReadReplica": "read_replica",
        "UpdateGlobalTable": "global_tables.update_global_table",
        "UpdateGlobalTableSettings": "global_tables.update_global_table_settings",
        "UpdateTableReplicaAutoScaling": "update_table_replica_auto_scaling",
    },
)
