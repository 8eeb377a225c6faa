"""A server in a thread of its own, on a database that the program goes on to use."""

import asyncio
import logging
import os
import threading
from concurrent.futures import Future
from types import TracebackType
from typing import Self

from tablewright.engine.database import Database
from tablewright.engine.regions import Regions
from tablewright.errors import UsageError
from tablewright.server.listener import Served, serve_one
from tablewright.server.request_log import access
from tablewright.server.service import ServiceSettings
from tablewright.server.workers.process_links import ReaderSettings
from tablewright.server.workers.supervisor import serve_with_workers

HOST = "127.0.0.1"


class BackgroundServer:
    """Serves a database over HTTP on this machine, from construction until `stop`; a context manager.

    With several workers, as many processes serve the clients of a data file; this process writes.
    """

    def __init__(self, database: Database, regions: Regions, port: int = 0, workers: int = 1) -> None:
        if workers > 1 and (database.path is None or os.name == "nt"):
            raise UsageError("several workers need a data file, and are not available on Windows")
        self._started: Future[asyncio.AbstractEventLoop] = Future()
        self._database = database
        self._regions = regions
        self._workers = workers
        self._stop_event = asyncio.Event()
        self._address = database.address
        self.port = port
        self._thread = threading.Thread(target=self._run, name="tablewright-server", daemon=True)
        self._thread.start()
        self._loop = self._started.result()

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://{HOST}:{self.port}"

    def stop(self) -> None:
        """Answer open requests and stop; stopping twice has no effect. The database stays open."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop_event.set)
            self._thread.join()
            self._regions.serve_at(self._address)

    def _run(self) -> None:
        settings = ServiceSettings(self._database.region, (HOST,))
        served = Served(
            self._database,
            settings.service(),
            HOST,
            self.port,
            self._begin,
            shared=self._regions,
            stop_event=lambda loop: self._stop_event,
        )
        try:
            if self._workers == 1:
                serve_one(served)
            else:
                assert self._database.path is not None
                verbose = access.isEnabledFor(logging.INFO)
                readers = ReaderSettings(self._database.path, settings, verbose=verbose)
                serve_with_workers(served, self._workers, readers)
        except BaseException as error:
            if self._started.done():
                raise
            self._started.set_exception(error)

    def _begin(self, port: int) -> None:
        self.port = port
        self._started.set_result(asyncio.get_running_loop())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
