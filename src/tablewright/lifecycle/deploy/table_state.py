"""States: what a table is, in the same words whether a design wants it or a store has it."""

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
    """An index as it is or shall be."""

    name: str
    key: tuple[KeyPart, ...]
    projection: tuple[str, ...]
    """ALL, KEYS_ONLY, or INCLUDE and the attributes."""
    local: bool = False
    is_active: bool = True

    def is_like(self, other: "IndexState") -> bool:
        """Whether both hold the same rows in the same order."""
        return (self.key, self.projection, self.local) == (other.key, other.projection, other.local)


@dataclass(frozen=True, slots=True)
class TableState:
    """A table as it is or shall be; `items` and `bytes` are what the store last counted."""

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
    is_active: bool = True

    def index(self, name: str) -> IndexState | None:
        """The index of that name."""
        return next((index for index in self.indexes if index.name == name), None)


def wanted(table: Table, name: str) -> TableState:
    """What a design wants a table to be."""
    return TableState(
        name=name,
        key=_parts(table, zip(table.key, ("HASH", "RANGE"), strict=False)),
        indexes=tuple(_wanted_index(table, index) for index in table.indexes),
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


def _wanted_index(table: Table, index: Index) -> IndexState:
    kinds = [*((name, "HASH") for name in index.partition), *((name, "RANGE") for name in index.sort)]
    return IndexState(index.name, _parts(table, kinds), _projection(index.definition()), index.local)


def found(name: str) -> Procedure[TableState | None]:
    """What a store has by that name."""
    try:
        told = (yield from with_retries(Call("DescribeTable", {"TableName": name})))["Table"]
    except ResourceNotFound:
        return None
    expiry = yield from with_retries(Call("DescribeTimeToLive", {"TableName": name}))
    backups = yield from with_retries(Call("DescribeContinuousBackups", {"TableName": name}))
    tags = yield from _tags(told["TableArn"])
    types = {each["AttributeName"]: each["AttributeType"] for each in told["AttributeDefinitions"]}
    return TableState(
        name=name,
        key=_described_key(told["KeySchema"], types),
        indexes=_described_indexes(told, types),
        billing=_billing(told),
        stream=(told.get("StreamSpecification") or {}).get("StreamViewType"),
        ttl=_expiry(expiry["TimeToLiveDescription"]),
        point_in_time_recovery=_has_recovery(backups["ContinuousBackupsDescription"]),
        deletion_protection=told.get("DeletionProtectionEnabled", False),
        table_class=(told.get("TableClassSummary") or {}).get("TableClass", "STANDARD"),
        encryption_key=(told.get("SSEDescription") or {}).get("KMSMasterKeyArn"),
        tags=tags,
        arn=told["TableArn"],
        items=told.get("ItemCount", 0),
        bytes=told.get("TableSizeBytes", 0),
        is_active=told["TableStatus"] == "ACTIVE",
    )


def _tags(arn: str) -> Procedure[tuple[tuple[str, str], ...]]:
    gathered: dict[str, str] = {}
    request: dict[str, Any] = {"ResourceArn": arn}
    while True:
        reply = yield from with_retries(Call("ListTagsOfResource", request))
        gathered |= {tag["Key"]: tag["Value"] for tag in reply.get("Tags", ())}
        if not reply.get("NextToken"):
            # AWS's own tags come from other tools, and nobody else may change them.
            return tuple(sorted((k, v) for k, v in gathered.items() if not k.startswith("aws:")))
        request = {"ResourceArn": arn, "NextToken": reply["NextToken"]}


def _described_key(schema: list[dict[str, str]], types: dict[str, str]) -> tuple[KeyPart, ...]:
    return tuple((each["AttributeName"], each["KeyType"], types[each["AttributeName"]]) for each in schema)


def _described_indexes(told: dict[str, Any], types: dict[str, str]) -> tuple[IndexState, ...]:
    return tuple(
        IndexState(
            each["IndexName"],
            _described_key(each["KeySchema"], types),
            _projection(each),
            local,
            each.get("IndexStatus", "ACTIVE") == "ACTIVE",
        )
        for member, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True))
        for each in told.get(member) or ()
    )


def _projection(index: dict[str, Any]) -> tuple[str, ...]:
    projection = index["Projection"]
    return (projection["ProjectionType"], *sorted(projection.get("NonKeyAttributes") or ()))


def _billing(told: dict[str, Any]) -> Billing:
    # Tables that were never on demand have no summary.
    if (told.get("BillingModeSummary") or {}).get("BillingMode") == "PAY_PER_REQUEST":
        return OnDemand()
    throughput = told.get("ProvisionedThroughput") or {}
    read, write = throughput.get("ReadCapacityUnits", 0), throughput.get("WriteCapacityUnits", 0)
    return Provisioned(read, write) if read and write else OnDemand()


def _expiry(told: dict[str, Any]) -> str | None:
    on = told.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
    return told.get("AttributeName") if on else None


def _has_recovery(told: dict[str, Any]) -> bool:
    recovery = told.get("PointInTimeRecoveryDescription") or {}
    return recovery.get("PointInTimeRecoveryStatus") == "ENABLED"
