"""Compiled reads: the access patterns of one repository, each compiled when it first runs."""

from typing import Any, TypeAlias

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.items.decoding import Chooser
from tablewright.access.reads.batch_get_read import BatchGetRead
from tablewright.access.reads.combined import Chained, Merged
from tablewright.access.reads.combined_read import CombinedRead
from tablewright.access.reads.get_read import FindRead, GetRead, LockRead
from tablewright.access.reads.list_sources import ListSource
from tablewright.access.reads.page_read import PageRead
from tablewright.access.reads.pages import Page, RowMaker
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.design.patterns.patterns import Find, Get, Pattern
from tablewright.design.plans.plans import Plan
from tablewright.design.plans.read_attributes import lacking_attributes
from tablewright.errors import DesignError, UsageError

KINDS: dict[str, type[PatternRead]] = {
    "get": GetRead,
    "find": FindRead,
    "query": PageRead,
    "scan": PageRead,
    "batch": BatchGetRead,
}


Readable: TypeAlias = Pattern[Any] | Merged[Any] | Chained[Any]


class PageSequence:
    """All pages of a read, one after the other."""

    def __init__(self, read: PatternRead | CombinedRead, pattern: Readable, include_expired: bool) -> None:
        self.is_finished = False
        self._read = read
        self._pattern: Any = pattern
        self._include_expired = include_expired
        self._cursor: str | None = None
        self._source: ListSource | None = None

    def next_page(self) -> Procedure[Page[Any]]:
        """Read the next page."""
        if isinstance(self._read, CombinedRead):
            if self._source is None:  # kept, as it reads ahead
                self._source = yield from self._read.source(self._pattern, self._include_expired)
            page = yield from self._read.page(self._source, None)
        else:
            page = yield from self._read.run(self._pattern, None, self._cursor, self._include_expired)
        self._cursor = page.cursor
        self.is_finished = page.cursor is None
        return page


class CompiledReads:
    """The reads of one repository, by the class of their pattern."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._entities: dict[type, PatternRead] = {}
        self._rows: dict[type, PatternRead] = {}

    def of(self, pattern: Readable) -> PatternRead | CombinedRead:
        """Return the read of a pattern's entities."""
        return self._entities.get(type(pattern)) or self._new_read(pattern)

    def rows_of(self, pattern: Readable) -> PatternRead | CombinedRead:
        """Return the read of rows with a pattern's `fields`."""
        if isinstance(pattern, Merged | Chained):
            return CombinedRead(self._context, self._rows_of_one)
        return self._rows_of_one(pattern)

    def pages(self, pattern: Readable, include_expired: bool) -> "PageSequence":
        """Return all pages of a pattern, one after the other."""
        if isinstance(pattern, Get | Find):
            kind = pattern.__plan__.kind.title()
            raise UsageError(
                f"{type(pattern).__name__} is a {kind} and returns one entity; read it with db.run(...)"
            )
        return PageSequence(self.of(pattern), pattern, include_expired)

    def _new_read(self, pattern: Readable) -> PatternRead | CombinedRead:
        if isinstance(pattern, Merged | Chained):
            return CombinedRead(self._context, self._of_one)
        return self._compile_entities(pattern)

    def _of_one(self, pattern: Pattern[Any]) -> PatternRead:
        return self._entities.get(type(pattern)) or self._compile_entities(pattern)

    def _rows_of_one(self, pattern: Pattern[Any]) -> PatternRead:
        return self._rows.get(type(pattern)) or self._compile_rows(pattern)

    def _compile_entities(self, pattern: Pattern[Any]) -> PatternRead:
        plan = _plan_of(pattern)
        if plan.pattern.fields:
            raise UsageError(f"{plan.name} reads only some fields of its entity; run it with db.rows(...)")
        decoders = [self._context.decoder(layout) for layout in plan.layouts]
        kind = LockRead if plan.lock else KINDS[plan.kind]
        read = kind(plan, self._context, Chooser(decoders).make)
        self._entities[type(pattern)] = read
        return read

    def _compile_rows(self, pattern: Pattern[Any]) -> PatternRead:
        plan = _plan_of(pattern)
        _require_projected(plan)
        decoders = [self._context.decoder(layout) for layout in plan.layouts]
        makers = [RowMaker(decoder, plan.pattern.fields) for decoder in decoders]
        read = KINDS[plan.kind](plan, self._context, Chooser(makers).make, projected=True)
        self._rows[type(pattern)] = read
        return read


def _plan_of(pattern: object) -> Plan:
    kind = pattern if isinstance(pattern, type) else type(pattern)
    plan = getattr(kind, "__plan__", None)
    if isinstance(plan, Plan) and kind is pattern:
        raise UsageError(f"run() takes an instance with its parameters, {plan.name}(...), not a class")
    if not isinstance(plan, Plan):
        raise UsageError(f"{kind.__name__} is not an access pattern; derive one: class X(Query[User])")
    if plan.problems:
        raise DesignError(f"{plan.name} cannot run: {plan.problems[0]}")
    return plan


def _require_projected(plan: Plan) -> None:
    """Reject a read of rows from an index that lacks what the read needs, before DynamoDB does."""
    for layout in plan.layouts:
        lacking = ", ".join(lacking_attributes(plan, layout))
        if lacking and plan.index is not None:
            raise DesignError(
                f"{plan.name} cannot read {layout.entity.__name__} from {plan.index.name}, which lacks {lacking}; "
                f"add {lacking} to the projection of {plan.index.name}"
            )
