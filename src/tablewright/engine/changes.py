"""Changes: every write of an item is one `Change`, applied with all its effects.

Put, update, delete, batches, transactions, PartiQL, expiry, import and restore all go through `Writing.apply`. There
is no other way to write an item, so no index row, stream record or expiry can be forgotten. The effects are listed in
`engine.effects`.
"""

from typing import NamedTuple

from tablewright.engine.state.catalog import Table
from tablewright.values.stored_items import StoredItem


class Change(NamedTuple):
    """One item before and after; `expired` when TTL removed it and not a request."""

    table: Table
    key: bytes
    old: StoredItem | None
    new: StoredItem | None
    expired: bool = False
