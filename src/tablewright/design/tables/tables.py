"""Tables and indexes: what is deployed, as data."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tablewright.design.tables.billing import Billing, OnDemand, billing_members, throughput_members
from tablewright.errors import DesignError

KeyType = Literal["S", "N", "B"]
StreamView = Literal["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]
TableClass = Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"]

_NAME = re.compile(r"[a-zA-Z0-9_.-]*")
_SHORTEST, _LONGEST = 3, 255
PLACEHOLDER = re.compile(r"\$?\{([A-Za-z_:][A-Za-z0-9_:]*)\}")
"""The placeholder of the environment in a table name."""


class Index:
    """A secondary index.

    >>> Index("by-team", "team", "rank").sort
    ('rank',)
    >>> Index("by-place", ("country", "city"), ("street", "number")).partition
    ('country', 'city')
    """

    __slots__ = ("local", "name", "partition", "projection", "sort")

    def __init__(
        self,
        name: str,
        partition: str | Sequence[str],
        sort: str | Sequence[str] = (),
        *,
        projection: Literal["ALL", "KEYS_ONLY"] | Sequence[str] = "ALL",
        local: bool = False,
    ) -> None:
        self.name = name
        self.partition = _names(partition)
        self.sort = _names(sort)
        self.projection = projection if isinstance(projection, str) else tuple(projection)
        self.local = local
        for part, kind in ((self.partition, "partition"), (self.sort, "sort")):
            if len(part) > 4:
                raise DesignError(f"index {name} has {len(part)} {kind} attributes; DynamoDB allows up to 4")

    def __repr__(self) -> str:
        return f"Index({self.name!r}, {self.partition!r}, {self.sort!r})"

    @property
    def key(self) -> tuple[str, ...]:
        """All its key attributes, partition first."""
        return self.partition + self.sort

    def holds(self, table: "Table", attribute: str) -> bool:
        """Whether its rows contain the attribute."""
        return self.projection == "ALL" or attribute in {*self.key, *table.key, *self._included}

    @property
    def _included(self) -> tuple[str, ...]:
        return self.projection if isinstance(self.projection, tuple) else ()

    def definition(self) -> dict[str, Any]:
        """The index as a member of CreateTable."""
        kinds = [*((name, "HASH") for name in self.partition), *((name, "RANGE") for name in self.sort)]
        projection: dict[str, Any] = {"ProjectionType": self.projection}
        if self._included:
            projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(self._included)}
        return {
            "IndexName": self.name,
            "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in kinds],
            "Projection": projection,
        }


class Table:
    """A table, its indexes and its settings.

    - `name` may contain `{env}` (or `${AWS::StackName}`), which is replaced by the environment when connecting. If the
      environment variable `variable` is set, its value is the name.
    - `key` is the partition key attribute, or the partition key and sort key attributes. Keys are strings unless
      `types` gives another type.
    - `discriminator` is the attribute that holds the type of an item, when the table contains several entities.
    - `encryption_key` is a KMS key; without one, DynamoDB uses its own key.
    - `literal` tables are declared exactly as in an existing document: problems do not raise an error when a class is
      defined, and `tablewright check` reports them.

    >>> users = Table("app-{env}-users", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])
    >>> users.physical_name("main")
    'app-main-users'
    """

    def __init__(
        self,
        name: str,
        key: str | Sequence[str],
        indexes: Sequence[Index] = (),
        *,
        types: Mapping[str, KeyType] | None = None,
        discriminator: str = "type",
        ttl: str | None = None,
        stream: StreamView | None = None,
        billing: Billing = OnDemand(),  # noqa: B008 - frozen
        encryption_key: str | None = None,
        point_in_time_recovery: bool = False,
        deletion_protection: bool = False,
        table_class: TableClass = "STANDARD",
        tags: Mapping[str, str] | None = None,
        variable: str | None = None,
        literal: bool = False,
    ) -> None:
        self.name = name
        self.key = _names(key)
        self.indexes = tuple(indexes)
        self.types = dict(types or {})
        self.discriminator = discriminator
        self.ttl = ttl
        self.stream = stream
        self.billing = billing
        self.encryption_key = encryption_key
        self.point_in_time_recovery = point_in_time_recovery
        self.deletion_protection = deletion_protection
        self.table_class = table_class
        self.tags = dict(tags or {})
        self.variable = variable
        self.literal = literal
        self._check()

    def __repr__(self) -> str:
        return f"Table({self.name!r}, key={self.key!r})"

    def _check(self) -> None:
        varies = bool(PLACEHOLDER.search(self.name))
        _check_name(PLACEHOLDER.sub("", self.name), f"table {self.name!r}", varies=varies)
        for index in self.indexes:
            _check_name(index.name, f"index {index.name!r} of table {self.name}")
        if len(self.key) not in (1, 2):
            raise DesignError(f"table {self.name}: a key has one or two attributes, got {len(self.key)}")
        seen: set[str] = set()
        for index in self.indexes:
            if index.name in seen:
                raise DesignError(f"table {self.name} has two indexes named {index.name}; rename one")
            seen.add(index.name)
        unused = set(self.types) - set(self.key_attributes)
        if unused:
            raise DesignError(
                f"table {self.name}: types contains {', '.join(sorted(unused))}, which no key uses; "
                "only key attributes have a type"
            )

    @property
    def partition(self) -> str:
        """The partition key attribute."""
        return self.key[0]

    @property
    def sort(self) -> str | None:
        """The sort key attribute, or None."""
        return self.key[1] if len(self.key) == 2 else None

    @property
    def key_attributes(self) -> tuple[str, ...]:
        """Every attribute that is a key of the table or of an index, each once."""
        return tuple(dict.fromkeys((*self.key, *(name for index in self.indexes for name in index.key))))

    def type_of(self, attribute: str) -> KeyType:
        """The type of a key attribute."""
        return self.types.get(attribute, "S")

    def index(self, name: str) -> Index:
        """The index of that name; `DesignError` if there is none."""
        for index in self.indexes:
            if index.name == name:
                return index
        known = ", ".join(index.name for index in self.indexes) or "none"
        raise DesignError(f"table {self.name} has no index {name}; it has: {known}")

    def physical_name(self, environment: str | None = None) -> str:
        """The name in an AWS account: the value of the variable, or `name` with its placeholder replaced."""
        if self.variable and (given := os.environ.get(self.variable)) is not None:
            if not given.strip():
                raise DesignError(
                    f"table {self.name}: the variable {self.variable} is set, but empty; name the table, or unset it"
                )
            _check_name(given, f"table {self.name!r} is called {given!r} by {self.variable}, which")
            return given

        def fill(match: re.Match[str]) -> str:
            if environment is None:
                raise DesignError(
                    f'table {self.name}: {match[0]} needs an environment; connect(design, ..., environment="main")'
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
                {"AttributeName": name, "AttributeType": self.type_of(name)} for name in self.key_attributes
            ],
            "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in kinds],
            "DeletionProtectionEnabled": self.deletion_protection,
        }
        request |= billing_members(self.billing)
        for member, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True)):
            entries = [index.definition() for index in self.indexes if index.local == local]
            if entries:
                provisioned = {} if local else throughput_members(self.billing)
                request[member] = [entry | provisioned for entry in entries]
        if self.stream is not None:
            request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": self.stream}
        if self.encryption_key is not None:
            request["SSESpecification"] = {
                "Enabled": True,
                "SSEType": "KMS",
                "KMSMasterKeyId": self.encryption_key,
            }
        if self.table_class != "STANDARD":
            request["TableClass"] = self.table_class
        if self.tags:
            request["Tags"] = [{"Key": name, "Value": value} for name, value in self.tags.items()]
        return request


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _check_name(name: str, subject: str, *, varies: bool = False) -> None:
    """Reject a name that DynamoDB does not allow; a name with a placeholder (`varies`) may be too short."""
    if not _NAME.fullmatch(name):
        odd = next(letter for letter in name if not _NAME.fullmatch(letter))
        raise DesignError(f"{subject} has {odd!r} in its name; use letters, digits, '_', '-' and '.'")
    if len(name) > _LONGEST or (len(name) < _SHORTEST and not varies):
        raise DesignError(
            f"{subject} has a name of {len(name)} characters; DynamoDB allows {_SHORTEST} to {_LONGEST}"
        )
