"""Sessions: what an operation works with while it runs: the state of the database, and the rows of one transaction."""

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import Change
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.damage import located
from tablewright.engine.core.plugs import Plug
from tablewright.engine.core.state.catalog import Index, OtherIndex, Table
from tablewright.engine.core.state.engine_state import SPACE_DROPS, AccessObserver, EngineState
from tablewright.engine.storage import Transaction, View
from tablewright.errors import ResourceNotFound

T = TypeVar("T")


class Reading:
    """A session that only reads."""

    __slots__ = ("rows", "state")

    rows: View

    def __init__(self, state: EngineState, rows: View) -> None:
        self.state = state
        self.rows = rows

    def now(self) -> float:
        """The time, in seconds since 1970."""
        return self.state.clock.now()

    def table(self, name: str) -> Table:
        """The table of that name, or ResourceNotFoundException."""
        return self.state.catalog.table(name)

    def durable_table(self, name: str) -> Table | None:
        """The table of that name or ARN, as it is in the store: a reader sees nothing that is not durable."""
        return self.state.catalog.committed(self.rows, name)

    def described(self, name: str) -> Table:
        """The table of that name or ARN, or ResourceNotFoundException with the message of the control plane."""
        table = self.durable_table(name)
        if table is None:
            self.state.catalog.require_region(name)
            raise ResourceNotFound(f"Requested resource not found: Table: {name} not found")
        return table

    def get(self, table: Table, key: bytes) -> StoredItem | None:
        """The item at `key`."""
        if self.state.accesses is not None:
            self.state.accesses.accessed(table.space, key)
        return self.rows.get(table.space, key)

    def range(
        self, space: Table | Index, low: bytes, high: bytes | None, *, backward: bool = False
    ) -> Iterator[tuple[bytes, StoredItem]]:
        """Rows of a table or an index with `low <= key < high`."""
        rows = self.rows.range(space.space, low, high, backward=backward)
        return rows if self.state.accesses is None else _counted(rows, space.space, self.state.accesses)

    def totals(self, space: Table | Index | OtherIndex) -> tuple[int, int]:
        """The number of rows of a table or an index, and the sum of their sizes."""
        store, tallies, number = self.state.store, self.state.tallies, space.space
        if store.path is None:
            return tallies.of(self.rows, number)
        # While another session writes, the rows are counted for this call only: a tally is correct only if it was
        # counted in a snapshot that was taken between two writes.
        return tallies.known(number) or self.count(number, wait=False) or self.rows.totals(number)

    def count(self, space: int, *, wait: bool) -> tuple[int, int] | None:
        """Count the rows of a space concurrently with writers, for its tally; without `wait`, None if one runs."""
        store, tallies = self.state.store, self.state.tallies
        watched: list[bool] = []
        try:
            counted = store.snapshot_at(
                lambda: watched.append(tallies.watch(space)), lambda rows: rows.totals(space), wait=wait
            )
        except BaseException:
            if any(watched):
                tallies.forget(space)
            raise
        if counted is not None and any(watched):
            store.write(lambda rows: tallies.settle(space, counted))
        return counted


def _counted(
    rows: Iterator[tuple[bytes, StoredItem]], space: int, accesses: AccessObserver
) -> Iterator[tuple[bytes, StoredItem]]:
    for row in rows:
        accesses.accessed(space, row[0])
        yield row


class Writing(Reading):
    """A session that reads and writes, inside one transaction.

    `effects` are applied to every change, in order; then those of its table.
    """

    __slots__ = ("_effects",)

    rows: Transaction

    def __init__(self, state: EngineState, rows: Transaction, effects: tuple["Effect", ...]) -> None:
        self.state = state
        self.rows = rows
        self._effects = effects

    def durable_table(self, name: str) -> Table | None:
        """The table of that name or ARN: the reply of a writer is sent only after its commit."""
        return self.state.catalog.find(name)

    def get(self, table: Table, key: bytes) -> StoredItem | None:
        """The item at `key`, before it is written: `apply` counts the access."""
        return self.rows.get(table.space, key)

    def apply(self, change: Change, meter: CapacityMeter | None = None) -> None:
        """Write a change with all its effects; charge it to `meter`."""
        if self.state.accesses is not None and not change.expired:
            self.state.accesses.accessed(change.table.space, change.key)
        for effect in self._effects:
            effect(self, change, meter)
        for effect in change.table.effects:
            effect(self, change, meter)

    def apply_uncharged(self, change: Change, meter: CapacityMeter | None = None) -> None:
        """As `apply`, for the write of a job: it uses no capacity of the table, so it is never throttled."""
        self.apply(change, meter)

    def new_space(self) -> int:
        """Create an empty space and return its number."""
        space = self.state.catalog.next_number(self.rows)
        self.rows.create_space(space)
        self.state.tallies.begin(space)
        return space

    def drop_space(self, space: int) -> None:
        """Remove a space with all its rows; for more than a few rows, see `jobs.row_removals`."""
        self.rows.drop_space(space)
        self.state.tallies.forget(space)
        for forget in SPACE_DROPS:
            forget(self.state, space)

    def totals(self, space: Table | Index | OtherIndex) -> tuple[int, int]:
        """The number of rows of a table or an index, and the sum of their sizes."""
        return self.state.tallies.of(self.rows, space.space)


Effect = Callable[[Writing, Change, CapacityMeter | None], None]


class Sessions:
    """Opens the sessions of one database."""

    def __init__(self, state: EngineState, effects: tuple[Effect, ...]) -> None:
        self.state = state
        self._effects = effects

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The effects that are applied to every change, in order."""
        return self._effects

    def add_effect(self, effect: Effect) -> None:
        """Apply one more effect to every change, after the others; only inside of a writing session."""
        self._effects = (*self._effects, effect)

    def remove_effect(self, effect: Effect) -> None:
        """No longer apply an effect that was added."""
        self._effects = tuple(each for each in self._effects if each != effect)

    def reading(self, rows: View, request: Any) -> Reading:
        """A session for a parsed request that reads."""
        return Reading(self.state, rows)

    def writing(self, rows: Transaction) -> Writing:
        """A session that writes."""
        return Writing(self.state, rows, self._effects)

    def read(self, work: Callable[[Reading], T]) -> T:
        """Run `work` in a reading session that belongs to no request: for the sweeper and jobs."""
        with located(self.state):
            return self.state.store.read(lambda rows: work(Reading(self.state, rows)))

    def snapshot(self, work: Callable[[Reading], T]) -> T:
        """As `read`; all statements see the same commit."""
        with located(self.state):
            return self.state.store.snapshot(lambda rows: work(Reading(self.state, rows)))

    def write(self, work: Callable[[Writing], T]) -> T:
        """Run `work` in a writing session that belongs to no request; its changes are durable on return."""
        with located(self.state):
            return self.state.store.write(lambda rows: work(self.writing(rows)))


class Authorizer(Protocol):
    """Decides whether a caller may run a request."""

    def authorized(
        self, operation: str, request: dict[str, Any], run: Callable[..., dict[str, Any]]
    ) -> Callable[..., dict[str, Any]]:
        """The function that runs the request only if the caller may."""


class Interception(Protocol):
    """What a feature puts between requests and the engine."""

    @property
    def setting(self) -> Any:
        """The value that it was made of."""

    @property
    def sessions(self) -> Sessions:
        """The sessions to use instead."""

    def reply(
        self, operation: str, request: dict[str, Any], run: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        """Run a request, or fail."""


INTERCEPTIONS: Plug[Callable[[Sessions, Any], Interception]] = Plug()
"""From the sessions of a database and a setting to an interception; one feature has it."""
QUESTIONS: Plug[tuple[str, Callable[..., Any]]] = Plug()
"""A question about the data that is no operation of DynamoDB, and the function of a session that replies to it."""
