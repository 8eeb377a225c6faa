"""The state of one database: everything that its sessions share, in one value at the bottom of the engine.

Sessions, the sweeper and jobs are built on it and read it; none of them is known here.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from tablewright.dynamodb.clock import Clock
from tablewright.engine.core.plugs import Plug
from tablewright.engine.core.state.catalog import NUMBERED_SPACES, SYSTEM_SPACES, Catalog
from tablewright.engine.core.state.sequence_numbers import Sequences
from tablewright.engine.core.state.sweep_timer import PERIOD, SweepTimer
from tablewright.engine.storage import ReadView, Store, Tallies, Transaction
from tablewright.errors import StoreDamaged

MAX_COLLECTION_SIZE = 10 * 1024**3


class AccessObserver(Protocol):
    """Sees accesses to rows, and requests that were throttled."""

    def accessed(self, space: int, key: bytes) -> None:
        """A row was read or written."""

    def throttled(self, space: int, partition: bytes | None) -> None:
        """A request was throttled."""


class EngineState:
    """The store, and what the engine keeps in memory about it."""

    __slots__ = (
        "accesses",
        "address",
        "bucket_directory",
        "catalog",
        "clock",
        "effects",
        "max_collection_size",
        "parts",
        "region",
        "sequences",
        "store",
        "sweep_timer",
        "tallies",
        "wake_jobs",
    )

    def __init__(
        self,
        store: Store,
        clock: Clock,
        region: str,
        bucket_directory: Path | None = None,
        sweep_period: float = PERIOD,
    ) -> None:
        self.store = store
        self.clock = clock
        self.region = region
        self.address = f"dynamodb.{region}.amazonaws.com"
        """The endpoint that DescribeEndpoints shows; a server puts its own here."""
        self.bucket_directory = bucket_directory
        """The directory whose folders stand for S3 buckets; None when there is none."""
        self.parts: dict[str, Any] = {}
        """What features keep in memory, by their names."""
        self.wake_jobs: Callable[[], None] = lambda: None
        """Starts the job runner; the database sets it."""
        self.accesses: AccessObserver | None = None
        """Sees each access to a row; None while no feature needs to."""
        self.effects: tuple[Callable[..., None], ...] = ()
        """What every change of an item does, in order; the database sets it (see `core.sessions`)."""
        self.max_collection_size = MAX_COLLECTION_SIZE
        """Bytes of an item collection at most, in tables with a local index; a test may lower it."""
        self.catalog = Catalog(region)
        self.tallies = Tallies()
        self.sweep_timer = SweepTimer(sweep_period)
        self.sequences = {space: Sequences(space, self.sweep_timer.start) for space in NUMBERED_SPACES}
        """The sequence numbers of each space whose rows have them."""
        for create in NEW_STATES:
            create(self)

    def load(self) -> None:
        """Create the system spaces of a new store and load the catalog; load it again whenever writes are undone."""
        self.store.write(self._prepare)
        self.store.after_undo(self._recover)

    def _prepare(self, tx: Transaction) -> None:
        for space in SYSTEM_SPACES:
            if not tx.has_space(space):
                tx.create_space(space)
        try:
            self.load_catalog(tx)
        except StoreDamaged as error:
            name = "" if error.row is None else f" {error.row.decode(errors='replace')!r}"
            raise self.store.damaged(f"the definition of table{name} does not match its checksum") from error
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise self.store.damaged(error) from error

    def _recover(self, view: ReadView) -> None:
        """Writes were undone: the catalog and the tallies in memory may be ahead of the store."""
        self.tallies.forget_all()
        self.load_catalog(view)

    def load_catalog(self, view: ReadView) -> None:
        """Load the catalog, and what features derive from it."""
        self.catalog.load(view)
        for derive in LOADED_STATES:
            derive(self)


NEW_STATES: Plug[Callable[[EngineState], None]] = Plug()
"""Called with the state of a new database, before anything is loaded: a feature puts its own into `parts`."""
SPACE_DROPS: Plug[Callable[[EngineState, int], None]] = Plug()
"""Called with the number of a space that is dropped."""
LOADED_STATES: Plug[Callable[[EngineState], None]] = Plug()
"""Called whenever the catalog was loaded."""
