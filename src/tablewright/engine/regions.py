"""Regions: each AWS region is a namespace of its own, with its own tables, streams and backups.

The default region is the database itself. Every other region of AWS has a database of its own beside it: in memory, or
in a file with the region's name (`app.db` has `app.db.eu-west-1`), which is created by the first write to that region.
A name that is no region of AWS, such as `local`, means the default region. All regions share the clock and the buckets.

Tables can have replicas in several regions. `remotes` are the regions that another server has: their replicas are read
over the network. Threads replicate all the time, unless the clock is frozen; `replicate` replicates now:

>>> from tablewright.engine.storage import open_store
>>> default = Database(open_store())
>>> regions = Regions(default)
>>> regions.replicate()
0
>>> regions.close()
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tablewright.engine.core.requests.arns import AWS_REGIONS
from tablewright.engine.database import Database
from tablewright.engine.features.replicas.replica_groups import other_members
from tablewright.engine.features.replicas.replica_progress import LocalPeer, Peer, links_of, replicated_tables
from tablewright.engine.features.replicas.replication import (
    ReplicationLoop,
    replicate,
    replicate_quietly,
    tidy,
)
from tablewright.engine.storage import open_store
from tablewright.errors import TablewrightError, ValidationError

_log = logging.getLogger("tablewright.engine")


class Regions:
    """The databases of all regions, opened when they are first used."""

    def __init__(
        self, default: Database, remotes: Mapping[str, Peer] | None = None, *, serves_one: bool = False
    ) -> None:
        """`serves_one`: clients can only use the default region, so that replicas in others must be remote."""
        self._default = default
        self._serves_one = serves_one
        self._remotes = dict(remotes or {})
        self._opening = threading.RLock()
        self._loops = [
            ReplicationLoop(partial(self._run_round, names), ", ".join(names) or "local")
            for names in ([], *([name] for name in self._remotes))
        ]
        self._connect(default)
        self._opened: dict[str, Database] = {}
        self._empty: dict[str, Database] = {}
        for region in sorted(AWS_REGIONS):
            file = self._file_of(region)
            if file is None or not file.exists():
                continue
            if region in self._remotes:
                _log.warning("%s is not used: another server has %s, as --replica says", file, region)
            elif region == default.region:
                _log.warning(
                    "%s has tables of %s that are not shown: %s is the default region now, whose tables are in %s",
                    file,
                    region,
                    region,
                    default.path,
                )
            else:
                # Open it now: its expired items are due, and its jobs continue.
                self._open(region)
        if any(replicated_tables(database.state) for database in self._databases()):
            self._start_replication()

    def database(self, region: str | None, *, may_write: bool) -> Database:
        """The database of a region; None means the default region. A read does not create the file of a region."""
        if region is None or region == self._default.region or region not in AWS_REGIONS:
            return self._default
        opened = self._opened.get(region)
        if opened is not None:
            return opened
        if region in self._remotes:
            raise ValidationError(
                f"Region {region} is held by another server, as --replica says; send the request to that server"
            )
        with self._opening:
            if may_write or self._default.path is None:
                return self._opened.get(region) or self._open(region)
            if region not in self._empty:
                self._empty[region] = self._new(region, None)
            return self._empty[region]

    def peer(self, region: str) -> Peer | None:
        """The database of a region, for replicas; None for a name that is no region."""
        if region in self._remotes:
            return self._remotes[region]
        if region not in AWS_REGIONS and region != self._default.region:
            return None
        return LocalPeer(lambda may_write: self.database(region, may_write=may_write))

    def replicate(self) -> int:
        """Replicate between all regions until nothing is new; return the number of rounds that changed anything.

        Raises Unreachable when another server cannot be reached.
        """
        rounds = 0
        while self._replicate_once():
            rounds += 1
        return rounds

    def _replicate_once(self) -> bool:
        changed = False
        for database in self._databases():
            for region in _regions_of(database):
                changed |= replicate(database.sessions, region)
            changed |= tidy(database.sessions)
        return changed

    def _run_round(self, remotes: list[str]) -> bool | None:
        """A round of a loop: with one other server, or, without `remotes`, between the regions of this one."""
        if self._default.clock.frozen:
            return False
        results: list[bool | None] = []
        for database in self._databases():
            for region in _regions_of(database):
                if (region in remotes) if remotes else (region not in self._remotes):
                    results.append(replicate_quietly(database.sessions, region))
            if not remotes:
                with contextlib.suppress(TablewrightError):
                    results.append(tidy(database.sessions))
        return None if None in results and True not in results else True in results

    def _serves(self, region: str) -> bool:
        return not self._serves_one or region == self._default.region or region in self._remotes

    def _start_replication(self) -> None:
        for loop in self._loops:
            loop.start()

    def _connect(self, database: Database) -> None:
        links = links_of(database.state)
        links.peer = self.peer
        links.serves_region = self._serves
        links.wake_replication = self._start_replication

    def _databases(self) -> list[Database]:
        return [self._default, *tuple(self._opened.values())]  # a region may be opened meanwhile

    def serve_at(self, address: str) -> None:
        """Set the `host:port` that DescribeEndpoints shows, in all regions."""
        for database in (self._default, *self._opened.values(), *self._empty.values()):
            database.serve_at(address)

    def flush(self) -> None:
        """Make everything staged durable, in all regions."""
        self._default.flush()
        for database in tuple(self._opened.values()):  # a region may be opened meanwhile
            database.flush()

    def close(self) -> None:
        """Close the databases of all regions but the default, which belongs to the caller."""
        for loop in self._loops:
            loop.stop()
        for database in (*self._opened.values(), *self._empty.values()):
            with contextlib.suppress(TablewrightError):
                database.close()
        self._opened.clear()
        self._empty.clear()

    def _open(self, region: str) -> Database:
        database = self._opened[region] = self._new(region, self._file_of(region))
        self._connect(database)
        return database

    def _new(self, region: str, file: Path | None) -> Database:
        default = self._default
        store = open_store(file, default.durability)
        try:
            database = Database(store, default.clock, region, buckets=default.bucket_directory)
        except BaseException:
            store.close()
            raise
        database.serve_at(default.state.address)
        return database

    def _file_of(self, region: str) -> Path | None:
        path = self._default.path
        return None if path is None else path.with_name(f"{path.name}.{region}")


def _regions_of(database: Database) -> list[str]:
    """The other regions of all tables that have replicas."""
    return sorted(
        {
            region
            for table in replicated_tables(database.state)
            for region in other_members(table.definition, database.region)
        }
    )


def has_replicas(database: Database) -> bool:
    """Whether a table of the database has replicas in other regions."""
    return bool(replicated_tables(database.state))


def find_peers(database: Database, peer: Callable[[str], Peer | None]) -> None:
    """Set the function that returns the database of another region by its name."""
    links_of(database.state).peer = peer
