"""Key backfill: write the key attributes of a new index into the existing items.

Items that were written before the design had the index lack the attributes that templates make. A pass over the table
gives each item the attributes that a new write would have, and removes those that it would not have.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.design.designs import Design
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.lifecycle.deploy.deployment_steps import Backfill
from tablewright.lifecycle.migrate.entity_migration import EntityMigration
from tablewright.lifecycle.traversal.checkpoint_records import Reject
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore
from tablewright.lifecycle.traversal.item_entities import is_main_item
from tablewright.lifecycle.traversal.rate_limit import Meter
from tablewright.lifecycle.traversal.repeated_passes import TraversalOptions, run_passes
from tablewright.lifecycle.traversal.table_pass import Outcome, Rejected

PASSES = 2
"""Programs that do not know the index yet may still write items without it; the backfill does not wait for them."""


def fill_index(
    design: Design,
    context: Context,
    step: Backfill,
    options: TraversalOptions | None = None,
    on_rejects: Callable[[Sequence[Reject]], None] = lambda rejects: None,
) -> Procedure[None]:
    """Run the backfill step of a deployment; resume it if it was interrupted.

    Items that cannot be decoded get no keys. They are passed to `on_rejects`, and do not stop the backfill.
    """
    table = _table(design, context, step.table)
    checkpoints = CheckpointStore(design, context)
    yield from checkpoints.create()
    name = f"backfill/{step.table}/{step.index}"
    work = ItemBackfill.of(design, context, table, step.index)
    options = options or TraversalOptions(Meter(now=context.now))
    done = yield from run_passes(checkpoints, context, table, name, work, options, again=True, passes=PASSES)
    if done is not None and done.state.tally.rejected:
        on_rejects((yield from checkpoints.rejects(name)))


@dataclass(frozen=True, slots=True)
class ItemBackfill:
    """The work on each item: the first entity class that can decode the item computes its keys."""

    migrations: Sequence[EntityMigration]

    @classmethod
    def of(cls, design: Design, context: Context, table: Table, index: str) -> "ItemBackfill":
        """Return the work for all entities of a table: they or their copies may be in the index."""
        attributes = frozenset(table.index(index).key)
        layouts = [entity.layout for entity in design.entities_of(table)]
        name = f"backfill of {index}"
        return cls([EntityMigration(design, context, layout, name, only=attributes) for layout in layouts])

    def __call__(self, item: Item) -> Procedure[Outcome]:
        """Write the keys of an item."""
        outcome: Outcome = "same"
        for work in self.migrations:
            if not is_main_item(work.design, work.layout, item):
                continue
            outcome = yield from work(item)
            if not isinstance(outcome, Rejected):
                break
        return outcome


def _table(design: Design, context: Context, name: str) -> Table:
    return next(table for table in design.tables if context.table_name(table) == name)
