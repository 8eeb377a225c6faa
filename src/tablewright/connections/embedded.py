"""The embedded connection: a DynamoDB in this process, in memory or in one file.

The engine is imported when a database is opened, so that programs which only use an endpoint or AWS do not load it.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from tablewright.errors import StoreError

if TYPE_CHECKING:
    from tablewright.dynamodb.clock import Clock
    from tablewright.dynamodb.values.attributes import Item
    from tablewright.engine.bulk_access import BulkAccess
    from tablewright.engine.core.request_observers import ObservedRequest as ObservedRequest
    from tablewright.engine.core.request_observers import Observer
    from tablewright.engine.database import Database
    from tablewright.engine.features.faults.injector import Faults as Faults
    from tablewright.engine.features.replicas.replica_progress import Peer
    from tablewright.engine.regions import Regions
    from tablewright.engine.storage import Durability as Durability
    from tablewright.engine.storage import FreeSpace
    from tablewright.server.background_server import BackgroundServer


def embedded(
    path: str | os.PathLike[str] | None = None,
    *,
    durability: Durability = "full",
    clock: Clock | None = None,
    region: str = "us-east-1",
    faults: Faults | None = None,
    buckets: str | os.PathLike[str] | None = None,
) -> Embedded:
    """Open a DynamoDB in this process: in memory, or in the file at `path`, which is created if it does not exist.

    A write to a file returns when it is on disk. With `durability="relaxed"` writes are faster: a crash of the process
    still loses nothing, but a power failure may lose the latest writes. `clock` lets a test control the time, `faults`
    injects errors, and `region` is the region in ARNs. `buckets` is the directory whose folders stand for S3 buckets,
    for exports and imports; the default for `app.db` is `app.db.buckets`.

    >>> with embedded() as db:
    ...     db.call("ListTables", {})
    {'TableNames': []}
    """
    if path == ":memory:":
        raise StoreError("for a database in memory call embedded() without a path")
    from tablewright.engine.database import Database
    from tablewright.engine.storage import open_store

    store = open_store(path, durability)
    try:
        opened = Embedded(Database(store, clock, region, faults, buckets=buckets))
    except BaseException:
        store.close()
        raise
    opened._continue_replication()
    return opened


class Embedded:
    """A DynamoDB in this process; `embedded(...)` opens one. Safe to use from many threads."""

    def __init__(self, database: Database, regions: Regions | None = None) -> None:
        """`regions` has this database as one of its regions, and closes it."""
        self._database: Database | None = database
        self._regions = regions
        self._is_one_of_several = regions is not None
        self._opening = threading.Lock()
        self._servers: list[BackgroundServer] = []
        if regions is None:
            from tablewright.engine.regions import find_peers

            # Weak: a database that is dropped without `close` is freed at once.
            reference = weakref.ref(self)
            find_peers(database, lambda name: _peer(reference, name))
        self.clock = database.clock
        self.region = database.region
        self.path = database.path
        self.buckets = database.bucket_directory
        """The directory whose folders stand for S3 buckets; None in memory, unless one was given."""

    @property
    def faults(self) -> Faults | None:
        """The faults that are injected, or None; assign to it to switch faults while the database is in use.

        Index lag and stale reads apply to changes made after the assignment. Other regions have their own faults.

        >>> from tablewright import Faults
        >>> with embedded() as db:
        ...     db.faults = Faults(throttling=1.0)
        ...     try:
        ...         db.call("GetItem", {"TableName": "Music", "Key": {"Artist": {"S": "Nina"}}})
        ...     except Exception as error:
        ...         print(type(error).__name__)
        ...     db.faults = None
        ProvisionedThroughputExceeded
        """
        return self._open().faults  # type: ignore[no-any-return]

    @faults.setter
    def faults(self, faults: Faults | None) -> None:
        self._open().faults = faults

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Execute one request of the DynamoDB API; an error is raised as a `ServiceError`.

        >>> with embedded() as db:
        ...     db.call("GetItem", {"TableName": "Music", "Key": {"Artist": {"S": "Nina"}}})
        Traceback (most recent call last):
        tablewright.errors.ResourceNotFound: Requested resource not found
        """
        return self._open().call(operation, request)

    def client(self, config: Any = None) -> Any:
        """Return a new boto3 client for `dynamodb` on this database, without a socket; threads may share it.

        `config` is a `botocore.config.Config`, for example to configure retries.
        """
        from tablewright.connections import boto3_clients

        return boto3_clients.client("dynamodb", self._open, self.region, config)

    def resource(self, config: Any = None) -> Any:
        """Return a new boto3 resource for `dynamodb` on this database, without a socket; make one for each thread."""
        from tablewright.connections import boto3_clients

        return boto3_clients.resource("dynamodb", self._open, self.region, config)

    def streams_client(self, config: Any = None) -> Any:
        """Return a new boto3 client for `dynamodbstreams` on this database, without a socket; threads may share it."""
        from tablewright.connections import boto3_clients

        return boto3_clients.client("dynamodbstreams", self._open, self.region, config)

    def intercept(self) -> AbstractContextManager[None]:
        """Return a context manager that redirects every DynamoDB client of this process to this database.

        For code that makes its own boto3 clients, or PynamoDB models: it needs no credentials, region, endpoint or
        change. Clients made before are redirected too. Clients of other AWS services are not.
        """
        from tablewright.connections.interception import intercept

        return intercept(self._open, self.region)

    def serve(self, port: int = 0, *, workers: int = 1) -> BackgroundServer:
        """Serve this database to DynamoDB clients on this machine, until the context ends or the database is closed.

        The server runs in a thread, and the program goes on to use the database. Its `url` is the endpoint of clients;
        `port` 0 selects a free port. With several `workers`, as many processes serve the clients of a data file.
        `tablewright serve` serves other machines, to which clients sign their requests.

        >>> from tablewright import connect, Design
        >>> with embedded() as db, db.serve() as server, connect(Design("empty"), server.url) as other:
        ...     other.connection.call("ListTables", {})["TableNames"]
        []
        """
        from tablewright.server.background_server import BackgroundServer

        server = BackgroundServer(self._open(), self._open_regions(), port, workers)
        self._servers.append(server)
        return server

    def sweep(self) -> int:
        """Delete expired items now, instead of within seconds; return their number.

        As on AWS, an expired item can be read until it is deleted. A test moves the clock, and then sweeps.
        """
        return self._open().sweep()

    def in_region(self, region: str) -> Embedded:
        """Return the database of another AWS region, which has its own tables; for replicas of tables.

        It shares the clock with this one. In a file, its tables are in a file beside it (`app.db.eu-west-1`). It is
        closed with this one.

        >>> with embedded(region="us-east-1") as db:
        ...     db.in_region("eu-west-1").region
        'eu-west-1'
        """
        if region == self.region:
            return self
        database = self._open_regions().database(region, may_write=True)
        if database.region != region:
            raise StoreError(f"{region!r} is not a region of AWS; use one such as 'eu-west-1'")
        return Embedded(database, self._open_regions())

    def replicate(self) -> int:
        """Bring all replicas of tables up to date now, instead of within a second; return the rounds that it took.

        With a frozen clock nothing is replicated before this call: a test can write in several regions, and then see
        which write wins.

        >>> with embedded() as db:
        ...     db.replicate()
        0
        """
        return self._open_regions().replicate()

    def _continue_replication(self) -> None:
        """Replicate in the background if tables have replicas in other regions of this database."""
        from tablewright.engine.regions import has_replicas

        if has_replicas(self._open()):
            self._open_regions()

    def contributors(self, table: str, index: str | None = None) -> dict[str, list[dict[str, Any]]]:
        """Return the most accessed and throttled keys of a table or global index with contributor insights enabled.

        AWS shows these in CloudWatch. Counts are kept in memory, from the time insights are enabled or the database is
        opened, for the 100 most frequent keys. Requests are throttled only with faults (`Faults(partitions=True)`).

        >>> keys = {"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}
        >>> types = {"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]}
        >>> with embedded() as db:
        ...     table = {"TableName": "users", "BillingMode": "PAY_PER_REQUEST", **keys, **types}
        ...     created = db.call("CreateTable", table)
        ...     action = {"TableName": "users", "ContributorInsightsAction": "ENABLE"}
        ...     enabled = db.call("UpdateContributorInsights", action)
        ...     for name in ("ada", "bob", "ada"):
        ...         written = db.call("PutItem", {"TableName": "users", "Item": {"id": {"S": name}}})
        ...     db.contributors("users")["accessed_partitions"]
        [{'key': {'id': {'S': 'ada'}}, 'count': 2}, {'key': {'id': {'S': 'bob'}}, 'count': 1}]
        """
        return self._open().ask("contributors", table, index)  # type: ignore[no-any-return]

    def item_changes(
        self,
        table: str,
        key: Item | None = None,
        *,
        until: float | None = None,
        before: str | None = None,
        limit: int = 100,
    ) -> dict[str, Any]:
        """Return the changes of an item within the recovery period of its table, newest first.

        The table needs point-in-time recovery; AWS has no such call. `key` is the key of an item, or its partition
        key only for all items of a partition; without a key, the changes of the whole table are returned. Each change
        has its time `at`, its `sequence` number, the `key`, and the item `before` and `after`, None where there was
        none. `until` leaves out later changes. If the reply is not `complete`, pass the last `sequence` as `before`.

        >>> from tablewright import Clock
        >>> with embedded(clock=Clock(1_700_000_000)) as db:
        ...     key = {"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}
        ...     key |= {"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]}
        ...     created = db.call("CreateTable", {"TableName": "users", "BillingMode": "PAY_PER_REQUEST", **key})
        ...     enable = {"PointInTimeRecoveryEnabled": True}
        ...     request = {"TableName": "users", "PointInTimeRecoverySpecification": enable}
        ...     enabled = db.call("UpdateContinuousBackups", request)
        ...     for city in ("Lund", "Oslo"):
        ...         db.clock.advance(60)
        ...         item = {"id": {"S": "ada"}, "city": {"S": city}}
        ...         written = db.call("PutItem", {"TableName": "users", "Item": item})
        ...     changes = db.item_changes("users", {"id": {"S": "ada"}})["changes"]
        ...     [(change["at"], change["after"]["city"]) for change in changes]
        [(1700000120.0, {'S': 'Oslo'}), (1700000060.0, {'S': 'Lund'})]
        """
        return self._open().ask("item_changes", table, key or {}, until=until, before=before, limit=limit)  # type: ignore[no-any-return]

    def items_at(
        self, table: str, key: Item, times: Sequence[float], *, start: Item | None = None, limit: int = 1000
    ) -> dict[str, Any]:
        """Return the items of a partition as of some times of the recovery period; with a sort key, one item.

        The table needs point-in-time recovery; AWS has no such call. Each of the `items` is a list with the item as of
        each time, None where there was none. If `next` is not None, pass it as `start` for the next items.

            before, after = db.items_at("users", {"id": {"S": "ada"}}, [yesterday, now])["items"][0]
        """
        return self._open().ask("items_at", table, key, times, start=start, limit=limit)  # type: ignore[no-any-return]

    def observe(self, observer: Observer) -> Callable[[], None]:
        """Call `observer` with an `ObservedRequest` after each request; return a function that ends it.

        It sees the requests of this process: those of Python, of boto3 clients, and of a server on this database. It
        runs in the thread of the request, so it must be quick. An error in it is logged; the request succeeds.

        >>> with embedded() as db:
        ...     end = db.observe(lambda observed: print(observed.operation, observed.error))
        ...     listed = db.call("ListTables", {})
        ...     end()
        ...     listed = db.call("ListTables", {})
        ListTables None
        """
        return self._open().observe(observer)

    def bulk_access(self) -> BulkAccess | None:
        """Return access to many items with few commits, for migrations; None when faults are injected."""
        return self._open().bulk_access()

    def free_space(self) -> FreeSpace:
        """Return the size of the data file, and how many bytes of it `compact` can release.

        >>> with embedded() as db:
        ...     db.free_space().free_bytes
        0
        """
        return self._open().free_space()

    def compact(self, on_progress: Callable[[int, int], None] = lambda released, total: None) -> int:
        """Give the free space of the data file back to the file system; return the number of bytes.

        Deleted items leave free space in the file, which later writes use. Other threads can read and write meanwhile;
        a write waits for one short step at most. `on_progress` is called with the released bytes and their total.

        >>> with embedded() as db:
        ...     db.compact()
        0
        """
        return self._open().compact(on_progress)

    def copy(self, *, clock: Clock | None = None, faults: Faults | None = None) -> Embedded:
        """Return a new database in memory with the tables and items of this one; later changes are not shared.

        The copy has a clock and faults of its own, as in `embedded(...)`. A copy is faster than creating the tables
        again, for tests that start from the same data.

        >>> with embedded() as db, db.copy() as other:
        ...     other.call("ListTables", {})
        {'TableNames': []}
        """
        return Embedded(self._open().copy(clock, faults))

    def close(self) -> None:
        """Make all writes durable and close the file; closing twice has no effect."""
        for server in self._servers:
            server.stop()
        database, self._database = self._database, None
        if database is None or self._is_one_of_several:
            return
        if self._regions is not None:
            self._regions.close()
        database.close()

    def _open(self) -> Database:
        if self._database is None:
            raise StoreError("this database is closed; open it again with embedded(...)")
        return self._database

    def _open_regions(self) -> Regions:
        database = self._open()
        with self._opening:
            if self._regions is None:
                # Loaded only by databases with several regions.
                from tablewright.engine.regions import Regions

                self._regions = Regions(database)
            return self._regions

    def __repr__(self) -> str:
        if self._database is None:
            return "<closed embedded database>"
        return f"<embedded database in {self._database.path or 'memory'}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _peer(reference: weakref.ref[Embedded], region: str) -> Peer | None:
    """The database of another region, which is opened with its first replica."""
    connection = reference()
    return None if connection is None else connection._open_regions().peer(region)
