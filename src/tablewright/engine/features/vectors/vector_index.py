"""Vector indexes, compiled: which items they contain, and the checks of an item that is written to their table."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from tablewright.dynamodb.values.attributes import Item, type_of
from tablewright.dynamodb.values.vectors import NotAVector, packed
from tablewright.engine.core.state.key_schema import KeySchema
from tablewright.errors import ValidationError

Distance = Literal["COSINE", "DOT_PRODUCT", "EUCLIDEAN"]

_INVALID = "One or more parameter values were invalid. "


@dataclass(frozen=True, slots=True, eq=False)
class VectorIndex:
    """A vector index, compiled from its description."""

    kind: ClassVar[Literal["vector"]] = "vector"

    name: str
    space: int
    attribute: str
    dimensions: int
    distance: Distance
    hash: KeySchema | None
    """The partition key of the search schema, when there is one."""
    types: Mapping[str, str]
    """The attributes of the search schema, with their types."""
    projected: frozenset[str] | None
    """The attributes that it contains, without the vector; None means all."""
    is_building: bool = False
    """Whether a job is still writing its rows: it cannot be searched yet."""

    @classmethod
    def compile(
        cls,
        entry: Mapping[str, Any],
        definitions: Sequence[Mapping[str, Any]],
        table_keys: KeySchema,
        space: int,
        *,
        is_building: bool,
    ) -> "VectorIndex":
        """The index of an entry of `VectorIndexes` in a table's description."""
        types = {each["AttributeName"]: each["AttributeType"] for each in definitions}
        schema = entry.get("SearchSchema", ())
        hashes = [each for each in schema if each["SearchSchemaElementType"] == "HASH"]
        names = [each["AttributeName"] for each in schema]
        projection = entry["Projection"]
        projected = None
        if projection["ProjectionType"] != "ALL":
            projected = frozenset((*table_keys.names, *names, *projection.get("NonKeyAttributes", ())))
        return cls(
            name=entry["IndexName"],
            space=space,
            attribute=entry["VectorAttribute"]["AttributeName"],
            dimensions=entry["Dimensions"],
            distance=entry["DistanceFunction"],
            hash=KeySchema.compile([{**each, "KeyType": "HASH"} for each in hashes], definitions)
            if hashes
            else None,
            types={name: types[name] for name in names},
            projected=projected,
            is_building=is_building,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes whose values decide whether an item is in the index."""
        return (self.attribute, *self.types)

    def vector_of(self, item: Item) -> bytes | None:
        """The packed vector of an item that belongs to the index; None for an item that does not.

        The vector or the partition key may be missing. An item that was written before the index existed may also have
        values that the index rejects."""
        value = item.get(self.attribute)
        if value is None or (self.hash is not None and not self.hash.admits(item)):
            return None
        if any(name in item and kind not in item[name] for name, kind in self.types.items()):
            return None
        try:
            return packed(value, self.dimensions, self.attribute)
        except NotAVector:
            return None

    def require_fit(self, item: Item, touched: Collection[str] | None = None) -> None:
        """Reject an item whose vector or search schema has invalid values; only of `touched` attributes, if given."""
        value = item.get(self.attribute)
        if value is not None and (touched is None or self.attribute in touched):
            try:
                packed(value, self.dimensions, self.attribute)
            except NotAVector as error:
                raise ValidationError(f"{_INVALID}{error} IndexName: {self.name}") from None
        for name, kind in self.types.items():
            given = item.get(name)
            if given is not None and kind not in given and (touched is None or name in touched):
                raise ValidationError(
                    f"{_INVALID}Attribute '{name}' type mismatch. Expected: {kind}, Actual: {type_of(given)}. "
                    f"IndexName: {self.name}"
                )
        if self.hash is not None and touched is None:
            self.hash.require_fit(item, self.name)
