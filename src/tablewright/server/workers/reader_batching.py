"""The batches of a reader: reads of items are run here, all other requests are forwarded to the writer."""

import asyncio

from tablewright.engine.database import Database
from tablewright.engine.reader_database import READS, ReaderDatabase
from tablewright.server.batching import Batcher
from tablewright.server.http_replies import Reply
from tablewright.server.http_requests import Request
from tablewright.server.pending_client import PendingClient
from tablewright.server.service import Service, target_of
from tablewright.server.workers.forwarding import LARGE_REQUEST, Forwarder


class _OneRegion:
    """The database of a reader; other regions are the writer's."""

    def __init__(self, database: ReaderDatabase) -> None:
        self._database = database

    def database(self, region: str | None, *, may_write: bool) -> Database:
        """The database."""
        return self._database

    def flush(self) -> None:
        """Do nothing: nothing is staged."""


class ReaderBatcher(Batcher):
    """Serves the clients of a reader."""

    def __init__(
        self,
        database: ReaderDatabase,
        service: Service,
        forwarder: Forwarder,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(_OneRegion(database), service, loop)
        self._reader = database
        self._forwarder = forwarder

    def _run(self, client: PendingClient, request: Request) -> Reply | None:
        target = target_of(request.headers.get(b"x-amz-target", b""))
        if target is None or not self._runs_here(target.operation, request):
            client.operation = target.operation if target else "-"
            self._forwarder.forward(client, request)
            return None
        return super()._run(client, request)

    def _runs_here(self, operation: str, request: Request) -> bool:
        """Whether a request needs nothing but committed items of the default region."""
        region = self._service.region_of(request)
        return (
            operation in READS
            and request.size <= LARGE_REQUEST
            and (region is None or region == self._reader.region)
            and not self._reader.counts_accesses
        )
