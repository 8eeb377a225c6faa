"""Get reads: one item by its primary key, with GetItem."""

from typing import Any

from tablewright.access.calls.procedures import Call, Procedure
from tablewright.access.calls.retries import RETRYABLE, with_retries
from tablewright.access.calls.retry_counts import count_retry
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.design.patterns.patterns import Pattern
from tablewright.dynamodb.values.attributes import Item


class GetRead(PatternRead):
    """Runs a `Get`."""

    kind = "Get"

    def _begin(
        self, pattern: Pattern[Any], limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Any]:
        self._require_no_paging(limit, cursor)
        return self._get(pattern, include_expired)

    def key_of(self, pattern: Pattern[Any], *, masked: bool = False) -> Item:
        """Return the key that a pattern reads."""
        return self.compiled.key(self._masked(pattern.__dict__) if masked else self._values(pattern))

    def entity(self, item: Item, include_expired: bool) -> Any:
        """Return the entity of an item; None when it has expired."""
        return self._make(item) if include_expired or self._is_live(item) else None

    def _get(self, pattern: Pattern[Any], include_expired: bool) -> Procedure[Any]:
        call = Call("GetItem", self.compiled.request(self._values(pattern)))
        try:
            reply = yield call
        except RETRYABLE as error:  # the retry loop costs time, so the first attempt runs without it
            count_retry(error)
            reply = yield from with_retries(call)
        item = reply.get("Item")
        if item is None or not (include_expired or self._is_live(item)):
            return None
        if self._secret:
            yield from self._fetch_keys([item])
        return self._make(item)
