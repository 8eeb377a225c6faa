"""Backfills: the key attributes of an index, written into the items that were there before the index was.

Attributes that templates make are in no item that was written before the design had the index. A pass over the table
gives each item what a fresh write would have given it, and takes away what would not be there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.design.designs import Design
from tablewright.design.tables.tables import Table
from tablewright.lifecycle.deploy.deployment_steps import Backfill
from tablewright.lifecycle.migrate.entity_migration import EntityMigration
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore, Reject
from tablewright.lifecycle.traversal.item_lookup import is_of
from tablewright.lifecycle.traversal.rate_limit import Meter
from tablewright.lifecycle.traversal.repeated_passes import TraversalOptions, run
from tablewright.lifecycle.traversal.table_pass import Outcome, Rejected
from tablewright.values.attributes import Item

PASSES = 2
"""Those who write without the attributes, as they do not know the index yet, are not waited for."""


def fill_index(
    design: Design,
    context: Context,
    step: Backfill,
    options: TraversalOptions | None = None,
    on_rejects: Callable[[Sequence[Reject]], None] = lambda rejects: None,
) -> Procedure[None]:
    """Do what the step of a deployment says; what was interrupted is taken up where it stopped.

    Items that cannot be read have no keys to be given. They are told of, and nothing waits for them.
    """
    table = _table(design, context, step.table)
    checkpoints = CheckpointStore(design, context)
    yield from checkpoints.create()
    name = f"backfill/{step.table}/{step.index}"
    work = Filling.of(design, context, table, step.index)
    options = options or TraversalOptions(Meter(now=context.now))
    done = yield from run(checkpoints, context, table, name, work, options, again=True, passes=PASSES)
    if done is not None and done.tally.rejected:
        on_rejects((yield from checkpoints.rejects(name)))


@dataclass(frozen=True, slots=True)
class Filling:
    """What is done to each item: the first of the classes that can read it tells its keys."""

    works: Sequence[EntityMigration]

    @classmethod
    def of(cls, design: Design, context: Context, table: Table, index: str) -> "Filling":
        """For all entities that are in an index, themselves or by their copies."""
        attributes = frozenset(table.index(index).key)
        layouts = [entity.layout for entity in design.entities_of(table)]
        name = f"backfill of {index}"
        return cls([EntityMigration(design, context, layout, name, only=attributes) for layout in layouts])

    def __call__(self, item: Item) -> Procedure[Outcome]:
        """Give an item its keys."""
        outcome: Outcome = "same"
        for work in self.works:
            if not is_of(work.design, work.layout, item):
                continue
            outcome = yield from work(item)
            if not isinstance(outcome, Rejected):
                break
        return outcome


def _table(design: Design, context: Context, name: str) -> Table:
    return next(table for table in design.tables if context.table_name(table) == name)
