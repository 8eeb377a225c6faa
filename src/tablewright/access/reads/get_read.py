"""Get reads: one item by its primary key, with GetItem.

Find reads: one item through an index, with Query. A second match is an error.

Lock reads: one entity by a unique value, through the lock of that value.

The lock is read first, then the entity that owns it. Unlike a read through an index this can be consistent.
"""

from typing import Any

from tablewright.access.items.decoding import unknown_item
from tablewright.access.items.footprint import entity_values
from tablewright.access.items.item_values import key_of, key_values
from tablewright.access.items.unique_locks import lock_owner
from tablewright.access.items.vault import lookup_values
from tablewright.access.procedures import RETRYABLE, Call, Procedure, count_retry, with_retries
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.design.entities.entities import Entity
from tablewright.design.patterns import Pattern
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import KeyValueError, SeveralFound


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


class FindRead(PatternRead):
    """Runs a `Find`."""

    kind = "Find"

    def _begin(
        self, pattern: Pattern[Any], limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Any]:
        self._require_no_paging(limit, cursor)
        return self._find(pattern, include_expired)

    def _find(self, pattern: Pattern[Any], include_expired: bool) -> Procedure[Any]:
        request = self.compiled.request(self._values(pattern))
        if not self.compiled.has_filter:
            request["Limit"] = 2
        matches: list[Item] = []
        while True:
            reply = yield from with_retries(Call("Query", request))
            matches += [item for item in reply["Items"] if self.is_returned(item, include_expired)]
            if len(matches) > 1:
                raise SeveralFound(self.plan.name)
            if "LastEvaluatedKey" not in reply:
                yield from self._fetch_keys(matches)
                return self._make(matches[0]) if matches else None
            request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]


class LockRead(GetRead):
    """Runs a `Get` whose key is that of a lock."""

    def expected_items(self, pattern: Pattern[Any], limit: int | None) -> int:
        """Return 2: the lock and the entity."""
        return 2

    def _get(self, pattern: Pattern[Any], include_expired: bool) -> Procedure[Any]:
        request = self.compiled.request(self._values(pattern))
        lock = yield from self._item(request)
        if lock is None or not (include_expired or self._is_live(lock)):
            return None
        item = yield from self._item({**request, "Key": self._owner(lock)})
        if item is None or not (include_expired or self._is_live(item)):
            return None
        yield from self._fetch_keys([item])
        entity = self._make(item)
        return entity if self._has_lock(entity, lock) else None

    def _item(self, request: dict[str, Any]) -> Procedure[Item | None]:
        item: Item | None = (yield from with_retries(Call("GetItem", request))).get("Item")
        return item

    def _owner(self, item: Item) -> Item:
        """The primary key of the owner of a lock."""
        (layout,), lock = self.plan.layouts, self.plan.lock
        assert lock is not None
        owner = lock_owner(layout, lock, item) if lock.matches(layout.table, item) else None
        if owner is None:
            problem = (
                f"is not a valid lock of {layout.entity.__name__}.{lock.field.name}: its owner is unknown"
            )
            raise unknown_item(layout.table, item, problem)
        return owner

    def _has_lock(self, entity: Entity, item: Item) -> bool:
        """Whether the entity still has the unique value: it may have changed between the two reads."""
        lock, layout = self.plan.lock, entity.layout
        assert lock is not None
        try:
            values = lookup_values(self._context.vault, layout, entity_values(entity))
            return key_values(layout.table, lock.key, values) == key_of(layout.table, item)
        except KeyValueError:
            return False
