"""UpdateTableReplicaAutoScaling and DescribeTableReplicaAutoScaling.

Auto scaling of replicas: the settings are checked, stored with the shared settings and shown; nothing scales.

    AutoScaling   {"Write", "IndexWrite": {index}, "Read": {region}, "IndexRead": {region: {index}}}

Each setting is what the Describe operations show: the limits, the role and the policy of one dimension.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.arns import ACCOUNT, table_name
from tablewright.engine.core.requests.shapes import Boolean, ListOf, Number, Text, required, structure
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.tables.table_rules import Entry
from tablewright.engine.core.tables.table_shapes import INDEX_NAME, TABLE_NAME, TableShape
from tablewright.engine.features.replicas.replica_groups import (
    is_replicated,
    live_members,
    shared_value,
    with_settings,
)
from tablewright.engine.features.replicas.replica_updates import quoted
from tablewright.errors import ResourceNotFound, ValidationError

_UNITS = Number(least=1, java="Long")
# The characters that XML can hold.
_ROLE_ARN = Text(
    shortest=1,
    longest=1600,
    pattern=r"[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]*",
    regex="[\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff\r\n\t]*",
)
UPDATE = structure(
    "AutoScalingSettingsUpdate",
    MinimumUnits=_UNITS,
    MaximumUnits=_UNITS,
    AutoScalingDisabled=Boolean(),
    AutoScalingRoleArn=_ROLE_ARN,
    ScalingPolicyUpdate=structure(
        "AutoScalingPolicyUpdate",
        PolicyName=Text(shortest=1, longest=256, pattern=r"\p{Print}+", regex="[ -~]+"),
        TargetTrackingScalingPolicyConfiguration=required(
            structure(
                "AutoScalingTargetTrackingScalingPolicyConfigurationUpdate",
                DisableScaleIn=Boolean(),
                ScaleInCooldown=Number(),
                ScaleOutCooldown=Number(),
                TargetValue=required(Number(java="Double")),
            )
        ),
    ),
)
INDEX_UPDATES = ListOf(
    structure(
        "GlobalSecondaryIndexAutoScalingUpdate",
        IndexName=INDEX_NAME,
        ProvisionedWriteCapacityAutoScalingUpdate=UPDATE,
    ),
    shortest=1,
)
REPLICA_UPDATES = ListOf(
    structure(
        "ReplicaAutoScalingUpdate",
        RegionName=required(Text()),
        ReplicaGlobalSecondaryIndexUpdates=ListOf(
            structure(
                "ReplicaGlobalSecondaryIndexAutoScalingUpdate",
                IndexName=INDEX_NAME,
                ProvisionedReadCapacityAutoScalingUpdate=UPDATE,
            )
        ),
        ReplicaProvisionedReadCapacityAutoScalingUpdate=UPDATE,
    ),
    shortest=1,
)

_ROLE = (
    f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/dynamodb.application-autoscaling.amazonaws.com/"
    "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable"
)
_SERVICE = (
    "(Service: AWSApplicationAutoScaling; Status Code: 400; Error Code: ValidationException; "
    "Request ID: 00000000-0000-0000-0000-000000000000; Proxy: null)"
)
_DISABLED = {"AutoScalingDisabled": True, "ScalingPolicies": []}
_NEEDED = ("MaximumUnits", "ScalingPolicyUpdate", "MinimumUnits")
_LEAST, _MOST = 10.0, 90.0

Scaling = dict[str, Any]


def global_table(table: StoredTable | None, name: str) -> StoredTable:
    """A table that has replicas, or ResourceNotFoundException."""
    if table is None or not is_replicated(table):
        raise ResourceNotFound(f"Global table with name: '{name}' does not exist.")
    return table


def updated_scaling(table: StoredTable, request: Entry) -> Scaling:
    """The auto scaling of a table after a request, which is checked in AWS's order."""
    name = f"Failed to update settings for global table with name: {quoted(table.name)}"
    _require_update(name, request)
    _require_provisioned(table, request)
    scaling = _scaling_of(table)
    write = request.get("ProvisionedWriteCapacityAutoScalingUpdate")
    if write is not None:
        scaling["Write"] = _updated(name, table.name, "Write", scaling["Write"], write)
    for index in request.get("GlobalSecondaryIndexUpdates") or ():
        update = index.get("ProvisionedWriteCapacityAutoScalingUpdate")
        key = _require_index(table, index["IndexName"])
        if update is not None:
            scaling["IndexWrite"][key] = _updated(
                name, f"{table.name}/index/{key}", "Write", scaling["IndexWrite"].get(key), update
            )
    for replica in request.get("ReplicaUpdates") or ():
        _update_replica(name, table, scaling, replica)
    return scaling


def _update_replica(name: str, table: StoredTable, scaling: Scaling, replica: Entry) -> None:
    region = replica["RegionName"]
    if region not in live_members(table.definition):
        raise ResourceNotFound(
            f"Global table with name: '{table.name}' has no replica in region: '{region}'."
        )
    read = replica.get("ReplicaProvisionedReadCapacityAutoScalingUpdate")
    if read is not None:
        scaling["Read"][region] = _updated(name, table.name, "Read", scaling["Read"].get(region), read)
    for index in replica.get("ReplicaGlobalSecondaryIndexUpdates") or ():
        update = index.get("ProvisionedReadCapacityAutoScalingUpdate")
        key = _require_index(table, index["IndexName"])
        if update is not None:
            indexes = scaling["IndexRead"].setdefault(region, {})
            place = f"{table.name}/index/{key}"
            indexes[key] = _updated(name, place, "Read", indexes.get(key), update)


def _require_update(name: str, request: Entry) -> None:
    replicas = request.get("ReplicaUpdates") or ()
    if not (
        replicas
        or request.get("GlobalSecondaryIndexUpdates")
        or request.get("ProvisionedWriteCapacityAutoScalingUpdate") is not None
    ):
        raise ValidationError(f"{name} because at least one update parameter must be specified.")
    regions = [replica["RegionName"] for replica in replicas]
    repeated = sorted({region for region in regions if regions.count(region) > 1})
    if repeated:
        listed = quoted(f"[{', '.join(repeated)}]")
        raise ValidationError(f"{name} because the regions: {listed} were specified more than once.")
    for replica in replicas:
        if not (
            replica.get("ReplicaGlobalSecondaryIndexUpdates")
            or replica.get("ReplicaProvisionedReadCapacityAutoScalingUpdate") is not None
        ):
            raise ValidationError(
                f"{name} because at least one update parameter must be specified for region: "
                f"{quoted(replica['RegionName'])}."
            )


def _require_provisioned(table: StoredTable, request: Entry) -> None:
    """Reject to scale a table that is billed by request; to disable the scaling is allowed."""
    if table.description.get("BillingModeSummary", {}).get("BillingMode") != "PAY_PER_REQUEST":
        return
    updates = [
        (
            "GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate",
            request.get("ProvisionedWriteCapacityAutoScalingUpdate"),
        ),
        *(
            (
                "ReplicaProvisionedReadCapacityAutoScalingSettingsUpdate",
                replica.get("ReplicaProvisionedReadCapacityAutoScalingUpdate"),
            )
            for replica in request.get("ReplicaUpdates") or ()
        ),
    ]
    for member, update in updates:
        if update is not None and not update.get("AutoScalingDisabled"):
            regions = ", ".join(f"'{region.upper()}'" for region in sorted(live_members(table.definition)))
            raise ValidationError(
                f"Failed to update global table with name \u2018{table.name}\u2018. Replicas {regions} BillingMode is "
                "PayPerRequest. You must convert table's BillingMode to PROVISIONED to set parameters: "
                f"'{member}'."
            )


def _require_index(table: StoredTable, name: str) -> str:
    index = table.index(name)
    if index is None or index.kind != "global":
        raise ResourceNotFound(f"Requested resource not found: Index: {name} not found")
    return name


def _updated(name: str, place: str, kind: str, current: Scaling | None, update: Entry) -> Scaling:
    """One setting after its update: a setting that exists can be changed in part."""
    members = {member: update[member] for member in _NEEDED if update.get(member) is not None}
    if update.get("AutoScalingDisabled"):
        if members:
            listed = ", ".join(f"'{member}'" for member in members)
            raise ValidationError(
                f"{name}: Parameters {listed} must be left blank when disabling auto scaling."
            )
        return dict(_DISABLED)
    exists = current is not None and not current.get("AutoScalingDisabled")
    missing = [f"'{member}'" for member in _NEEDED if member not in members]
    if missing and not exists:
        raise ValidationError(
            f"{name}: Parameters {', '.join(missing)} are required unless auto scaling is being disabled."
        )
    setting: Scaling = {
        **(current if exists and current is not None else {}),
        **{member: int(members[member]) for member in ("MinimumUnits", "MaximumUnits") if member in members},
        "AutoScalingRoleArn": update.get("AutoScalingRoleArn") or _ROLE,
    }
    if "ScalingPolicyUpdate" in members:
        setting["ScalingPolicies"] = [_policy(place, kind, members["ScalingPolicyUpdate"])]
    if setting["MaximumUnits"] < setting["MinimumUnits"]:
        raise ValidationError(f"Maximum capacity cannot be less than minimum capacity {_SERVICE}")
    return setting


def _policy(place: str, kind: str, requested: Entry) -> dict[str, Any]:
    metric = f"DynamoDB{kind}CapacityUtilization"
    configuration = requested["TargetTrackingScalingPolicyConfiguration"]
    target = float(configuration["TargetValue"])
    if not _LEAST <= target <= _MOST:
        raise ValidationError(
            f"For predefined metric type {metric}, target value must be between '{_LEAST}' and '{_MOST}', but was "
            f"'{target}'. {_SERVICE}"
        )
    shown = {name: value for name, value in configuration.items() if value is not None}
    return {
        "PolicyName": requested.get("PolicyName") or f"{metric}:table/{place}",
        "TargetTrackingScalingPolicyConfiguration": {**shown, "TargetValue": target},
    }


def _scaling_of(table: StoredTable) -> Scaling:
    stored = shared_value(table.definition, "AutoScaling") or {}
    return {
        "Write": stored.get("Write"),
        "IndexWrite": dict(stored.get("IndexWrite") or {}),
        "Read": dict(stored.get("Read") or {}),
        "IndexRead": {region: dict(indexes) for region, indexes in (stored.get("IndexRead") or {}).items()},
    }


def show_scaling(table: StoredTable) -> dict[str, Any]:
    """The auto scaling of all replicas, sorted by region, with this one."""
    scaling = _scaling_of(table)
    members = live_members(table.definition)
    return {
        "TableName": table.name,
        "TableStatus": "ACTIVE",
        "Replicas": [_show_replica(table, scaling, region, members[region]) for region in sorted(members)],
    }


def _show_replica(
    table: StoredTable, scaling: Scaling, region: str, member: Mapping[str, Any]
) -> dict[str, Any]:
    indexes = scaling["IndexRead"].get(region, {})
    return {
        "RegionName": region,
        "GlobalSecondaryIndexes": [
            {
                "IndexName": index["IndexName"],
                "IndexStatus": "ACTIVE",
                "ProvisionedReadCapacityAutoScalingSettings": indexes.get(index["IndexName"]) or _DISABLED,
                "ProvisionedWriteCapacityAutoScalingSettings": scaling["IndexWrite"].get(index["IndexName"])
                or _DISABLED,
            }
            for index in table.description.get("GlobalSecondaryIndexes", ())
        ],
        "ReplicaProvisionedReadCapacityAutoScalingSettings": scaling["Read"].get(region) or _DISABLED,
        "ReplicaProvisionedWriteCapacityAutoScalingSettings": scaling["Write"] or _DISABLED,
        "ReplicaStatus": member["Status"],
    }


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
        itemgetter("TableName"),
        _run_describe_table_replica_auto_scaling,
    ),
)
