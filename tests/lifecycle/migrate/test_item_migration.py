"""The outcome of migrating one item."""

from collections.abc import Sequence

from tablewright.access.calls.procedures import Procedure
from tablewright.access.writes import actions
from tablewright.access.writes.actions import Action, Edit
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.preconditions import unchanged
from tablewright.dynamodb.values.attributes import Item
from tablewright.lifecycle.migrate.item_migration import migrate_item
from tablewright.lifecycle.traversal.table_pass import Rejected
from tests.lifecycle.albums import designed, main
from tests.lifecycle.stores import Store, run_on

KEY: Item = {"PK": {"S": "a"}, "SK": {"S": "b"}}


def test_an_item_is_changed_the_same_or_rejected(store: Store) -> None:
    context = store.open(designed()).context
    store.put("music", KEY)

    def mark(found: Item) -> Procedure[Sequence[Action]]:
        yield from ()
        if "mark" in found:
            return []
        return [
            actions.update(context, main, KEY, Edit({"mark": {"S": "x"}}), unchanged(main, found, ["mark"]))
        ]

    def reject(found: Item) -> Procedure[Sequence[Action]]:
        yield from ()
        raise ItemRejected("no")

    assert run_on(store, migrate_item(context, main, KEY, mark)) == "changed"
    assert run_on(store, migrate_item(context, main, KEY, mark)) == "same"
    assert run_on(store, migrate_item(context, main, KEY, reject)) == Rejected("no")
    assert store.items("music") == [{**KEY, "mark": {"S": "x"}}]
