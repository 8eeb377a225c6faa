"""Lock reads: one entity by a unique value, through the lock of that value.

The lock is read first, then the entity that owns it. Unlike a read through an index this can be consistent.
"""

from typing import Any

from tablewright.access.calls.procedures import Call, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.access.items.computed_values import entity_values
from tablewright.access.items.decoding import unknown_item
from tablewright.access.items.key_values import key_of, key_values
from tablewright.access.items.unique_locks import lock_owner
from tablewright.access.items.vault import lookup_values
from tablewright.access.reads.get_read import GetRead
from tablewright.design.entities.entities import Entity
from tablewright.design.patterns.patterns import Pattern
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import KeyValueError


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
        found: Item | None = (yield from with_retries(Call("GetItem", request))).get("Item")
        return found

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
