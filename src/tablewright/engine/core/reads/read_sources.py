"""Sources: the table or index that a Query or a Scan reads."""

from tablewright.dynamodb.values.attributes import Item
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import StoredIndex, StoredTable
from tablewright.errors import ValidationError


class ReadSource:
    """A table, read directly or through an index."""

    __slots__ = ("index", "keys", "table")

    def __init__(self, table: StoredTable, index: StoredIndex | None = None) -> None:
        self.table = table
        self.index = index
        self.keys = table.keys if index is None else index.keys

    @property
    def key_names(self) -> tuple[str, ...]:
        """The attributes that identify a row: the table's key, and the index's."""
        if self.index is None:
            return self.keys.names
        return tuple(dict.fromkeys(self.table.keys.names + self.keys.names))

    def key_of(self, item: Item) -> bytes:
        """The key bytes of an item's row."""
        key = self.table.keys.encode(item)
        return key if self.index is None else self.keys.encode(item) + key

    def has_attribute(self, name: str) -> bool:
        """Whether the rows contain that attribute."""
        return self.index is None or self.index.projected is None or name in self.index.projected


def require_built(index: StoredIndex) -> None:
    """Reject a read of an index whose rows are still being written."""
    if index.is_building:
        raise ValidationError(f"Cannot read from backfilling global secondary index: {index.name}")


# AWS's messages about a vector index differ in this.
_END = {"Query": ".", "Scan": ""}


def source_of(
    tx: Reading, table_name: str, index_name: str | None, operation: str, *, consistent: bool
) -> ReadSource:
    """The table or index that a request of that operation names, if it can be read that way."""
    table = tx.table(table_name)
    if index_name is None:
        return ReadSource(table)
    index = table.index(index_name)
    if index is None:
        if table.other_index(index_name) is not None:
            raise ValidationError(f"{operation} operation not supported on this index type{_END[operation]}")
        raise ValidationError(f"The table does not have the specified index: {index_name}")
    require_built(index)
    if consistent and index.kind == "global":
        raise ValidationError("Consistent reads are not supported on global secondary indexes")
    return ReadSource(table, index)
