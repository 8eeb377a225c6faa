"""UpdateGlobalTableSettings: there are no global tables of version 2017.11.29, so none is found."""

from typing import Any, NoReturn

from tablewright.engine.core.requests.shapes import ListOf, Number, Shape, Text, one_of, required, structure
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.tables.table_settings import TABLE_CLASSES
from tablewright.engine.core.tables.table_shapes import BILLING_MODE, INDEX_NAME
from tablewright.engine.features.replicas.auto_scaling import UPDATE
from tablewright.engine.features.replicas.global_tables.legacy_global_tables import (
    GLOBAL_TABLE_NAME,
    not_found,
)

NAME = "UpdateGlobalTableSettings"
MODE = "read"
_UNITS = Number(least=1, java="Long")
SHAPE = Shape(
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


def parse(request: dict[str, Any]) -> str:
    """The name of the global table."""
    return request["GlobalTableName"]  # type: ignore[no-any-return]


def run(tx: Reading, request: str) -> NoReturn:
    """Reject the request as AWS does."""
    raise not_found(request)
