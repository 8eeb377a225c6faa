"""Page reads: one page of items, with Query or Scan."""

from typing import Any

from tablewright.access.cursors import binding_of, damaged
from tablewright.access.procedures import Call, Procedure, Reply, consumed_units, with_retries
from tablewright.access.reads.pages import Page, PageBuilder
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.design.patterns import Pattern
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import UsageError, ValidationError

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
        return self._page(pattern, self.page_size(limit), cursor, include_expired)

    def expected_items(self, pattern: Pattern[Any], limit: int | None) -> int:
        """Return the limit, or what the pattern expects."""
        return limit or pattern.page_size or pattern.expected_items or 1

    def request_of(self, pattern: Pattern[Any]) -> dict[str, Any]:
        """Return the request of the first page, without a limit."""
        return self.compiled.request(self._values(pattern))

    def binding(self, request: dict[str, Any]) -> bytes:
        """Return the digest that binds a cursor to this read."""
        return binding_of(self.plan.name, self.compiled.bound(request))

    def fetch(
        self,
        request: dict[str, Any],
        start: Item | None,
        missing: int | None,
        *,
        from_cursor: bool = False,
    ) -> Procedure[Reply]:
        """Make one request for `missing` items after a key; a key `from_cursor` may be invalid."""
        continued = dict(request)
        if start is not None:
            continued["ExclusiveStartKey"] = start
        if missing is not None:
            continued["Limit"] = max(missing, FILTERED_PAGE) if self.compiled.has_filter else missing
        try:
            reply = yield from with_retries(Call(self.compiled.operation, continued))
        except ValidationError as error:
            if not from_cursor or "specified index" in str(error):
                raise
            raise damaged() from error
        yield from self._fetch_keys(reply["Items"])
        return reply

    def key_of(self, item: Item) -> Item:
        """Return the key after which a page that ends with this item continues."""
        index = self.plan.index
        names = dict.fromkeys((*self.plan.table.key, *(index.key if index else ())))
        return {name: item[name] for name in names}

    def _page(
        self, pattern: Pattern[Any], limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Page[Any]]:
        request = self.request_of(pattern)
        start = None if cursor is None else self._start(request, cursor)
        builder = PageBuilder()
        for number in range(MOST_REQUESTS if limit else 1):
            missing = None if limit is None else limit - len(builder.items)
            from_cursor = cursor is not None and number == 0
            reply = yield from self.fetch(request, start, missing, from_cursor=from_cursor)
            builder.consumed += consumed_units(reply)
            start = self._add_all(reply, limit, builder, include_expired)
            if start is None or len(builder.items) == limit:
                break
        if start is None:
            return builder.page()
        position = self.compiled.position(start)
        return builder.page(self._context.cursors.make(self.binding(request), position))

    def _start(self, request: dict[str, Any], cursor: str) -> Item:
        position = self._context.cursors.read(self.binding(request), cursor, self.plan.name)
        return self.compiled.start_key(request, position)

    def _add_all(
        self, reply: Reply, limit: int | None, builder: PageBuilder, include_expired: bool
    ) -> Item | None:
        """Add items until the page is full; return the key after which the next page starts."""
        items = reply["Items"]
        if limit is None:
            self.add_all(items, builder, include_expired)
            return reply.get("LastEvaluatedKey")
        for place, item in enumerate(items):
            if self.is_returned(item, include_expired):
                self.add(item, builder)
            if len(builder.items) == limit and place < len(items) - 1:
                return self.key_of(item)
        return reply.get("LastEvaluatedKey")

    def page_size(self, limit: int | None) -> int | None:
        """Return the number of entities in a page: the limit, or the `page_size` of the pattern."""
        if limit is not None and limit < 1:
            raise UsageError(f"{self.plan.name}: limit must be at least 1, got {limit}")
        return limit or self.plan.pattern.page_size
