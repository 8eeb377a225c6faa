"""Table states: a table as a design declares it, or as a store has it, in the same form."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tablewright.access.layout_records import PREFIX
from tablewright.access.procedures import Call, Procedure, with_retries
from tablewright.connections import Connection
from tablewright.design.billing import Billing, OnDemand, Provisioned, WarmThroughput
from tablewright.design.indexes import Index
from tablewright.design.tables import AWS_MANAGED_KEY, Table
from tablewright.dynamodb.values.vectors import vector_index_definition
from tablewright.errors import InternalFailure, PolicyNotFound, ResourceNotFound, UnknownOperation

KeyPart = tuple[str, str, str]
"""An attribute of a key: its name, HASH or RANGE, and its type."""
UNKNOWN = "?"
"""The type of an attribute that the store does not tell."""


def is_same_schema(one: tuple[KeyPart, ...], other: tuple[KeyPart, ...]) -> bool:
    """Whether two keys are the same, as far as their types are known."""
    return [part[:2] for part in one] == [part[:2] for part in other] and all(
        UNKNOWN in (mine, its) or mine == its for (_, _, mine), (_, _, its) in zip(one, other, strict=True)
    )


@dataclass(frozen=True, slots=True)
class IndexState:
    """The current or desired state of an index."""

    name: str
    key: tuple[KeyPart, ...]
    projection: tuple[str, ...]
    """ALL, KEYS_ONLY, or INCLUDE and the attributes."""
    local: bool = False
    billing: Billing | None = None
    """Of a global index: its capacity."""
    warm: WarmThroughput | None = None
    insights: bool | None = None
    """Whether contributor insights are enabled; None if the design does not say so, or the store was not asked."""

    def is_like(self, other: "IndexState") -> bool:
        """Whether both hold the same rows in the same order."""
        same = (self.projection, self.local) == (other.projection, other.local)
        return same and is_same_schema(self.key, other.key)


@dataclass(frozen=True, slots=True)
class VectorIndexState:
    """The current or desired state of a vector index. It cannot be changed, only dropped and added."""

    name: str
    attribute: str
    dimensions: int
    distance: str
    searched: tuple[KeyPart, ...]
    """The attributes that it is searched by: name, HASH or INLINE_FILTER, and type."""
    projection: tuple[str, ...]

    def is_like(self, other: "VectorIndexState") -> bool:
        """Whether both have the same rows; the order of filters does not matter."""
        mine, its = (replace(state, searched=()) for state in (self, other))
        return mine == its and is_same_schema(tuple(sorted(self.searched)), tuple(sorted(other.searched)))


@dataclass(frozen=True, slots=True)
class TableState:
    """The current or desired state of a table.

    - `stated` has the settings that a design gives; only these are compared.
    - `unread` has the settings that the store could not tell.
    - `items` and `bytes` are the store's last counts.
    """

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
    recovery_days: int | None = None
    warm: WarmThroughput | None = None
    insights: bool = False
    policy: Mapping[str, Any] | None = None
    replicas: frozenset[str] = frozenset()
    vector_indexes: tuple[VectorIndexState, ...] = ()
    stated: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    arn: str = ""
    items: int = 0
    bytes: int = 0

    def index(self, name: str) -> IndexState | None:
        """Return the index with a name, or None."""
        return next((index for index in self.indexes if index.name == name), None)

    def vector_index(self, name: str) -> VectorIndexState | None:
        """Return the vector index with a name, or None."""
        return next((index for index in self.vector_indexes if index.name == name), None)


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
        recovery_days=table.recovery_days,
        warm=table.warm_throughput,
        insights=table.contributor_insights,
        policy=table.resource_policy,
        replicas=frozenset(table.replicas),
        vector_indexes=tuple(
            _vector_index(index.definition(), {name: table.type_of(name) for name in index.key})
            for index in table.vector_indexes
        ),
        stated=table.stated,
    )


def _parts(table: Table, attributes: Any) -> tuple[KeyPart, ...]:
    return tuple((name, kind, table.type_of(name)) for name, kind in attributes)


def _desired_index(table: Table, index: Index) -> IndexState:
    kinds = [*((name, "HASH") for name in index.partition), *((name, "RANGE") for name in index.sort)]
    key, projection = _parts(table, kinds), _projection(index.definition())
    if index.local:
        return IndexState(index.name, key, projection, local=True)
    billing, insights = table.billing_of(index), index.contributor_insights
    return IndexState(index.name, key, projection, False, billing, index.warm_throughput, insights)


def current_state(name: str, desired: TableState | None = None) -> Procedure[TableState | None]:
    """Return the state of a table in the store, or None if it does not exist.

    The store is asked only for what `desired` states: other stores with the DynamoDB API lack some of the operations.
    """
    try:
        description = (yield from with_retries(Call("DescribeTable", {"TableName": name})))["Table"]
    except ResourceNotFound:
        return None
    asked = _Questions(name, description["TableArn"], desired)
    expiry = yield from asked.reply("ttl", "DescribeTimeToLive", always=True)
    backups = yield from asked.reply("point_in_time_recovery", "DescribeContinuousBackups")
    recovery = _recovery(backups)
    insights = yield from asked.reply("contributor_insights", "DescribeContributorInsights")
    indexes = yield from _described_indexes(description, asked)
    tags = yield from asked.tags()
    policy = yield from asked.policy()
    types = {
        definition["AttributeName"]: definition["AttributeType"]
        for definition in description["AttributeDefinitions"]
    }
    return TableState(
        name=name,
        key=_described_key(description["KeySchema"], types),
        indexes=indexes,
        billing=_billing(description, description.get("BillingModeSummary")),
        stream=(description.get("StreamSpecification") or {}).get("StreamViewType"),
        ttl=_expiry(expiry.get("TimeToLiveDescription") or {}),
        point_in_time_recovery=recovery.get("PointInTimeRecoveryStatus") == "ENABLED",
        deletion_protection=description.get("DeletionProtectionEnabled", False),
        table_class=(description.get("TableClassSummary") or {}).get("TableClass", "STANDARD"),
        encryption_key=(description.get("SSEDescription") or {}).get("KMSMasterKeyArn"),
        tags=tags,
        recovery_days=recovery.get("RecoveryPeriodInDays"),
        warm=_warm(description),
        insights=_is_on(insights),
        policy=policy,
        replicas=_replicas(description),
        vector_indexes=tuple(_vector_index(index, types) for index in description.get("VectorIndexes") or ()),
        unread=frozenset(asked.unread),
        arn=description["TableArn"],
        items=description.get("ItemCount", 0),
        bytes=description.get("TableSizeBytes", 0),
    )


class _Questions:
    """The questions about a table beside DescribeTable; `unread` has the settings that the store could not tell."""

    def __init__(self, name: str, arn: str, desired: TableState | None) -> None:
        self._name = name
        self._arn = arn
        self.desired = desired
        self.unread: set[str] = set()

    def _is_stated(self, setting: str) -> bool:
        return self.desired is None or setting in self.desired.stated

    def reply(
        self, setting: str, operation: str, *, always: bool = False, **members: str
    ) -> Procedure[dict[str, Any]]:
        if not always and not self._is_stated(setting):
            return {}
        return (yield from self._ask(setting, operation, {"TableName": self._name, **members}))

    def _ask(self, setting: str, operation: str, request: dict[str, Any]) -> Procedure[dict[str, Any]]:
        try:
            return (yield from with_retries(Call(operation, request)))
        except (UnknownOperation, InternalFailure):
            self.unread.add(setting)
            return {}

    def tags(self) -> Procedure[tuple[tuple[str, str], ...]]:
        tags: dict[str, str] = {}
        request: dict[str, Any] = {"ResourceArn": self._arn}
        while self._is_stated("tags"):
            reply = yield from self._ask("tags", "ListTagsOfResource", request)
            tags |= {tag["Key"]: tag["Value"] for tag in reply.get("Tags", ())}
            if not reply.get("NextToken"):
                break
            request = {"ResourceArn": self._arn, "NextToken": reply["NextToken"]}
        # AWS reserves tags with its prefix; those of layout records are no setting.
        return tuple(sorted(tag for tag in tags.items() if not tag[0].startswith(("aws:", PREFIX))))

    def policy(self) -> Procedure[Mapping[str, Any] | None]:
        if not self._is_stated("resource_policy"):
            return None
        try:
            reply = yield from self._ask("resource_policy", "GetResourcePolicy", {"ResourceArn": self._arn})
        except PolicyNotFound:
            return None
        document: Mapping[str, Any] | None = json.loads(reply.get("Policy") or "null")
        return document


def _described_key(schema: list[dict[str, str]], types: dict[str, str]) -> tuple[KeyPart, ...]:
    return tuple(
        (element["AttributeName"], element["KeyType"], types.get(element["AttributeName"], UNKNOWN))
        for element in schema
    )


def _described_indexes(description: dict[str, Any], asked: _Questions) -> Procedure[tuple[IndexState, ...]]:
    types = {
        definition["AttributeName"]: definition["AttributeType"]
        for definition in description["AttributeDefinitions"]
    }
    states = []
    for index in description.get("LocalSecondaryIndexes") or ():
        key = _described_key(index["KeySchema"], types)
        states.append(IndexState(index["IndexName"], key, _projection(index), local=True))
    for described in description.get("GlobalSecondaryIndexes") or ():
        name, key = described["IndexName"], _described_key(described["KeySchema"], types)
        billing = _billing(described, description.get("BillingModeSummary"))
        desired = asked.desired.index(name) if asked.desired else None
        insights = None
        if desired is not None and desired.insights is not None:
            setting = f"contributor_insights of index {name}"
            reply = yield from asked.reply(
                setting, "DescribeContributorInsights", always=True, IndexName=name
            )
            insights = None if setting in asked.unread else _is_on(reply)
        states.append(
            IndexState(name, key, _projection(described), False, billing, _warm(described), insights)
        )
    return tuple(states)


def _vector_index(index: dict[str, Any], types: Mapping[str, str]) -> VectorIndexState:
    return VectorIndexState(
        index["IndexName"],
        index["VectorAttribute"]["AttributeName"],
        int(index["Dimensions"]),
        index["DistanceFunction"],
        tuple(
            (
                element["AttributeName"],
                element["SearchSchemaElementType"],
                types.get(element["AttributeName"], UNKNOWN),
            )
            for element in index.get("SearchSchema") or ()
        ),
        _projection(index),
    )


def _projection(index: dict[str, Any]) -> tuple[str, ...]:
    projection = index["Projection"]
    return (projection["ProjectionType"], *sorted(projection.get("NonKeyAttributes") or ()))


def _billing(description: dict[str, Any], summary: dict[str, Any] | None) -> Billing:
    """The billing of a table or an index; `summary` is that of the table."""
    throughput = description.get("ProvisionedThroughput") or {}
    read, write = throughput.get("ReadCapacityUnits", 0), throughput.get("WriteCapacityUnits", 0)
    # Tables that were never on demand have no summary.
    if (summary or {}).get("BillingMode") != "PAY_PER_REQUEST" and read and write:
        return Provisioned(read, write)
    limits = description.get("OnDemandThroughput") or {}
    return OnDemand(*(_limit(limits.get(name)) for name in ("MaxReadRequestUnits", "MaxWriteRequestUnits")))


def _limit(units: int | None) -> int | None:
    return units if units is not None and units > 0 else None


def _warm(description: dict[str, Any]) -> WarmThroughput | None:
    warm = description.get("WarmThroughput") or {}
    read, write = warm.get("ReadUnitsPerSecond"), warm.get("WriteUnitsPerSecond")
    return WarmThroughput(read, write) if read and write else None


def _expiry(description: dict[str, Any]) -> str | None:
    on = description.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
    return description.get("AttributeName") if on else None


def _recovery(reply: dict[str, Any]) -> dict[str, Any]:
    backups = reply.get("ContinuousBackupsDescription") or {}
    return backups.get("PointInTimeRecoveryDescription") or {}


def _is_on(insights: dict[str, Any]) -> bool:
    return insights.get("ContributorInsightsStatus") in ("ENABLED", "ENABLING")


def _replicas(description: dict[str, Any]) -> frozenset[str]:
    """The other regions of a global table."""
    own = description["TableArn"].split(":")[3]
    regions: Iterable[str] = (replica["RegionName"] for replica in description.get("Replicas") or ())
    return frozenset(regions) - {own}


def is_same_key(desired: str, current: str | None) -> bool:
    """Whether two names may be those of the same KMS key: an alias cannot be compared with an ARN."""
    if current is None:
        return False
    return desired == AWS_MANAGED_KEY or ":alias/" in f":{desired}" or current.endswith(desired)


def import_schema(connection: Connection, table: str) -> dict[str, Any]:
    """Return the keys, global and vector indexes of a table for an import, which cannot create local indexes."""
    described = connection.call("DescribeTable", {"TableName": table})["Table"]
    indexes = [
        {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
        for index in described.get("GlobalSecondaryIndexes", ())
    ]
    vector_indexes = [vector_index_definition(index) for index in described.get("VectorIndexes", ())]
    schemas = [
        described["KeySchema"],
        *(index["KeySchema"] for index in indexes),
        *(index.get("SearchSchema", ()) for index in vector_indexes),
    ]
    used = {element["AttributeName"] for schema in schemas for element in schema}
    definitions = [
        definition for definition in described["AttributeDefinitions"] if definition["AttributeName"] in used
    ]
    schema = {"KeySchema": described["KeySchema"], "AttributeDefinitions": definitions}
    lists = {"GlobalSecondaryIndexes": indexes, "VectorIndexes": vector_indexes}
    return schema | {name: members for name, members in lists.items() if members}
