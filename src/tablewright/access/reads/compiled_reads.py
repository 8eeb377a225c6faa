"""Compiled reads: the access patterns of one repository, each compiled when it first runs."""

from typing import Any

from tablewright.access.context import Context
from tablewright.access.items.decoding import Chooser
from tablewright.access.reads.batch_get_read import BatchGetRead
from tablewright.access.reads.field_rows import RowMaker
from tablewright.access.reads.find_read import FindRead
from tablewright.access.reads.get_read import GetRead
from tablewright.access.reads.page_read import PageRead
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.design.patterns.patterns import Pattern
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


class CompiledReads:
    """The reads of one repository, by the class of their pattern."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._entities: dict[type[Pattern[Any]], PatternRead] = {}
        self._rows: dict[type[Pattern[Any]], PatternRead] = {}

    def of(self, pattern: Pattern[Any]) -> PatternRead:
        """Return the read of a pattern's entities."""
        return self._entities.get(type(pattern)) or self._compile_entities(pattern)

    def rows_of(self, pattern: Pattern[Any]) -> PatternRead:
        """Return the read of rows with a pattern's `fields`."""
        return self._rows.get(type(pattern)) or self._compile_rows(pattern)

    def _compile_entities(self, pattern: Pattern[Any]) -> PatternRead:
        plan = _plan_of(pattern)
        if plan.pattern.fields:
            raise UsageError(f"{plan.name} reads only some fields of its entity; run it with db.rows(...)")
        decoders = [self._context.decoder(layout) for layout in plan.layouts]
        read = KINDS[plan.kind](plan, self._context, Chooser(decoders).make)
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
    plan = getattr(kind, "plan", None)
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
