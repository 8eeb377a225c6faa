"""Indexes: secondary indexes and vector indexes, as data.

Index("by-team", "team", "rank")
VectorIndex("by-meaning", "embedding", 384, partition="tenant", filters="kind")
"""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, get_args

from tablewright.design.billing import Billing, WarmThroughput
from tablewright.dynamodb.limits import MAX_DIMENSIONS, MAX_INLINE_FILTERS
from tablewright.errors import DesignError

Projected = Literal["ALL", "KEYS_ONLY"] | Sequence[str]
"""The attributes that an index contains besides its own and those of the table's key."""
Distance = Literal["COSINE", "EUCLIDEAN", "DOT_PRODUCT"]
"""How vectors are compared: two distances, lower is nearer, and a similarity, higher is nearer."""


class KeyedTable(Protocol):
    """A table, as far as an index must know it."""

    key: tuple[str, ...]


class Index:
    """A secondary index.

    `billing`, `warm_throughput` and `contributor_insights` are for global indexes. Without `billing`, the index has
    that of its table.

    >>> Index("by-team", "team", "rank").sort
    ('rank',)
    >>> Index("by-place", ("country", "city"), ("street", "number")).partition
    ('country', 'city')
    """

    __slots__ = (
        "billing",
        "contributor_insights",
        "local",
        "name",
        "partition",
        "projection",
        "sort",
        "warm_throughput",
    )

    def __init__(
        self,
        name: str,
        partition: str | Sequence[str],
        sort: str | Sequence[str] = (),
        *,
        projection: Projected = "ALL",
        local: bool = False,
        billing: Billing | None = None,
        warm_throughput: WarmThroughput | None = None,
        contributor_insights: bool | None = None,
    ) -> None:
        self.name = name
        self.billing = billing
        self.warm_throughput = warm_throughput
        self.contributor_insights = contributor_insights
        self.partition = attribute_names(partition)
        self.sort = attribute_names(sort)
        self.projection = projection if isinstance(projection, str) else tuple(projection)
        self.local = local
        for part, kind in ((self.partition, "partition"), (self.sort, "sort")):
            if len(part) > 4:
                raise DesignError(f"index {name} has {len(part)} {kind} attributes; DynamoDB allows up to 4")
        if local and (billing or warm_throughput or contributor_insights is not None):
            raise DesignError(
                f"index {name} is local: it shares the capacity and the settings of its table; "
                "remove billing, warm_throughput and contributor_insights"
            )

    def __repr__(self) -> str:
        return f"Index({self.name!r}, {self.partition!r}, {self.sort!r})"

    @property
    def key(self) -> tuple[str, ...]:
        """All its key attributes, partition first."""
        return self.partition + self.sort

    def holds(self, table: KeyedTable, attribute: str) -> bool:
        """Whether its rows contain the attribute."""
        return self.projection == "ALL" or attribute in {*self.key, *table.key, *self._included}

    @property
    def _included(self) -> tuple[str, ...]:
        return self.projection if isinstance(self.projection, tuple) else ()

    def definition(self) -> dict[str, Any]:
        """The index as a member of CreateTable."""
        kinds = [*((name, "HASH") for name in self.partition), *((name, "RANGE") for name in self.sort)]
        return {
            "IndexName": self.name,
            "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in kinds],
            "Projection": self._projection(),
        }

    def _projection(self) -> dict[str, Any]:
        if self._included:
            return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(self._included)}
        return {"ProjectionType": self.projection}


class VectorIndex(Index):
    """An index of vectors: a `Nearest` pattern finds the items whose vectors are nearest to a given one.

    - `attribute` is the stored name of the vector: a list of `dimensions` numbers.
    - `partition` is an attribute that divides the index: every search names one value of it.
    - `filters` are attributes that a search may compare with `=`.

    Items without the vector, or without the partition, are stored and not found. `types` of the table gives the types
    of `partition` and `filters`; without it they are strings.

    >>> index = VectorIndex("by-meaning", "embedding", 384, partition="tenant", filters="kind")
    >>> index.key, index.distance
    (('tenant', 'kind'), 'COSINE')
    """

    __slots__ = ("attribute", "dimensions", "distance", "filters")

    def __init__(
        self,
        name: str,
        attribute: str,
        dimensions: int,
        *,
        distance: Distance = "COSINE",
        partition: str | None = None,
        filters: str | Sequence[str] = (),
        projection: Projected = "ALL",
    ) -> None:
        super().__init__(name, () if partition is None else partition, projection=projection)
        self.attribute = attribute
        self.dimensions = dimensions
        self.distance = distance
        self.filters = attribute_names(filters)
        self._check()

    def __repr__(self) -> str:
        return f"VectorIndex({self.name!r}, {self.attribute!r}, {self.dimensions})"

    def _check(self) -> None:
        if type(self.dimensions) is not int or not 1 <= self.dimensions <= MAX_DIMENSIONS:
            raise DesignError(
                f"vector index {self.name} has {self.dimensions!r} dimensions; DynamoDB allows 1 to {MAX_DIMENSIONS}"
            )
        if self.distance not in get_args(Distance):
            known = ", ".join(map(repr, get_args(Distance)))
            raise DesignError(
                f"vector index {self.name} has distance={self.distance!r}; write one of {known}"
            )
        if len(self.partition) > 1:
            raise DesignError(
                f"vector index {self.name} has {len(self.partition)} partition attributes; give one"
            )
        if len(self.filters) > MAX_INLINE_FILTERS:
            raise DesignError(
                f"vector index {self.name} has {len(self.filters)} filters; DynamoDB allows up to {MAX_INLINE_FILTERS}"
            )
        names = (self.attribute, *self.key)
        if len(set(names)) < len(names):
            raise DesignError(
                f"vector index {self.name} names an attribute twice in its vector, partition and filters: "
                f"{', '.join(names)}"
            )

    @property
    def key(self) -> tuple[str, ...]:
        """The attributes that a search can name, partition first."""
        return self.partition + self.filters

    def holds(self, table: KeyedTable, attribute: str) -> bool:
        """Whether its rows contain the attribute. A search returns the vector only on request."""
        return attribute == self.attribute or super().holds(table, attribute)

    def definition(self) -> dict[str, Any]:
        """The index as a member of CreateTable."""
        kinds = [
            *((name, "HASH") for name in self.partition),
            *((name, "INLINE_FILTER") for name in self.filters),
        ]
        schema = [{"AttributeName": name, "SearchSchemaElementType": kind} for name, kind in kinds]
        return {
            "IndexName": self.name,
            "VectorAttribute": {"AttributeName": self.attribute},
            "Dimensions": self.dimensions,
            "DistanceFunction": self.distance,
            "Projection": self._projection(),
            **({"SearchSchema": schema} if schema else {}),
        }


def attribute_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """One name or several, as a tuple.

    >>> attribute_names("id"), attribute_names(["PK", "SK"])
    (('id',), ('PK', 'SK'))
    """
    return (names,) if isinstance(names, str) else tuple(names)
