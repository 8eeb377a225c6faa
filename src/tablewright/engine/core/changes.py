"""Changes: every write of an item is one `Change`, applied with all its effects.

Put, update, delete, batches, transactions, PartiQL, expiry, import and restore all go through `Writing.apply`. There
is no other way to write an item, so no index row, stream record or expiry can be forgotten. The effects are listed in
`engine.core.effects`.
"""

from typing import NamedTuple

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.state.catalog import Table


class Version(NamedTuple):
    """When and where an item of a table with replicas was last written; of two versions, the greater one wins."""

    time: int
    """Microseconds since 1970, but always more than those of the version that it replaced."""
    region: str


class Change(NamedTuple):
    """One item before and after; `expired` when TTL removed it and not a request."""

    table: Table
    key: bytes
    old: StoredItem | None
    new: StoredItem | None
    expired: bool = False
    version: Version | None = None
    """The version of a change that was made in another region; None for a change of this region."""
