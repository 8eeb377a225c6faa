"""The catalog: all tables, with their definitions and the spaces of their rows.

A table is stored as its definition, a JSON document: the description that DescribeTable shows, and what AWS does not
show (spaces, TTL, tags, streams, recovery). `StoredTable` is the compiled definition. A change of a table writes a new
definition; no definition is changed in place.

A table that is being restored is announced: DescribeTable shows it, no other operation sees it before it is complete.

A stored definition is compiled at its first use, so a file of ten thousand tables is opened quickly.

    Building   the global or vector index that a job is filling, by name; writes maintain it, reads are rejected
    Deleting   the description of a deleted index whose rows a job is deleting; only DescribeTable shows it

Members of features are described in their folders.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.stored_items import StoredItem, decode, encode
from tablewright.engine.core.plugs import FOUND_BY, OWNERS, PRESENT, Plug
from tablewright.engine.core.requests.arns import parse_arn, table_name
from tablewright.engine.core.state.key_schema import KeySchema
from tablewright.engine.storage import FIRST_SHARED, ReadView, Transaction
from tablewright.errors import ResourceNotFound, StoreDamaged, StoreFormat, ValidationError

# The spaces that every database has. Tables and indexes get theirs from FIRST_FREE on.
CATALOG, META, TOKENS, RECORDS, EXPIRY, JOURNAL, BACKUPS, COLLECTIONS = SYSTEM_SPACES = range(8)
EXPIRING_SPACES = (RECORDS, JOURNAL, BACKUPS)
"""Those whose rows expire."""
NUMBERED_SPACES = (RECORDS, JOURNAL)
"""Those whose keys end with sequence numbers."""
FIRST_FREE = FIRST_SHARED
_COUNTER = b"counter"
_FEATURES = b"features"

TABLE_EFFECTS: Plug[Callable[[Mapping[str, Any]], Callable[..., None] | None]] = Plug()
"""From a definition to the effect that every change of the table has, if it has one (see `core.sessions`)."""

_MEMBERS = frozenset({"Id", "Spaces", "Description", "Tags", "Building", "Deleting", "Status"})
"""The members of a definition that belong to the core."""
# What the stored definition of an announced table contains, and perhaps another one.
_ANNOUNCED = b'"Status":"CREATING"'

IndexKind = Literal["global", "local"]


@dataclass(frozen=True, slots=True, eq=False)
class StoredIndex:
    """A secondary index, compiled."""

    name: str
    kind: IndexKind
    space: int
    keys: KeySchema
    projected: frozenset[str] | None
    """The attributes that it contains; None means all."""
    is_building: bool = False
    """Whether a job is still writing its rows: it cannot be read yet."""


class OtherIndex(Protocol):
    """An index of another kind, compiled by a feature: what the core does with it."""

    @property
    def name(self) -> str:
        """The name of the index."""

    @property
    def kind(self) -> str:
        """Neither "global" nor "local"."""

    @property
    def space(self) -> int:
        """The space of its rows."""

    @property
    def projected(self) -> frozenset[str] | None:
        """The attributes that it contains; None means all."""

    @property
    def is_building(self) -> bool:
        """Whether a job is still writing its rows: it cannot be read yet."""

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes whose values decide whether an item is in the index."""

    @property
    def hash(self) -> KeySchema | None:
        """The partition key, when it has one."""

    @property
    def types(self) -> Mapping[str, str]:
        """The attributes that have a type, with their types."""

    def require_fit(self, item: Item, touched: Collection[str] | None = None) -> None:
        """Reject an item with invalid values; only of `touched` attributes, if given."""

    def row_of(self, key: bytes, item: StoredItem | None) -> tuple[bytes, StoredItem] | None:
        """The row of an item; None when the item does not belong to the index."""

    def same_rows(self, before: StoredItem, after: StoredItem) -> bool:
        """Whether two rows have the same content."""

    def attributes_of(self, row: StoredItem) -> Item:
        """The attributes in a row."""


OTHER_INDEXES: Plug[Callable[[Mapping[str, Any], KeySchema], Iterable[OtherIndex]]] = Plug()
"""From a definition and the keys of its table to its indexes of another kind."""


@dataclass(frozen=True, slots=True, eq=False)
class StoredTable:
    """A table, compiled from its definition."""

    name: str
    id: int
    space: int
    keys: KeySchema
    indexes: tuple[StoredIndex, ...]
    other_indexes: tuple[OtherIndex, ...]
    """The indexes of other kinds, by name."""
    has_index_rows: bool
    """Whether the table has an index of any kind."""
    indexed: frozenset[str]
    """The attributes by which an index has or lacks an item."""
    local_indexes: tuple[StoredIndex, ...]
    definition: dict[str, Any]
    effects: tuple[Callable[..., None], ...]
    """What features do with every change of the table, in order."""
    has_local_indexes: bool
    """Whether the table has local indexes, and so item collections."""

    @classmethod
    def compile(cls, definition: dict[str, Any]) -> "StoredTable":
        """The table of a definition."""
        description = definition["Description"]
        keys = KeySchema.compile(description["KeySchema"], description["AttributeDefinitions"])
        require_features(definition)
        # By name: when several indexes reject an item, AWS names the first.
        indexes = tuple(sorted(_compile_indexes(definition, keys), key=lambda index: index.name))
        other_indexes = tuple(
            sorted(
                (index for compiled in OTHER_INDEXES for index in compiled(definition, keys)),
                key=lambda index: index.name,
            )
        )
        unknown = definition["Spaces"].keys() - {
            "",
            *(one.name for one in indexes),
            *(one.name for one in other_indexes),
        }
        if unknown:
            raise StoreFormat(
                f"table {description['TableName']!r} has indexes of a kind that this engine does not have: "
                f"{', '.join(sorted(unknown))}"
            )
        return cls(
            name=description["TableName"],
            id=definition["Id"],
            space=definition["Spaces"][""],
            keys=keys,
            indexes=indexes,
            other_indexes=other_indexes,
            has_index_rows=bool(indexes or other_indexes),
            indexed=frozenset(
                (
                    *(name for index in indexes for name in index.keys.names),
                    *(name for index in other_indexes for name in index.names),
                )
            ),
            local_indexes=tuple(index for index in indexes if index.kind == "local"),
            definition=definition,
            effects=tuple(
                effect for compiled in TABLE_EFFECTS if (effect := compiled(definition)) is not None
            ),
            has_local_indexes=any(index.kind == "local" for index in indexes),
        )

    @property
    def description(self) -> dict[str, Any]:
        """The description that DescribeTable shows, without the live counts."""
        return self.definition["Description"]  # type: ignore[no-any-return]

    def index(self, name: str) -> StoredIndex | None:
        """The local or global index of that name."""
        return next((index for index in self.indexes if index.name == name), None)

    def other_index(self, name: str) -> OtherIndex | None:
        """The index of another kind of that name."""
        return next((index for index in self.other_indexes if index.name == name), None)

    def without_indexes(self) -> "StoredTable":
        """The table for writes of items whose index rows are written later, by a job."""
        return replace(
            self,
            indexes=(),
            other_indexes=(),
            has_index_rows=False,
            indexed=frozenset(),
            local_indexes=(),
            has_local_indexes=False,
        )

    @property
    def all_indexes(self) -> tuple[StoredIndex | OtherIndex, ...]:
        """The indexes of all kinds."""
        return (*self.indexes, *self.other_indexes)

    def key_of_item(self, item: Item) -> bytes:
        """The key bytes of an item to write; it must fit the keys of the table and of every index."""
        key = self.keys.of_item(item)
        for index in self.indexes:
            if not index.keys.admits(item):
                index.keys.require_fit(item, index.name)
        for other_index in self.other_indexes:
            other_index.require_fit(item)
        return key

    def require_scalar_keys(self, nested: frozenset[str]) -> None:
        """Reject an expression with a nested path in a key attribute; `nested` are the attributes of such paths."""
        if not nested:
            return
        for place, keys in (("Key", self.keys), *(("IndexKey", index.keys) for index in self.indexes)):
            for name in keys.names:
                if name in nested:
                    raise ValidationError(
                        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
                        f"allowed: {place}: {name}"
                    )


def _compile_indexes(definition: Mapping[str, Any], table_keys: KeySchema) -> Iterator[StoredIndex]:
    description = definition["Description"]
    kinds: tuple[tuple[IndexKind, str], ...] = (
        ("local", "LocalSecondaryIndexes"),
        ("global", "GlobalSecondaryIndexes"),
    )
    for kind, member in kinds:
        for entry in description.get(member, ()):
            keys = KeySchema.compile(entry["KeySchema"], description["AttributeDefinitions"])
            projection = entry["Projection"]
            projected = None
            if projection["ProjectionType"] != "ALL":
                projected = frozenset(
                    (*table_keys.names, *keys.names, *projection.get("NonKeyAttributes", ()))
                )
            name = entry["IndexName"]
            is_building = name == definition.get("Building")
            yield StoredIndex(name, kind, definition["Spaces"][name], keys, projected, is_building)


def require_features(definition: Mapping[str, Any]) -> None:
    """Reject the definition of a table that uses a feature which this engine does not have."""
    unknown = sorted({member for member in definition if member not in _MEMBERS and member not in OWNERS})
    if unknown:
        name = definition["Description"]["TableName"]
        raise StoreFormat(
            f"table {name!r} uses features that this engine does not have: {', '.join(unknown)}"
        )


def _noted(definition: Mapping[str, Any]) -> Iterator[str]:
    """The members that a definition and its description have."""
    yield from (member for member, value in definition.items() if value)
    yield from definition["Description"]


def note_features(tx: Transaction, names: Iterable[str]) -> None:
    """Note in the file which features it holds data of: `names` are members, and kinds of records or jobs."""
    used = {OWNERS[name] for name in names if name in OWNERS}
    if used:
        noted = _noted_features(tx)
        if not used <= noted:
            tx.put(META, _FEATURES, StoredItem(encode(sorted(used | noted)), 0))


def require_noted_features(view: ReadView) -> None:
    """Reject a file with data of a feature that this engine does not have: writes would leave that data wrong."""
    if absent := sorted(_noted_features(view) - set(PRESENT)):
        raise StoreFormat(
            f"the file holds data of features that this engine does not have: {', '.join(absent)}; "
            "open it with a version that has them"
        )


def _noted_features(view: ReadView) -> set[str]:
    try:
        row = view.get(META, _FEATURES)
    except StoreDamaged:
        return set()  # the definitions of tables still say which features they use
    return set(decode(row.raw)) if row else set()


def _definition(view: ReadView, name: str) -> dict[str, Any] | None:
    row = view.get(CATALOG, table_name(name).encode())
    definition: dict[str, Any] | None = decode(row.raw) if row else None
    return definition if definition is not None and _is_name(name, definition) else None


def _is_name(name: str, definition: Mapping[str, Any]) -> bool:
    """Whether a name or ARN is the table's own: an ARN may be of another region or account."""
    return ":" not in name or parse_arn(name) == parse_arn(definition["Description"]["TableArn"])


def _members(raw: bytes, names: Iterable[str]) -> list[str]:
    """Those of some members of a stored definition that are not empty lists; or more.

    >>> _members(b'{"Streams":[],"Copying":{}}', ["Copying", "Streams"]), _members(b'{"Streams":[{}]}', ["Streams"])
    (['Copying'], ['Streams'])
    """
    texts = [(name, f'"{name}":'.encode(), f'"{name}":[]'.encode()) for name in names]
    return [
        name
        for name, text, empty in texts
        if text in raw and (empty not in raw or raw.count(text) > raw.count(empty))
    ]


class Catalog:
    """All tables by name. Compiled tables are read without a lock; changes are made by writers, one at a time."""

    def __init__(self, region: str = "us-east-1") -> None:
        self._region = region
        self._tables: dict[str, StoredTable] = {}
        self._stored: dict[str, bytes] = {}
        """The definitions of the tables that were not used yet."""
        self._names: dict[str, set[str]] = {member: set() for member in FOUND_BY}
        """The tables that may have a member."""
        self._lock = threading.Lock()
        self.removals = 0
        """How often a table or an index was removed: a read during which this changed must be repeated."""
        self.changes = 0
        """How often a definition was written or removed."""

    def load(self, view: ReadView) -> None:
        """Read every definition from the store, replacing those in memory."""
        require_noted_features(view)
        stored: dict[str, bytes] = {}
        names: dict[str, set[str]] = {member: set() for member in self._names}
        for key, row in view.range(CATALOG):
            if _ANNOUNCED in row.raw and "Status" in decode(row.raw):
                continue
            name = key.decode()
            stored[name] = row.raw
            for member in _members(row.raw, names):
                names[member].add(name)
        with self._lock:
            self._tables, self._stored, self._names = {}, stored, names

    def all(self) -> list[StoredTable]:
        """All tables."""
        for name in tuple(self._stored):
            self._compile(name)
        return list(self._tables.values())

    def having(self, member: str) -> Iterator[StoredTable]:
        """The tables whose definition has a member, by name."""
        for name in sorted(self._names[member]):
            table = self.find(name)
            if table is not None and table.definition.get(member):
                yield table

    def find(self, name: str) -> StoredTable | None:
        """The table of that name or ARN, or None."""
        table = self._tables.get(name)
        if table is None:
            plain = table_name(name)
            table = self._tables.get(plain) or self._compile(plain)
            if table is not None and not _is_name(name, table.definition):
                return None
        return table

    def require_region(self, name: str) -> None:
        """Reject the ARN of a table in another region."""
        arn = parse_arn(name)
        if arn is not None and arn.region != self._region:
            raise ValidationError(f"1 validation error detected: Invalid AWS region in '{name}'")

    def _compile(self, name: str) -> StoredTable | None:
        """Compile a definition at its first use."""
        with self._lock:
            if name not in self._stored:
                return self._tables.get(name)
            try:
                table = StoredTable.compile(decode(self._stored[name]))
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                text = f"the definition of table {name!r} cannot be read ({error})"
                raise StoreDamaged(text, space=CATALOG, row=name.encode()) from error
            del self._stored[name]
            self._tables[name] = table
            return table

    def table(self, name: str) -> StoredTable:
        """The table of that name or ARN, or ResourceNotFoundException with the message of the data plane."""
        table = self._tables.get(name) or self.find(name)
        if table is None:
            self.require_region(name)
            raise ResourceNotFound("Requested resource not found")
        return table

    def committed(self, view: ReadView, name: str) -> StoredTable | None:
        """The table of that name or ARN in the view's commit: the catalog in memory may be ahead of it."""
        definition = _definition(view, name)
        return None if definition is None or "Status" in definition else StoredTable.compile(definition)

    def announced(self, view: ReadView, name: str) -> StoredTable | None:
        """The table of that name or ARN, if it is announced and not complete yet."""
        definition = _definition(view, name)
        return StoredTable.compile(definition) if definition is not None and "Status" in definition else None

    def announce(self, tx: Transaction, definition: dict[str, Any]) -> StoredTable:
        """Write the definition of a table that a job will fill; `save` makes it visible."""
        table = StoredTable.compile({**definition, "Status": "CREATING"})
        note_features(tx, _noted(definition))
        tx.put(CATALOG, table.name.encode(), StoredItem.of(table.definition, 0))
        return table

    def save(self, tx: Transaction, definition: dict[str, Any]) -> StoredTable:
        """Write a new or changed definition; every session sees it from now on."""
        table = StoredTable.compile(definition)
        note_features(tx, _noted(definition))
        tx.put(CATALOG, table.name.encode(), StoredItem.of(definition, 0))
        self.changes += 1
        with self._lock:
            self._stored.pop(table.name, None)
            self._tables[table.name] = table
            for member, names in self._names.items():
                (names.add if definition.get(member) else names.discard)(table.name)
        return table

    def remove(self, tx: Transaction, table: StoredTable) -> None:
        """Delete a table's definition; the caller drops its spaces."""
        tx.delete(CATALOG, table.name.encode())
        self.changes += 1
        with self._lock:
            self._stored.pop(table.name, None)
            self._tables.pop(table.name, None)
            for names in self._names.values():
                names.discard(table.name)

    def next_number(self, tx: Transaction) -> int:
        """A new number, for a space, a table or a stream."""
        row = tx.get(META, _COUNTER)
        number = int(decode(row.raw)) if row else FIRST_FREE
        tx.put(META, _COUNTER, StoredItem(str(number + 1).encode(), 0))
        return number
