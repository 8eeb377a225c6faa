"""All the SQL: ordered spaces of bytes, in one SQLite file or in memory, with durable group commit.

The rest of the engine sees three things: a `Store` to open, a `ReadView` to read, a `Transaction` to write.
"""

from tablewright.engine.storage.compaction import FreeSpace
from tablewright.engine.storage.group_commit import Group
from tablewright.engine.storage.rows import FIRST_SHARED, ReadView, Tallies, Totals, Transaction
from tablewright.engine.storage.store import Durability, Store, open_store

__all__ = [
    "FIRST_SHARED",
    "Durability",
    "FreeSpace",
    "Group",
    "ReadView",
    "Store",
    "Tallies",
    "Totals",
    "Transaction",
    "open_store",
]
