"""Plan the pages of a migration in several processes.

Converting and validating items is most of the work of a migration, and one process has one core for it. The processes
of this pool read the data file and plan; this process writes, so checkpoints, leases and durability are as without
them. What was planned is written if the items are still as they were read, so nothing is lost when a process of the
pool is killed: its pages are planned here.
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
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeAlias

from tablewright.access.context import Context
from tablewright.access.items.footprint import ComparableKey
from tablewright.access.procedures import run_sync
from tablewright.connections.bulk import (
    ANYTHING,
    Anything,
    BulkAccess,
    FileReader,
    KeyedItem,
    Replacement,
    StoredTable,
)
from tablewright.design.designs import Design, checkpoint_table
from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.errors import MigrationError, TablewrightError
from tablewright.lifecycle.migrate.item_migration import MovedRejects, migration_work
from tablewright.lifecycle.traversal.bulk_pages import BulkPages, PlannedPage
from tablewright.lifecycle.traversal.checkpoint_records import Direction, PassSegment, Reject
from tablewright.lifecycle.traversal.table_pass import collector_paused

SentRow: TypeAlias = tuple[bytes, bytes, int]
"""The key, the bytes and the size of a row."""
SentReplacement: TypeAlias = tuple[str, bytes, bytes | bool | None, bytes | None, int, bool]
"""The table, the key, the expected bytes (True for any), the new bytes and their size, and whether it is a check."""


@dataclass(frozen=True, slots=True)
class PlanningSettings:
    """What a process plans."""

    path: Path
    design: str
    """Where the design is imported from, as `module:name`."""
    migration: str
    direction: Direction
    environment: str | None
    prefix: str
    rejects: Mapping[ComparableKey, Sequence[tuple[str, Reject]]]
    """The rejects of other migrations, which follow items that move."""


class PageRequest(NamedTuple):
    """A page to plan."""

    segment: PassSegment
    segments: int
    limit: int
    now: float
    definitions: Mapping[str, Any]
    """The definitions of the tables that are written."""


class SentPage(NamedTuple):
    """A planned page, in values that are quick to send."""

    seen: int
    groups: list[tuple[SentRow, list[SentReplacement]]]
    unusual: list[SentRow]
    after: Item | None
    units: float


class PagePlanning:
    """Plans pages of one migration of a file."""

    def __init__(self, settings: PlanningSettings) -> None:
        design = Design.load(settings.design)
        migrations = [migration for migration in design.migrations if migration.name == settings.migration]
        if not migrations:
            raise MigrationError(f"{settings.design} has no migration {settings.migration}")
        self._now = 0.0
        context = Context(lambda: self._now, settings.environment, prefix=settings.prefix)
        moved = MovedRejects(context, checkpoint_table(design), settings.rejects)
        work = migration_work(design, context, migrations[0], settings.direction, moved)
        self._reader = FileReader(settings.path)
        self._pages = BulkPages(
            self._reader.access, context, migrations[0].table, work.planner, work.is_local
        )
        self._ahead: tuple[PageRequest, SentPage] | None = None

    def plan(self, request: PageRequest) -> SentPage | None:
        """Return a planned page; None when this process does not see the tables as the other one does."""
        if self._ahead is not None:
            (asked, page), self._ahead = self._ahead, None
            if _is_same(asked, request):
                return page
        if not self._sees(request.definitions):
            self._reader.refresh()
            if not self._sees(request.definitions):
                return None
        self._now, self._pages.limit = request.now, request.limit
        with collector_paused():
            return _sent(run_sync(self._pages.plan_here(request.segment, request.segments), _no_call))

    def plan_ahead(self, request: PageRequest, page: SentPage) -> None:
        """Plan the page after a page, while the other process writes that one."""
        following = request._replace(segment=replace(request.segment, after=page.after))
        planned = self.plan(following)
        self._ahead = None if planned is None else (following, planned)

    def _sees(self, definitions: Mapping[str, Any]) -> bool:
        try:
            return all(
                self._reader.access.table(name).definition == definitions[name] for name in definitions
            )
        except TablewrightError:
            return False


def _is_same(asked: PageRequest, request: PageRequest) -> bool:
    """Whether a page that was planned ahead is the requested one."""
    one, other = asked.segment, request.segment
    is_same_page = (one.number, one.after, asked.segments) == (other.number, other.after, request.segments)
    return is_same_page and asked.definitions == request.definitions


def _no_call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
    raise TablewrightError(f"a planning process makes no calls, not even {operation}")


def _sent(page: PlannedPage) -> SentPage:
    groups = [
        (_sent_row(row), [_sent_replacement(replacement) for replacement in group])
        for row, group in page.groups
    ]
    return SentPage(page.seen, groups, [_sent_row(row) for row in page.unusual], page.after, page.units)


def _sent_row(row: KeyedItem) -> SentRow:
    return row.key, row.item.raw, row.item.size


def _sent_replacement(replacement: Replacement) -> SentReplacement:
    expected = True if isinstance(replacement.expected, Anything) else replacement.expected
    raw, size = (None, 0) if replacement.new is None else (replacement.new.raw, replacement.new.size)
    return replacement.table.name, replacement.key, expected, raw, size, replacement.is_check


def expected_bytes(sent: bytes | bool | None) -> bytes | Anything | None:
    """Return the expected bytes of a replacement from their sent form."""
    return ANYTHING if isinstance(sent, bool) else sent


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


def _row(sent: SentRow) -> KeyedItem:
    key, raw, size = sent
    return KeyedItem(key, StoredItem(raw, size))


def _replacement(sent: SentReplacement, tables: Mapping[str, StoredTable]) -> Replacement:
    name, key, expected, raw, size, is_check = sent
    new = None if raw is None else StoredItem(raw, size)
    return Replacement(tables[name], key, expected_bytes(expected), new, is_check)
