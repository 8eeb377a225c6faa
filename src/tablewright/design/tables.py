"""Tables: what is deployed, as data.

Requests that change settings which CreateTable does not take.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, TypeVar

from tablewright.design.billing import (
    Billing,
    OnDemand,
    WarmThroughput,
    billing_members,
    throughput_members,
)
from tablewright.design.indexes import Index, VectorIndex, attribute_names
from tablewright.dynamodb.limits import MAX_VECTOR_INDEXES
from tablewright.errors import DesignError

KeyType = Literal["S", "N", "B"]
StreamView = Literal["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]
TableClass = Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"]

_NAME = re.compile(r"[a-zA-Z0-9_.-]*")
_SHORTEST, _LONGEST = 3, 255
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d")
AWS_MANAGED_KEY = "alias/aws/dynamodb"
"""The KMS key that AWS manages for DynamoDB in each account."""
SETTINGS = (
    "ttl",
    "stream",
    "billing",
    "warm_throughput",
    "encryption_key",
    "point_in_time_recovery",
    "recovery_days",
    "deletion_protection",
    "table_class",
    "contributor_insights",
    "resource_policy",
    "replicas",
    "tags",
)
"""The settings of a table that a deployment compares, if the design gives them."""
LONGEST_RECOVERY = 35
"""The most days of point-in-time recovery."""
PLACEHOLDER = re.compile(r"\$?\{([A-Za-z_:][A-Za-z0-9_:]*)\}")
"""The placeholder of the environment in a table name."""


AnyIndex = TypeVar("AnyIndex", bound=Index)


class Table:
    """A table, its indexes and its settings.

    - `name` may contain `{env}` (or `${AWS::StackName}`), which is replaced by the environment when connecting. If the
      environment variable `variable` is set, its value is the name.
    - `key` is the partition key attribute, or the partition key and sort key attributes. Keys are strings unless
      `types` gives another type.
    - `vector_indexes` are the indexes that `Nearest` patterns search; they need `billing.OnDemand()`.
    - `discriminator` is the attribute that holds the type of an item, when the table contains several entities.
    - `encryption_key` is a KMS key, or "alias/aws/dynamodb" for the key that AWS manages in the account.
    - `recovery_days` is the period of point-in-time recovery, 1 to 35 days.
    - `resource_policy` is a policy document; `replicas` are the other regions of a global table.
    - `literal` tables are declared exactly as in an existing document: problems do not raise an error when a class is
      defined, and `tablewright check` reports them.

    A deployment changes only the settings that are given. `False` switches a setting off: `ttl=False`, `stream=False`,
    `encryption_key=False` (the key that DynamoDB owns), `resource_policy=False`. `stated` has the names of the given
    settings.

    >>> users = Table("app-{env}-users", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])
    >>> users.physical_name("main")
    'app-main-users'
    >>> sorted(Table("events", key="id", stream=False, point_in_time_recovery=True).stated)
    ['point_in_time_recovery', 'stream']
    """

    def __init__(
        self,
        name: str,
        key: str | Sequence[str],
        indexes: Sequence[Index] = (),
        *,
        vector_indexes: Sequence[VectorIndex] = (),
        types: Mapping[str, KeyType] | None = None,
        discriminator: str = "type",
        ttl: str | Literal[False] | None = None,
        stream: StreamView | Literal[False] | None = None,
        billing: Billing | None = None,
        warm_throughput: WarmThroughput | None = None,
        encryption_key: str | Literal[False] | None = None,
        point_in_time_recovery: bool | None = None,
        recovery_days: int | None = None,
        deletion_protection: bool | None = None,
        table_class: TableClass | None = None,
        contributor_insights: bool | None = None,
        resource_policy: Mapping[str, Any] | Literal[False] | None = None,
        replicas: Sequence[str] | None = None,
        tags: Mapping[str, str] | None = None,
        variable: str | None = None,
        literal: bool = False,
    ) -> None:
        arguments = locals()
        self.name = name
        self.key = attribute_names(key)
        self.indexes = tuple(indexes)
        self.vector_indexes = tuple(vector_indexes)
        self.types = dict(types or {})
        self.discriminator = discriminator
        self.ttl = ttl or None
        self.stream = stream or None
        self.billing = billing or OnDemand()
        self.warm_throughput = warm_throughput
        self.encryption_key = encryption_key or None
        self.point_in_time_recovery = bool(point_in_time_recovery)
        self.recovery_days = recovery_days
        self.deletion_protection = bool(deletion_protection)
        self.table_class: TableClass = table_class or "STANDARD"
        self.contributor_insights = bool(contributor_insights)
        self.resource_policy = dict(resource_policy) if resource_policy else None
        self.replicas = tuple(replicas or ())
        self.tags = dict(tags or {})
        self.stated = frozenset(name for name in SETTINGS if arguments[name] is not None)
        self.variable = variable
        self.literal = literal
        self._check()

    def __repr__(self) -> str:
        return f"Table({self.name!r}, key={self.key!r})"

    def _check(self) -> None:
        varies = bool(PLACEHOLDER.search(self.name))
        _check_name(PLACEHOLDER.sub("", self.name), f"table {self.name!r}", varies=varies)
        for index in self.all_indexes:
            _check_name(index.name, f"index {index.name!r} of table {self.name}")
        if len(self.key) not in (1, 2):
            raise DesignError(f"table {self.name}: a key has one or two attributes, got {len(self.key)}")
        seen: set[str] = set()
        for index in self.all_indexes:
            if index.name in seen:
                raise DesignError(f"table {self.name} has two indexes named {index.name}; rename one")
            seen.add(index.name)
        unused = set(self.types) - set(self.defined_attributes)
        if unused:
            raise DesignError(
                f"table {self.name}: types contains {', '.join(sorted(unused))}, which no key uses; "
                "only key attributes have a type"
            )
        self._check_vector_indexes()
        self._check_settings()

    def _check_vector_indexes(self) -> None:
        for index in self.indexes:
            if isinstance(index, VectorIndex):
                raise DesignError(
                    f"table {self.name} has {index.name} among its indexes; "
                    f"write Table(..., vector_indexes=[{index!r}])"
                )
        if self.vector_indexes and not isinstance(self.billing, OnDemand):
            raise DesignError(
                f"table {self.name} has vector indexes, which need billing.OnDemand(); it has {self.billing}"
            )
        if len(self.vector_indexes) > MAX_VECTOR_INDEXES:
            raise DesignError(
                f"table {self.name} has {len(self.vector_indexes)} vector indexes; "
                f"DynamoDB allows up to {MAX_VECTOR_INDEXES}"
            )
        sizes: dict[str, int] = {}
        for index in self.vector_indexes:
            if index.attribute in self.defined_attributes:
                raise DesignError(
                    f"vector index {index.name} of table {self.name} has the vector {index.attribute}, which is part "
                    "of a key or a filter; give the vector an attribute of its own"
                )
            if (size := sizes.setdefault(index.attribute, index.dimensions)) != index.dimensions:
                raise DesignError(
                    f"table {self.name} has vector indexes of {index.attribute} with {size} and {index.dimensions} "
                    "dimensions; the vectors of one attribute have one size"
                )

    def _check_settings(self) -> None:
        if self.recovery_days is not None:
            if not 1 <= self.recovery_days <= LONGEST_RECOVERY:
                raise DesignError(
                    f"table {self.name}: recovery_days is 1 to {LONGEST_RECOVERY}, got {self.recovery_days}"
                )
            if not self.point_in_time_recovery:
                raise DesignError(
                    f"table {self.name}: recovery_days has no effect without point_in_time_recovery=True; add it"
                )
        for region in self.replicas:
            if not _REGION.fullmatch(region):
                raise DesignError(
                    f"table {self.name}: {region!r} in replicas is not a region; write for example 'eu-west-1'"
                )
        if self.replicas and self.stream != "NEW_AND_OLD_IMAGES":
            raise DesignError(f'table {self.name}: replicas need stream="NEW_AND_OLD_IMAGES"; add it')
        for index in self.indexes:
            if index.billing and isinstance(index.billing, OnDemand) != isinstance(self.billing, OnDemand):
                raise DesignError(
                    f"index {index.name} of table {self.name} has {index.billing}, its table {self.billing}; "
                    "both must be on demand, or both provisioned"
                )

    def billing_of(self, index: Index) -> Billing:
        """The billing of a global index."""
        return index.billing or self.billing

    @property
    def partition(self) -> str:
        """The partition key attribute."""
        return self.key[0]

    @property
    def sort(self) -> str | None:
        """The sort key attribute, or None."""
        return self.key[1] if len(self.key) == 2 else None

    @cached_property
    def key_attributes(self) -> tuple[str, ...]:
        """Every attribute that is a key of the table or of an index, each once."""
        return tuple(dict.fromkeys((*self.key, *(name for index in self.indexes for name in index.key))))

    @cached_property
    def defined_attributes(self) -> tuple[str, ...]:
        """Every attribute with a type: the key attributes, and those that vector indexes are searched by."""
        searched = (name for index in self.vector_indexes for name in index.key)
        return tuple(dict.fromkeys((*self.key_attributes, *searched)))

    @cached_property
    def vector_attributes(self) -> frozenset[str]:
        """The attributes that hold the vectors of vector indexes."""
        return frozenset(index.attribute for index in self.vector_indexes)

    @property
    def all_indexes(self) -> tuple[Index, ...]:
        """The indexes, and the vector indexes after them."""
        return (*self.indexes, *self.vector_indexes)

    def type_of(self, attribute: str) -> KeyType:
        """The type of a key attribute."""
        return self.types.get(attribute, "S")

    def index(self, name: str) -> Index:
        """The index of that name; `DesignError` if there is none."""
        return self._named(self.indexes, name, "index")

    def vector_index(self, name: str) -> VectorIndex:
        """The vector index of that name; `DesignError` if there is none."""
        return self._named(self.vector_indexes, name, "vector index")

    def _named(self, indexes: Sequence[AnyIndex], name: str, kind: str) -> AnyIndex:
        for index in indexes:
            if index.name == name:
                return index
        known = ", ".join(index.name for index in indexes) or "none"
        raise DesignError(f"table {self.name} has no {kind} {name}; it has: {known}")

    def physical_name(self, environment: str | None = None) -> str:
        """The name in an AWS account: the value of the variable, or `name` with its placeholder replaced."""
        if self.variable and (physical := os.environ.get(self.variable)) is not None:
            if not physical.strip():
                raise DesignError(
                    f"table {self.name}: the variable {self.variable} is set, but empty; name the table, or unset it"
                )
            _check_name(physical, f"table {self.name!r} is called {physical!r} by {self.variable}, which")
            return physical

        def fill(match: re.Match[str]) -> str:
            if environment is None:
                raise DesignError(
                    f"table {self.name}: {match[0]} needs an environment, such as dev; use --env dev on the "
                    'command line, or connect(design, ..., environment="dev") in Python'
                )
            return environment

        name = PLACEHOLDER.sub(fill, self.name)
        _check_name(name, f"table {self.name!r} is called {name!r} in the environment {environment!r}, which")
        return name

    def definition(self, environment: str | None = None) -> dict[str, Any]:
        """The CreateTable request that makes this table."""
        kinds = zip(self.key, ("HASH", "RANGE"), strict=False)
        request: dict[str, Any] = {
            "TableName": self.physical_name(environment),
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": self.type_of(name)}
                for name in self.defined_attributes
            ],
            "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in kinds],
        }
        if "deletion_protection" in self.stated:
            request["DeletionProtectionEnabled"] = self.deletion_protection
        request |= billing_members(self.billing)
        if self.warm_throughput is not None:
            request["WarmThroughput"] = self.warm_throughput.members()
        if globals_ := [index for index in self.indexes if not index.local]:
            request["GlobalSecondaryIndexes"] = [self.global_index(index) for index in globals_]
        if locals_ := [index for index in self.indexes if index.local]:
            request["LocalSecondaryIndexes"] = [index.definition() for index in locals_]
        if self.vector_indexes:
            request["VectorIndexes"] = [index.definition() for index in self.vector_indexes]
        if self.stream is not None:
            request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": self.stream}
        if self.encryption_key is not None:
            request["SSESpecification"] = encryption_members(self.encryption_key)
        if self.resource_policy is not None:
            import json

            request["ResourcePolicy"] = json.dumps(self.resource_policy)
        if self.table_class != "STANDARD":
            request["TableClass"] = self.table_class
        if self.tags:
            request["Tags"] = [{"Key": name, "Value": value} for name, value in self.tags.items()]
        return request

    def global_index(self, index: Index) -> dict[str, Any]:
        """A global index as a member of CreateTable, with its capacity."""
        warm = {"WarmThroughput": index.warm_throughput.members()} if index.warm_throughput else {}
        return index.definition() | throughput_members(self.billing_of(index)) | warm


def encryption_members(key: str) -> dict[str, Any]:
    """The members of CreateTable for encryption with a KMS key."""
    # AWS accepts every key here but the one it manages itself, which is the default.
    named = {} if key == AWS_MANAGED_KEY else {"KMSMasterKeyId": key}
    return {"Enabled": True, "SSEType": "KMS", **named}


def _check_name(name: str, subject: str, *, varies: bool = False) -> None:
    """Reject a name that DynamoDB does not allow; a name with a placeholder (`varies`) may be too short."""
    if not _NAME.fullmatch(name):
        odd = next(letter for letter in name if not _NAME.fullmatch(letter))
        raise DesignError(f"{subject} has {odd!r} in its name; use letters, digits, '_', '-' and '.'")
    if len(name) > _LONGEST or (len(name) < _SHORTEST and not varies):
        raise DesignError(
            f"{subject} has a name of {len(name)} characters; DynamoDB allows {_SHORTEST} to {_LONGEST}"
        )


Request = tuple[str, dict[str, Any]]
"""An operation and its request."""


def expiry_request(table: str, attribute: str, *, enabled: bool) -> Request:
    """Enable or disable the expiry of items by an attribute."""
    setting = {"Enabled": enabled, "AttributeName": attribute}
    return "UpdateTimeToLive", {"TableName": table, "TimeToLiveSpecification": setting}


def recovery_request(table: str, *, enabled: bool, days: int | None = None) -> Request:
    """Enable or disable point-in-time recovery."""
    setting: dict[str, Any] = {"PointInTimeRecoveryEnabled": enabled}
    setting |= {"RecoveryPeriodInDays": days} if enabled and days is not None else {}
    return "UpdateContinuousBackups", {"TableName": table, "PointInTimeRecoverySpecification": setting}


def insights_request(table: str, *, enabled: bool, index: str | None = None) -> Request:
    """Enable or disable the contributor insights of a table or an index."""
    action = {"ContributorInsightsAction": "ENABLE" if enabled else "DISABLE"}
    return "UpdateContributorInsights", {
        "TableName": table,
        **({"IndexName": index} if index else {}),
        **action,
    }


def replica_request(table: str, action: str, region: str) -> Request:
    """Create or delete the replica of a table in another region; `action` is "Create" or "Delete"."""
    return "UpdateTable", {"TableName": table, "ReplicaUpdates": [{action: {"RegionName": region}}]}


def requests_after_creation(table: Table, name: str) -> Iterator[Request]:
    """The settings of a new table that CreateTable does not take."""
    if table.ttl is not None:
        yield expiry_request(name, table.ttl, enabled=True)
    if table.point_in_time_recovery:
        yield recovery_request(name, enabled=True, days=table.recovery_days)
    if table.contributor_insights:
        yield insights_request(name, enabled=True)
    for index in table.indexes:
        if index.contributor_insights:
            yield insights_request(name, enabled=True, index=index.name)
    for region in table.replicas:
        yield replica_request(name, "Create", region)
