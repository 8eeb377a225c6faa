"""The state of one database: everything that its sessions share, in one value at the bottom of the engine.

Sessions, the sweeper and jobs are built on it and read it; none of them is known here.
"""

import threading
from collections.abc import Callable
from pathlib import Path

from tablewright.dynamodb.clock import Clock
from tablewright.engine.core.state.catalog import JOURNAL, RECORDS, SYSTEM_SPACES, Catalog
from tablewright.engine.core.state.sequence_numbers import Sequences
from tablewright.engine.core.state.sweep_timer import PERIOD, SweepTimer
from tablewright.engine.core.state.tallies import Tallies
from tablewright.engine.features.insights.access_counts import AccessCounts
from tablewright.engine.features.replicas.replica_progress import Peer, ReplicaProgress
from tablewright.engine.features.vectors.watched_ranges import WatchedRanges
from tablewright.engine.storage import Store, Transaction, View
from tablewright.errors import StoreDamaged

MAX_COLLECTION_SIZE = 10 * 1024**3


class EngineState:
    """The store, and what the engine keeps in memory about it."""

    __slots__ = (
        "accesses",
        "address",
        "bucket_directory",
        "catalog",
        "clock",
        "delivering",
        "journal_sequences",
        "max_collection_size",
        "peer",
        "region",
        "replica_progress",
        "serves_region",
        "store",
        "stream_sequences",
        "sweep_timer",
        "tallies",
        "wake_jobs",
        "wake_replication",
        "watched_ranges",
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
        self.delivering = threading.Lock()
        """Held by the thread that delivers records to Kinesis streams."""
        self.wake_jobs: Callable[[], None] = lambda: None
        """Starts the job runner; the database sets it."""
        self.peer: Callable[[str], Peer | None] = lambda region: None
        """The database of another region, for replicas; `Regions` sets it."""
        self.serves_region: Callable[[str], bool] = lambda region: True
        """Whether a client can use a region, of this server or of another one; `Regions` sets it."""
        self.wake_replication: Callable[[], None] = lambda: None
        """Starts the replication between regions; `Regions` sets it."""
        self.replica_progress = ReplicaProgress()
        self.accesses: AccessCounts | None = None
        """The counts of contributor insights; None while no table has them enabled."""
        self.max_collection_size = MAX_COLLECTION_SIZE
        """Bytes of an item collection at most, in tables with a local index; a test may lower it."""
        self.catalog = Catalog(region)
        self.tallies = Tallies()
        self.watched_ranges = WatchedRanges()
        """The vectors that searches keep in memory."""
        self.sweep_timer = SweepTimer(sweep_period)
        self.stream_sequences = Sequences(RECORDS, self.sweep_timer.start)
        self.journal_sequences = Sequences(JOURNAL, self.sweep_timer.start)

    def load(self) -> None:
        """Create the system spaces of a new store and load the catalog; load it again whenever writes are undone."""
        self.store.write(self._prepare)
        self.store.after_undo(self._recover)

    def _prepare(self, tx: Transaction) -> None:
        for space in SYSTEM_SPACES:
            if not tx.has_space(space):
                tx.create_space(space)
        try:
            self.catalog.load(tx)
            self.watch_accesses()
        except StoreDamaged as error:
            name = "" if error.row is None else f" {error.row.decode(errors='replace')!r}"
            raise self.store.damaged(f"the definition of table{name} does not match its checksum") from error
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise self.store.damaged(error) from error

    def _recover(self, view: View) -> None:
        """Writes were undone: the catalog and the tallies in memory may be ahead of the store."""
        self.tallies.forget_all()
        self.watched_ranges.forget_all()
        self.catalog.load(view)
        self.watch_accesses()

    def watch_accesses(self) -> None:
        """Count accesses for the tables and indexes that have contributor insights enabled, and for no others."""
        watched = {
            setting["Space"]: setting["Mode"] != "THROTTLED_KEYS"
            for table in self.catalog.having("Insights")
            for setting in table.definition["Insights"].values()
            if setting["Enabled"]
        }
        if watched and self.accesses is None:
            self.accesses = AccessCounts()
        if self.accesses is not None:
            self.accesses.watch(watched)
        if not watched:
            self.accesses = None
