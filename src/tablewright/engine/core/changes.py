"""Changes: every write of an item in a table that clients see is one `ItemChange`, applied with all its effects.

Put, update, delete, batches, transactions, PartiQL, expiry, imports, bulk operations and replication all go through
`Writing.apply`, so no index row, stream record or expiry can be forgotten. The effects are in `core.sessions`,
and those of features in `StoredTable.effects`.

Some jobs write rows without a change, because no item that a client sees changes: a backup or a restore copies rows
into a space that no table shows yet, an index is filled before it can be read, and the rows of deleted tables and
indexes are removed. A test lists the modules that write rows, each with its reason.
"""

from typing import NamedTuple

from tablewright.dynamodb.values.attributes import equal
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.state.catalog import StoredTable


class ItemVersion(NamedTuple):
    """When and where an item of a table with replicas was last written; of two versions, the greater one wins."""

    time: int
    """Microseconds since 1970, but always more than those of the version that it replaced."""
    region: str


class ItemChange(NamedTuple):
    """One item before and after; `expired` when TTL removed it and not a request."""

    table: StoredTable
    key: bytes
    old: StoredItem | None
    new: StoredItem | None
    expired: bool = False
    version: ItemVersion | None = None
    """The version of a change that was made in another region; None for a change of this region."""


def is_unchanged(old: StoredItem | None, new: StoredItem | None) -> bool:
    """Whether an item is the same before and after a write: such a write has no record in a stream."""
    if old is None or new is None:
        return old is new
    if old.size != new.size:
        return False
    return old.raw == new.raw or equal({"M": old.attributes}, {"M": new.attributes})
