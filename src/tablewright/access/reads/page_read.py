"""Page reads: one page of items, with Query or Scan."""

from typing import Any

from tablewright.access.calls.procedures import Call, Procedure, Reply
from tablewright.access.calls.reply_capacity import consumed_units
from tablewright.access.calls.retries import with_retries
from tablewright.access.reads.cursors import make_cursor, read_cursor
from tablewright.access.reads.pages import Page, PageBuilder
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.design.patterns.patterns import Pattern
from tablewright.errors import UsageError
from tablewright.values.attributes import Item

MOST_REQUESTS = 10
"""The most requests that fill one page; after these the page is returned with the items found so far."""
FILTERED_PAGE = 100
"""The least number of items that one request reads to fill a page through a filter."""


class PageRead(PatternRead):
    """Runs a `Query` or a `Scan`."""

    kind = "Query or Scan"

    def _begin(
        self, pattern: Pattern[Any], limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Page[Any]]:
        return self._page(pattern, self._page_size(limit), cursor, include_expired)

    def expected_items(self, pattern: Pattern[Any], limit: int | None) -> int:
        """Return the limit, or what the pattern expects."""
        return limit or pattern.page_size or pattern.items or 1

    def _page(
        self, pattern: Pattern[Any], limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Page[Any]]:
        request = self.compiled.request(self._values(pattern))
        start = None if cursor is None else read_cursor(self.plan.name, request, cursor)
        builder = PageBuilder()
        for _ in range(MOST_REQUESTS if limit else 1):
            next_request = self._next_request(request, start, limit, builder)
            reply = yield from with_retries(Call(self.compiled.operation, next_request))
            builder.consumed += consumed_units(reply)
            yield from self._fetch_keys(reply["Items"])
            start = self._add_all(reply, limit, builder, include_expired)
            if start is None or len(builder.items) == limit:
                break
        return builder.page(None if start is None else make_cursor(self.plan.name, request, start))

    def _next_request(
        self, request: dict[str, Any], start: Item | None, limit: int | None, builder: PageBuilder
    ) -> dict[str, Any]:
        continued = dict(request)
        if start is not None:
            continued["ExclusiveStartKey"] = start
        if limit is not None:
            missing = limit - len(builder.items)
            continued["Limit"] = max(missing, FILTERED_PAGE) if self.compiled.has_filter else missing
        return continued

    def _add_all(
        self, reply: Reply, limit: int | None, builder: PageBuilder, include_expired: bool
    ) -> Item | None:
        """Add items until the page is full; return the key after which the next page starts."""
        items = reply["Items"]
        for place, item in enumerate(items):
            if self._is_returned(item, include_expired):
                self._add(item, builder)
            if len(builder.items) == limit and place < len(items) - 1:
                return self._start_key(item)
        return reply.get("LastEvaluatedKey")

    def _start_key(self, item: Item) -> Item:
        index = self.plan.index
        names = dict.fromkeys((*self.plan.table.key, *(index.key if index else ())))
        return {name: item[name] for name in names}

    def _page_size(self, limit: int | None) -> int | None:
        if limit is not None and limit < 1:
            raise UsageError(f"{self.plan.name}: limit must be at least 1, got {limit}")
        return limit or self.plan.pattern.page_size
