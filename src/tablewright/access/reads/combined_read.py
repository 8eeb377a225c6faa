"""Combined reads: one page, or all pages, of merged and chained queries."""

from collections.abc import Callable
from typing import Any, TypeAlias

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.items.vault import compute_with_keys
from tablewright.access.reads.combined import Chained, Merged
from tablewright.access.reads.list_sources import (
    ChainedSource,
    ListSource,
    MergedSource,
    QuerySource,
    merge_orders,
)
from tablewright.access.reads.page_read import MOST_REQUESTS, PageRead
from tablewright.access.reads.pages import Page, PageBuilder
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.design.patterns.patterns import Query
from tablewright.errors import UsageError

Combined: TypeAlias = Merged[Any] | Chained[Any]
ReadOf: TypeAlias = Callable[[Query[Any]], PatternRead]


class CombinedRead:
    """The read of a `Merged` or `Chained`."""

    kind = "Merged or Chained"

    def __init__(self, context: Context, read_of: ReadOf) -> None:
        self._context = context
        self._read_of = read_of

    def run(
        self, combined: Any, limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Page[Any]]:
        """Read one page."""
        source = yield from self.source(combined, include_expired)
        if cursor is not None:
            source.resume(self._context.cursors.read(source.binding, cursor, type(combined).__name__))
        return (yield from self.page(source, limit))

    def source(self, combined: Combined, include_expired: bool) -> Procedure[ListSource]:
        """Return the list at its start."""
        return compute_with_keys(lambda: self._source(combined, include_expired))

    def page(self, source: ListSource, limit: int | None) -> Procedure[Page[Any]]:
        """Take the next page of a list; without a limit, what one request to each query returns."""
        if limit is not None and limit < 1:
            raise UsageError(f"limit must be at least 1, got {limit}")
        builder = PageBuilder()
        source.begin_page(MOST_REQUESTS if limit else 1)
        while limit is None or len(builder.items) < limit:
            if not source.has_item:
                yield from source.fill(None if limit is None else limit - len(builder.items))
                if not source.has_item:
                    break
            taken = source.take()
            taken.read.add(taken.item, builder)
        builder.consumed = source.consumed
        if source.is_done:
            return builder.page()
        return builder.page(self._context.cursors.make(source.binding, source.position()))

    def queries(self, combined: Combined) -> list[tuple[PageRead, Query[Any]]]:
        """Return all queries, with their reads."""
        if isinstance(combined, Merged):
            return [(self._page_read(each), each) for each in combined.patterns]
        return [
            found
            for each in combined.patterns
            for found in (self.queries(each) if isinstance(each, Merged) else [(self._page_read(each), each)])
        ]

    def _source(self, pattern: Combined | Query[Any], include_expired: bool) -> ListSource:
        if isinstance(pattern, Chained):
            return ChainedSource([self._source(each, include_expired) for each in pattern.patterns])
        if isinstance(pattern, Query):
            return self._query(pattern, include_expired)
        queries = [self._query(each, include_expired) for each in pattern.patterns]
        reads = [each.read for each in queries]
        orders = merge_orders(reads, [each.request for each in queries], ignore_prefix=pattern.ignore_prefix)
        descending = any(read.plan.pattern.descending for read in reads)
        return MergedSource(queries, orders, descending=descending)

    def _query(self, pattern: Query[Any], include_expired: bool) -> QuerySource:
        read = self._page_read(pattern)
        return QuerySource(read, read.request_of(pattern), include_expired)

    def _page_read(self, pattern: Query[Any]) -> PageRead:
        read = self._read_of(pattern)
        assert isinstance(read, PageRead)  # the read of a Query
        return read
