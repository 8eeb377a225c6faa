"""Regions: each AWS region is a namespace of its own, with its own tables, streams and backups.

The default region is the database itself. Every other region of AWS has a database of its own beside it: in memory, or
in a file with the region's name (`app.db` has `app.db.eu-west-1`), which is created by the first write to that region.
A name that is no region of AWS, such as `local`, means the default region. All regions share the clock and the buckets.
"""

import contextlib
import logging
from pathlib import Path

from tablewright.engine.database import Database
from tablewright.errors import TablewrightError
from tablewright.storage import open_store

AWS_REGIONS = frozenset(
    """
    af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1
    ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6 ap-southeast-7 ca-central-1 ca-west-1
    cn-north-1 cn-northwest-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3
    eusc-de-east-1 il-central-1 me-central-1 me-south-1 mx-central-1 sa-east-1 us-east-1 us-east-2 us-gov-east-1
    us-gov-west-1 us-west-1 us-west-2
    """.split()
)

_log = logging.getLogger("tablewright.engine")


class Regions:
    """The databases of all regions, opened when they are first used."""

    def __init__(self, default: Database) -> None:
        self._default = default
        self._opened: dict[str, Database] = {}
        self._empty: dict[str, Database] = {}
        for region in sorted(AWS_REGIONS):
            file = self._file_of(region)
            if file is None or not file.exists():
                continue
            if region == default.region:
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

    def database(self, region: str | None, *, may_write: bool) -> Database:
        """The database of a region; None means the default region. A read does not create the file of a region."""
        if region is None or region == self._default.region or region not in AWS_REGIONS:
            return self._default
        found = self._opened.get(region)
        if found is not None:
            return found
        if may_write or self._default.path is None:
            return self._open(region)
        if region not in self._empty:
            self._empty[region] = self._new(region, None)
        return self._empty[region]

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
        for database in (*self._opened.values(), *self._empty.values()):
            with contextlib.suppress(TablewrightError):
                database.close()
        self._opened.clear()
        self._empty.clear()

    def _open(self, region: str) -> Database:
        database = self._opened[region] = self._new(region, self._file_of(region))
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
