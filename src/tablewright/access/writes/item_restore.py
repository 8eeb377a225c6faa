"""Restore an item: write it again as it was earlier, with the copies and locks that follow from it.

The write has the condition that the stored item is as it was read. The version of an entity still increases, so that
other writers notice the change.
"""

from collections.abc import Sequence

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.items.decoding import is_outdated
from tablewright.access.items.key_values import key_of
from tablewright.access.items.vault import run_with_keys
from tablewright.access.writes import actions
from tablewright.access.writes.actions import WriteAction
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.entity_rewrite import EntityRewrite
from tablewright.access.writes.execute import ItemsKeepChanging, WritesFailed, execute
from tablewright.access.writes.item_encryption import decrypted_item
from tablewright.access.writes.preconditions import ItemAbsent, owner_text, unchanged
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import UnknownItem


class ItemChanged(Exception):
    """The stored item is not as it was read; nothing was written."""


@dataclass(frozen=True, slots=True)
class ItemRestore:
    """The restore of one item: `found` is the stored item, `desired` what it was; None where there is no item.

    `layout` is the entity of the item; without one, the item alone is written, if it still has none of the `known`
    attributes that it lacked.
    """

    context: Context
    table: Table
    layout: Layout | None
    found: Item | None
    desired: Item | None
    known: tuple[str, ...] = ()

    def plan(self) -> Procedure[Sequence[WriteAction]]:
        """Return the actions; none when the item is as desired. Raise `ItemRejected` when it cannot be written."""
        try:
            return (yield from run_with_keys(self._plan))
        except UnknownItem as error:
            raise ItemRejected(error.reason) from None

    def execute(self) -> Procedure[Sequence[WriteAction]]:
        """Execute the actions, all or none, and return them.

        Raise `ItemChanged` when the item was changed since it was read, `ItemRejected` when a copy or a unique value
        belongs to another entity.
        """

        def plan_once(is_retry: bool) -> Procedure[Sequence[_Plan]]:
            if is_retry:
                raise ItemChanged
            return (_Plan((yield from self.plan())),)

        try:
            plans, _ = yield from execute(plan_once)
        except WritesFailed as failed:
            (failures,) = failed.failures
            reasons = "; ".join(f"{each.error}{owner_text(each.found)}" for each in failures)
            raise ItemRejected(reasons) from None
        except ItemsKeepChanging:
            raise ItemChanged from None
        return plans[0].actions

    def _plan(self) -> Procedure[Sequence[WriteAction]]:
        if self.layout is None:
            return self._plan_item()
        rewrite = EntityRewrite(self.context, self.layout)
        if self.desired is None:
            return [] if self.found is None else (yield from self._removal(rewrite, self.layout, self.found))
        attributes = self._current_form(self.layout, self.desired)
        if self.found is None:
            return (yield from rewrite.plan_creation(attributes))
        decrypted = decrypted_item(self.context, self.layout, self.found)
        return (yield from rewrite.plan(self.found, decrypted, attributes))

    def _removal(
        self, rewrite: EntityRewrite, layout: Layout, found: Item
    ) -> Procedure[Sequence[WriteAction]]:
        return (yield from rewrite.plan_removal(found, decrypted_item(self.context, layout, found)))

    def _current_form(self, layout: Layout, item: Item) -> Item:
        """An item in the form of the current version of its class, decrypted."""
        decrypted = decrypted_item(self.context, layout, item)
        return self.context.decoder(layout).upcast(decrypted) if is_outdated(layout, decrypted) else decrypted

    def _plan_item(self) -> list[WriteAction]:
        """The action on an item that is of no entity."""
        found, desired, table = self.found, self.desired, self.table
        if found == desired:
            return []
        precondition = ItemAbsent(table) if found is None else unchanged(table, found, known=self.known)
        if desired is not None:
            return [actions.put(self.context, table, desired, precondition)]
        assert found is not None
        return [actions.delete(self.context, table, key_of(table, found), precondition)]


@dataclass(frozen=True, slots=True)
class _Plan:
    actions: Sequence[WriteAction]
