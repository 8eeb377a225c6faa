"""Table states: a table as a design declares it, or as a store has it, in the same form."""

from dataclasses import dataclass
from typing import Any

from tablewright.access.calls.procedures import Call, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.design.tables.billing import Billing, OnDemand, Provisioned
from tablewright.design.tables.tables import Index, Table
from tablewright.errors import ResourceNotFound

KeyPart = tuple[str, str, str]
"""An attribute of a key: its name, HASH or RANGE, and its type."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """The current or desired state of an index."""

    name: str
    key: tuple[KeyPart, ...]
    projection: tuple[str, ...]
    """ALL, KEYS_ONLY, or INCLUDE and the attributes."""
    local: bool = False

    def is_like(self, other: "IndexState") -> bool:
        """Whether both hold the same rows in the same order."""
        return (self.key, self.projection, self.local) == (other.key, other.projection, other.local)


@dataclass(frozen=True, slots=True)
class TableState:
    """The current or desired state of a table; `items` and `bytes` are the store's last counts."""

    name: str
    key: tuple[KeyPart, ...]
    indexes: tuple[IndexState, ...]
    billing: Billing
    stream: str | None
    ttl: str | None
    point_in_time_recovery: bool
    deletion_protection: bool
    table_class: str
    encryption_key: str | None
    tags: tuple[tuple[str, str], ...]
    arn: str = ""
    items: int = 0
    bytes: int = 0

    def index(self, name: str) -> IndexState | None:
        """Return the index with a name, or None."""
        return next((index for index in self.indexes if index.name == name), None)


def desired_state(table: Table, name: str) -> TableState:
    """Return the state of a table that a design declares."""
    return TableState(
        name=name,
        key=_parts(table, zip(table.key, ("HASH", "RANGE"), strict=False)),
        indexes=tuple(_desired_index(table, index) for index in table.indexes),
        billing=table.billing,
        stream=table.stream,
        ttl=table.ttl,
        point_in_time_recovery=table.point_in_time_recovery,
        deletion_protection=table.deletion_protection,
        table_class=table.table_class,
        encryption_key=table.encryption_key,
        tags=tuple(sorted(table.tags.items())),
    )


def _parts(table: Table, attributes: Any) -> tuple[KeyPart, ...]:
    return tuple((name, kind, table.type_of(name)) for name, kind in attributes)


def _desired_index(table: Table, index: Index) -> IndexState:
    kinds = [*((name, "HASH") for name in index.partition), *((name, "RANGE") for name in index.sort)]
    return IndexState(index.name, _parts(table, kinds), _projection(index.definition()), index.local)


def current_state(name: str) -> Procedure[TableState | None]:
    """Return the state of a table in the store, or None if it does not exist."""
    try:
        description = (yield from with_retries(Call("DescribeTable", {"TableName": name})))["Table"]
    except ResourceNotFound:
        return None
    expiry = yield from with_retries(Call("DescribeTimeToLive", {"TableName": name}))
    backups = yield from with_retries(Call("DescribeContinuousBackups", {"TableName": name}))
    tags = yield from _tags(description["TableArn"])
    types = {each["AttributeName"]: each["AttributeType"] for each in description["AttributeDefinitions"]}
    return TableState(
        name=name,
        key=_described_key(description["KeySchema"], types),
        indexes=_described_indexes(description, types),
        billing=_billing(description),
        stream=(description.get("StreamSpecification") or {}).get("StreamViewType"),
        ttl=_expiry(expiry["TimeToLiveDescription"]),
        point_in_time_recovery=_has_recovery(backups["ContinuousBackupsDescription"]),
        deletion_protection=description.get("DeletionProtectionEnabled", False),
        table_class=(description.get("TableClassSummary") or {}).get("TableClass", "STANDARD"),
        encryption_key=(description.get("SSEDescription") or {}).get("KMSMasterKeyArn"),
        tags=tags,
        arn=description["TableArn"],
        items=description.get("ItemCount", 0),
        bytes=description.get("TableSizeBytes", 0),
    )


def _tags(arn: str) -> Procedure[tuple[tuple[str, str], ...]]:
    tags: dict[str, str] = {}
    request: dict[str, Any] = {"ResourceArn": arn}
    while True:
        reply = yield from with_retries(Call("ListTagsOfResource", request))
        tags |= {tag["Key"]: tag["Value"] for tag in reply.get("Tags", ())}
        if not reply.get("NextToken"):
            # AWS reserves tags with this prefix; other tools cannot change them.
            return tuple(sorted((k, v) for k, v in tags.items() if not k.startswith("aws:")))
        request = {"ResourceArn": arn, "NextToken": reply["NextToken"]}


def _described_key(schema: list[dict[str, str]], types: dict[str, str]) -> tuple[KeyPart, ...]:
    return tuple((each["AttributeName"], each["KeyType"], types[each["AttributeName"]]) for each in schema)


def _described_indexes(description: dict[str, Any], types: dict[str, str]) -> tuple[IndexState, ...]:
    return tuple(
        IndexState(
            each["IndexName"],
            _described_key(each["KeySchema"], types),
            _projection(each),
            local,
        )
        for member, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True))
        for each in description.get(member) or ()
    )


def _projection(index: dict[str, Any]) -> tuple[str, ...]:
    projection = index["Projection"]
    return (projection["ProjectionType"], *sorted(projection.get("NonKeyAttributes") or ()))


def _billing(description: dict[str, Any]) -> Billing:
    # Tables that were never on demand have no summary.
    if (description.get("BillingModeSummary") or {}).get("BillingMode") == "PAY_PER_REQUEST":
        return OnDemand()
    throughput = description.get("ProvisionedThroughput") or {}
    read, write = throughput.get("ReadCapacityUnits", 0), throughput.get("WriteCapacityUnits", 0)
    return Provisioned(read, write) if read and write else OnDemand()


def _expiry(description: dict[str, Any]) -> str | None:
    on = description.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
    return description.get("AttributeName") if on else None


def _has_recovery(description: dict[str, Any]) -> bool:
    recovery = description.get("PointInTimeRecoveryDescription") or {}
    return recovery.get("PointInTimeRecoveryStatus") == "ENABLED"
