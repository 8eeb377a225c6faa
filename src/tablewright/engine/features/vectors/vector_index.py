"""Vector indexes, compiled: which items they contain, and the checks of an item that is written to their table."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from tablewright.dynamodb.values.attributes import Item, type_of
from tablewright.dynamodb.values.item_sizes import item_size, text_size
from tablewright.dynamodb.values.stored_items import StoredItem, decode, encode
from tablewright.dynamodb.values.vectors import WIDTH, NotAVector, packed, write_bytes
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.sessions import Effect, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.key_schema import KeySchema
from tablewright.engine.features.vectors.watched_ranges import ranges_of
from tablewright.errors import ValidationError

Distance = Literal["COSINE", "DOT_PRODUCT", "EUCLIDEAN"]

_INVALID = "One or more parameter values were invalid. "


@dataclass(frozen=True, slots=True, eq=False)
class CompiledVectorIndex:
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
    ) -> "CompiledVectorIndex":
        """The index of an entry of `VectorIndexes` in a table's description."""
        types = {attribute["AttributeName"]: attribute["AttributeType"] for attribute in definitions}
        schema = entry.get("SearchSchema", ())
        hashes = [element for element in schema if element["SearchSchemaElementType"] == "HASH"]
        names = [element["AttributeName"] for element in schema]
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
            hash=KeySchema.compile([{**element, "KeyType": "HASH"} for element in hashes], definitions)
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

    def row_of(self, key: bytes, item: StoredItem | None) -> "Row | None":
        """The row of an item; None when the item does not belong to the index."""
        return row_of(self, key, item)

    def same_rows(self, before: StoredItem, after: StoredItem) -> bool:
        """Whether two rows have the same content."""
        return same_rows(self, before, after)

    def attributes_of(self, row: StoredItem) -> Item:
        """The attributes in a row, without the vector."""
        return projected_item(self, row)

    def require_fit(self, item: Item, touched: Collection[str] | None = None) -> None:
        """Reject an item whose vector or search schema has invalid values; only of `touched` attributes, if given."""
        value = item.get(self.attribute)
        if value is not None and (touched is None or self.attribute in touched):
            try:
                packed(value, self.dimensions, self.attribute)
            except NotAVector as error:
                raise ValidationError(f"{_INVALID}{error} IndexName: {self.name}") from None
        for name, kind in self.types.items():
            value = item.get(name)
            if value is not None and kind not in value and (touched is None or name in touched):
                raise ValidationError(
                    f"{_INVALID}Attribute '{name}' type mismatch. Expected: {kind}, Actual: {type_of(value)}. "
                    f"IndexName: {self.name}"
                )
        if self.hash is not None and touched is None:
            self.hash.require_fit(item, self.name)


Row = tuple[bytes, StoredItem]


def row_of(index: CompiledVectorIndex, key: bytes, item: StoredItem | None) -> Row | None:
    """The row of an item in an index; None when the item does not belong to it."""
    vector = None if item is None else index.vector_of(item.attributes)
    if item is None or vector is None:
        return None
    head = b"" if index.hash is None else index.hash.encode(item.attributes)
    rest = {
        name: value
        for name, value in item.attributes.items()
        if name != index.attribute and (index.projected is None or name in index.projected)
    }
    size = len(vector) + text_size(index.attribute) + item_size(rest)
    return head + key, StoredItem(vector + encode(rest), size)


def vector_part(index: CompiledVectorIndex, row: StoredItem) -> bytes:
    """The packed vector of a row."""
    return row.raw[: index.dimensions * WIDTH]


def item_part(index: CompiledVectorIndex, row: StoredItem) -> StoredItem:
    """The projected item of a row, without the vector."""
    return StoredItem(row.raw[index.dimensions * WIDTH :], row.size)


def projected_item(index: CompiledVectorIndex, row: StoredItem) -> Item:
    """The projected attributes of a row, without the vector."""
    return item_part(index, row).attributes


def same_rows(index: CompiledVectorIndex, before: StoredItem, after: StoredItem) -> bool:
    """Whether two rows have the same vector and the same attributes, in any order."""
    if before.raw == after.raw:
        return True
    return (
        before.size == after.size
        and vector_part(index, before) == vector_part(index, after)
        and decode(item_part(index, before).raw) == decode(item_part(index, after).raw)
    )


VectorChange = tuple[CompiledVectorIndex, Row | None, Row | None]


def vector_changes(
    table: StoredTable, key: bytes, old: StoredItem | None, new: StoredItem | None
) -> Iterator[VectorChange]:
    """The old and new row of each vector index that a change of one item affects."""
    for index in vector_indexes_of(table):
        before, after = row_of(index, key, old), row_of(index, key, new)
        if before is None and after is None:
            continue
        if before and after and before[0] == after[0] and same_rows(index, before[1], after[1]):
            continue
        yield index, before, after


def metered_bytes(before: Row | None, after: Row | None) -> float:
    """The VectorWriteRequestBytes of a changed row: the larger size, before or after."""
    return write_bytes(*(row[1].size for row in (before, after) if row is not None))


def compile_vector_indexes(definition: Mapping[str, Any], table_keys: KeySchema) -> list[CompiledVectorIndex]:
    """The vector indexes of a definition."""
    description = definition["Description"]
    return [
        CompiledVectorIndex.compile(
            entry,
            description["AttributeDefinitions"],
            table_keys,
            definition["Spaces"][entry["IndexName"]],
            is_building=entry["IndexName"] == definition.get("Building"),
        )
        for entry in description.get("VectorIndexes", ())
    ]


def vector_indexes_of(table: StoredTable) -> list[CompiledVectorIndex]:
    """The vector indexes of a table, by name."""
    return [index for index in table.other_indexes if isinstance(index, CompiledVectorIndex)]


def vector_index_of(table: StoredTable, name: str) -> CompiledVectorIndex | None:
    """The vector index of that name."""
    return next((index for index in vector_indexes_of(table) if index.name == name), None)


def vector_effect(definition: Mapping[str, Any]) -> Effect | None:
    """The effect of a table with vector indexes: write, move or delete the item's rows in them."""
    return _maintain_vector_indexes if definition["Description"].get("VectorIndexes") else None


def _maintain_vector_indexes(tx: Writing, change: ItemChange, meter: CapacityMeter | None) -> None:
    for index, before, after in vector_changes(change.table, change.key, change.old, change.new):
        metered = metered_bytes(before, after)
        if before is not None and index.is_building:
            # The backfill may not have written this row yet; only a stored row counts.
            row = tx.rows.get(index.space, before[0])
            before = None if row is None else (before[0], row)
        if before is not None and (after is None or before[0] != after[0]):
            tx.rows.delete(index.space, before[0])
            ranges_of(tx.state).note(index.space, before[0])
        if after is not None:
            tx.rows.put(index.space, *after)
            ranges_of(tx.state).note(index.space, after[0])
        tx.state.tallies.note(index.space, before and before[1], after and after[1])
        if meter is not None:
            meter.write_other_index("VectorIndexes", index.name, "VectorWriteRequestBytes", metered)
