"""The embedded connection: a DynamoDB that lives in this process, in memory or in one file."""

import os
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

from tablewright.engine.database import Database
from tablewright.engine.faults.injector import Faults
from tablewright.engine.state.clock import Clock
from tablewright.errors import StoreError
from tablewright.storage import Durability, open_store


def embedded(
    path: str | os.PathLike[str] | None = None,
    *,
    durability: Durability = "full",
    clock: Clock | None = None,
    region: str = "us-east-1",
    faults: Faults | None = None,
    buckets: str | os.PathLike[str] | None = None,
) -> "Embedded":
    """Open a DynamoDB in this process: in memory, or in the file at `path`, which is created if it is not there.

    A file acknowledges only what is on disk. With `durability="relaxed"` writes are faster, a crash of the process
    still loses nothing, but a power failure may lose the last moments. `clock` lets a test own the time, `faults` say
    what shall go wrong, and `region` is the one that ARNs show. `buckets` is the directory whose folders stand for the
    buckets of S3, for exports and imports; beside `app.db` that is `app.db.buckets`.

    >>> with embedded() as db:
    ...     db.call("ListTables", {})
    {'TableNames': []}
    """
    if path == ":memory:":
        raise StoreError("a database in memory is embedded(), with no path")
    store = open_store(path, durability)
    try:
        return Embedded(Database(store, clock, region, faults, buckets=buckets))
    except BaseException:
        store.close()
        raise


class Embedded:
    """A DynamoDB in this process; `embedded(...)` opens one. Safe to use from many threads."""

    def __init__(self, database: Database) -> None:
        self._database: Database | None = database
        self.clock = database.clock
        self.region = database.region
        self.path = database.path
        self.buckets = database.bucket_directory
        """The directory with the folders that stand for S3's buckets; None in memory, unless one was given."""

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run one request in DynamoDB's own vocabulary; a refusal is raised as a `ServiceError`.

        >>> with embedded() as db:
        ...     db.call("GetItem", {"TableName": "Music", "Key": {"Artist": {"S": "Nina"}}})
        Traceback (most recent call last):
        tablewright.errors.ResourceNotFound: Requested resource not found
        """
        return self._open().call(operation, request)

    def client(self, config: Any = None) -> Any:
        """A new boto3 client for `dynamodb` that runs here, with no socket; share it between threads.

        `config` is a `botocore.config.Config`, to set how often boto3 retries, for instance.
        """
        from tablewright.connections import boto3_clients

        return boto3_clients.client("dynamodb", self._open, self.region, config)

    def resource(self, config: Any = None) -> Any:
        """A new boto3 resource for `dynamodb` that runs here, with no socket; one for each thread, as boto3 asks."""
        from tablewright.connections import boto3_clients

        return boto3_clients.resource("dynamodb", self._open, self.region, config)

    def streams_client(self, config: Any = None) -> Any:
        """A new boto3 client for `dynamodbstreams` that runs here, with no socket; share it between threads."""
        from tablewright.connections import boto3_clients

        return boto3_clients.client("dynamodbstreams", self._open, self.region, config)

    def intercept(self) -> AbstractContextManager[None]:
        """While the block runs, every DynamoDB client of this process, whoever made it and when, ends up here.

        For code that makes its own boto3 clients, or PynamoDB models: no credentials, no region, no endpoint and no
        change needed. Other AWS services are left alone.
        """
        from tablewright.connections.interception import intercept

        return intercept(self._open, self.region)

    def sweep(self) -> int:
        """Delete now what has expired, instead of within seconds; the answer is how many items that were.

        As on AWS, an expired item can be read until it is swept. A test moves the clock, and then sweeps.
        """
        return self._open().sweep()

    def close(self) -> None:
        """Make everything durable and let the file go; closing twice does no harm."""
        database, self._database = self._database, None
        if database is not None:
            database.close()

    def _open(self) -> Database:
        if self._database is None:
            raise StoreError("this database is closed; open it again with embedded(...)")
        return self._database

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
