"""Plan the pages of a migration in several processes.

Converting and validating items is most of the work of a migration, and one process has one core for it. The processes
of this pool read the data file and plan; this process writes, so checkpoints, leases and durability are as without
them. When a process of the pool is killed, its pages are planned here.
"""

import logging
import marshal
import os
import pickle
import queue
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

from tablewright.access.context import Context
from tablewright.connections.bulk import BulkAccess, Replacement, Row, StoredTable
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.errors import MigrationError
from tablewright.lifecycle.migrate.page_planning import (
    PageRequest,
    PlanningSettings,
    SentPage,
    SentReplacement,
    SentRow,
    expected_bytes,
)
from tablewright.lifecycle.traversal.bulk_pages import PlannedPage
from tablewright.lifecycle.traversal.checkpoint_records import PassSegment

_log = logging.getLogger("tablewright.migrate")
_MODULE = "tablewright.lifecycle.migrate.planning_process"
_LOST = (EOFError, OSError)
"""What reading from a process, or writing to it, raises when it has ended."""


class PlanningProcess:
    """One process of the pool."""

    def __init__(self, settings: PlanningSettings) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", _MODULE, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
            )
        self._connection = Connection(ours.detach())
        with suppress(*_LOST):  # `require_ready` reports it
            self._connection.send_bytes(pickle.dumps(settings))

    def require_ready(self) -> None:
        """Wait until the process can plan; raise `MigrationError` when it cannot."""
        try:
            problem: str | None = pickle.loads(self._connection.recv_bytes())
        except _LOST:
            problem = f"it ended with status {self.process.wait()}"
        if problem is not None:
            raise MigrationError(f"a planning process did not start: {problem}")

    def plan(self, request: PageRequest) -> SentPage | None:
        """Return a planned page; None when the process does not see the tables as this one does."""
        self._connection.send_bytes(pickle.dumps(request, pickle.HIGHEST_PROTOCOL))
        sent: tuple[Any, ...] | None = marshal.loads(self._connection.recv_bytes())
        return None if sent is None else SentPage(*sent)

    def stop(self) -> None:
        """End the process."""
        self._connection.close()
        self.process.kill()  # it writes nothing, so it has nothing to finish
        self.process.wait()


class PlanningPool:
    """Processes that plan pages of one migration; the end of a `with` block stops them."""

    def __init__(
        self,
        access: BulkAccess,
        context: Context,
        tables: Sequence[str],
        settings: PlanningSettings,
        count: int,
    ) -> None:
        self.count = count
        self._access = access
        self._context = context
        self._tables = tables
        self._settings = settings
        self.processes: list[PlanningProcess] = []
        self._free: queue.SimpleQueue[PlanningProcess] = queue.SimpleQueue()
        self._by_segment: dict[int, PlanningProcess] = {}
        """The process that plans a segment: it has planned the next page ahead."""

    def start(self) -> None:
        """Start the processes; raise `MigrationError` when one of them cannot plan."""
        try:
            for _ in range(self.count):
                self.processes.append(PlanningProcess(self._settings))
            for process in self.processes:
                process.require_ready()
                self._free.put(process)
        except BaseException:
            self._stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        for process in self.processes:
            process.stop()

    def plan(self, segment: PassSegment, segments: int, limit: int) -> PlannedPage | None:
        """Return a planned page of a segment; None when it has to be planned here."""
        process = self._process(segment)
        if process is None:
            return None
        stored = {name: self._access.table(name) for name in self._tables}
        definitions = {name: table.definition for name, table in stored.items()}
        request = PageRequest(segment, segments, limit, self._context.now(), definitions)
        try:
            page = process.plan(request)
        except _LOST:
            self._by_segment.pop(segment.number, None)
            _log.warning("planning process %d has ended; its pages are planned here", process.process.pid)
            return None
        if page is None or page.after is None:
            self._by_segment.pop(segment.number, None)
            self._free.put(process)
        return None if page is None else _received(page, stored)

    def _process(self, segment: PassSegment) -> PlanningProcess | None:
        """The process of a segment, or a free one; None when the others have ended."""
        process = self._by_segment.get(segment.number)
        if process is None:
            try:
                process = self._by_segment[segment.number] = self._free.get_nowait()
            except queue.Empty:
                return None
        return process


def _received(page: SentPage, tables: Mapping[str, StoredTable]) -> PlannedPage:
    groups = [
        (_row(row), [_replacement(replacement, tables) for replacement in group])
        for row, group in page.groups
    ]
    return PlannedPage(page.seen, groups, [_row(row) for row in page.unusual], page.after, page.units)


def _row(sent: SentRow) -> Row:
    key, raw, size = sent
    return Row(key, StoredItem(raw, size))


def _replacement(sent: SentReplacement, tables: Mapping[str, StoredTable]) -> Replacement:
    name, key, expected, raw, size, is_check = sent
    new = None if raw is None else StoredItem(raw, size)
    return Replacement(tables[name], key, expected_bytes(expected), new, is_check)
