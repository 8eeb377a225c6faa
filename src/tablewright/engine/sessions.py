"""Sessions: what an operation works with while it runs: the catalog, the clock, and the rows of one transaction."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tablewright.engine.changes import Change, apply
from tablewright.engine.consumed_capacity import Bill
from tablewright.engine.state.catalog import Index, Table
from tablewright.errors import ResourceNotFound
from tablewright.storage import Transaction, View
from tablewright.values.stored_items import StoredItem

if TYPE_CHECKING:
    from tablewright.engine.database import Database


class Reading:
    """A session that only reads."""

    __slots__ = ("database", "rows")

    rows: View

    def __init__(self, database: "Database", rows: View) -> None:
        self.database = database
        self.rows = rows

    def now(self) -> float:
        """The time, in seconds since 1970."""
        return self.database.clock.now()

    def table(self, name: str) -> Table:
        """The table of that name, or ResourceNotFoundException."""
        return self.database.catalog.table(name)

    def settled(self, name: str) -> Table | None:
        """The table of that name or ARN, as it is for sure: nothing is shown that is not durable."""
        return self.database.catalog.committed(self.rows, name)

    def described(self, name: str) -> Table:
        """The table of that name or ARN; control-plane calls refuse with these words."""
        table = self.settled(name)
        if table is None:
            raise ResourceNotFound(f"Requested resource not found: Table: {name} not found")
        return table

    def get(self, table: Table, key: bytes) -> StoredItem | None:
        """The item at `key`."""
        return self.rows.get(table.space, key)

    def range(
        self, space: Table | Index, low: bytes, high: bytes | None, *, backward: bool = False
    ) -> Iterator[tuple[bytes, StoredItem]]:
        """Rows of a table or an index with `low <= key < high`."""
        return self.rows.range(space.space, low, high, backward=backward)

    def totals(self, space: Table | Index) -> tuple[int, int]:
        """How many rows a table or an index has, and the sum of their sizes."""
        database, number = self.database, space.space
        if database.store.path is None:
            return database.tallies.of(self.rows, number)
        known = database.tallies.known(number)
        # While somebody writes, it is counted for this once: to keep a tally, writers must not miss its beginning.
        return (
            known
            or database.store.between_writes(lambda rows: database.tallies.of(rows, number))
            or self.rows.totals(number)
        )


class Writing(Reading):
    """A session that reads and writes, inside one transaction."""

    __slots__ = ()

    rows: Transaction

    def settled(self, name: str) -> Table | None:
        """The table of that name or ARN: a writer is told of nothing before it is durable."""
        return self.database.catalog.find(name)

    def apply(self, change: Change, bill: Bill | None = None) -> None:
        """Write a change with all its effects; charge it to `bill`."""
        apply(self, change, bill)

    def new_space(self) -> int:
        """A new, empty space."""
        space = self.database.catalog.next_number(self.rows)
        self.rows.create_space(space)
        self.database.tallies.begin(space)
        return space

    def drop_space(self, space: int) -> None:
        """Remove a space with all its rows."""
        self.rows.drop_space(space)
        self.database.tallies.forget(space)

    def totals(self, space: Table | Index) -> tuple[int, int]:
        """How many rows a table or an index has, and the sum of their sizes."""
        return self.database.tallies.of(self.rows, space.space)
