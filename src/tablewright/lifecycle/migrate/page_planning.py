"""Plan pages of a migration in a process that does not write.

Another process has the data file open, and migrates. This one reads the same file and plans; the other one writes what
was planned, if the items are still as they were read. So nothing is lost when this process is killed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from tablewright.access.calls.procedures import run_sync
from tablewright.access.context import Context
from tablewright.access.items.footprint import ComparableKey
from tablewright.connections.bulk import ANYTHING, Anything, FileReader, Replacement, Row
from tablewright.design.designs import Design
from tablewright.design.library_tables import checkpoint_table
from tablewright.dynamodb.values.attributes import Item
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


def _sent_row(row: Row) -> SentRow:
    return row.key, row.item.raw, row.item.size


def _sent_replacement(replacement: Replacement) -> SentReplacement:
    expected = True if isinstance(replacement.expected, Anything) else replacement.expected
    raw, size = (None, 0) if replacement.new is None else (replacement.new.raw, replacement.new.size)
    return replacement.table.name, replacement.key, expected, raw, size, replacement.is_check


def expected_bytes(sent: bytes | bool | None) -> bytes | Anything | None:
    """Return the expected bytes of a replacement from their sent form."""
    return ANYTHING if isinstance(sent, bool) else sent
