"""All the SQL: ordered spaces of bytes, in one SQLite file or in memory, with durable group commit.

The rest of the engine sees three things: a `Store` to open, a `View` to read, a `Transaction` to write.
"""

from tablewright.storage.compaction import FreeSpace
from tablewright.storage.group_commit import Group
from tablewright.storage.rows import FIRST_SHARED, Transaction, View
from tablewright.storage.store import Durability, Store, open_store

__all__ = ["FIRST_SHARED", "Durability", "FreeSpace", "Group", "Store", "Transaction", "View", "open_store"]
