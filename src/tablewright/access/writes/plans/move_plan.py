"""Plan move: write an entity under a new primary key and delete it under the old one, with its copies and locks."""

from typing import Any

from tablewright.access.calls.procedures import Procedure
from tablewright.access.writes import actions
from tablewright.access.writes.changes.update_changes import Changes
from tablewright.access.writes.plans.write_plan import Planner, WritePlan
from tablewright.access.writes.preconditions import MainPrecondition
from tablewright.access.writes.targets import field_value, target_of
from tablewright.access.writes.values import Move
from tablewright.design.layouts.layouts import Layout
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InvalidWrite


def plan_move(planner: Planner, write: Move[Any]) -> Procedure[WritePlan]:
    """Give new values to fields of the primary key."""
    context, layout, table = planner.context, planner.layout, planner.table
    changes = _new_key(layout, write)
    found = yield from planner.read_existing()
    old = context.decoder(layout).make(found)
    new = changes.with_automatic_fields(planner.timestamp, old.__dict__).applied(old)
    before, after = planner.stored_footprint(found, old), planner.footprint(new)
    if before.key == after.key:
        raise InvalidWrite(f"move does not change the key of {layout.entity.__name__}; give another key")
    read = {**planner.values_read(found, layout.fields), **_undeclared(layout, found)}
    absent = MainPrecondition(target_of(new), planner.now, "absent")
    return planner.plan(
        [
            actions.delete(context, table, planner.key, planner.precondition(present=True, read=read)),
            actions.put(context, table, planner.encrypted(after.main), absent),
            *planner.dependent_actions(before, after),
        ],
        new,
    )


def _new_key(layout: Layout, write: Move[Any]) -> Changes:
    entity = layout.entity
    names = sorted(layout.stored_sources(layout.primary.names), key=list(layout.fields).index)
    stray = [name for name in write.to if name not in names]
    if stray or not write.to:
        raise InvalidWrite(
            f"move gives new values to the primary key of {entity.__name__}, which is made of "
            f"{', '.join(names)}; {', '.join(stray) or 'nothing'} was given"
        )
    return Changes(layout, {name: field_value(entity, name, value) for name, value in write.to.items()}, {})


def _undeclared(layout: Layout, found: Item) -> Item:
    """The attributes of an item that are neither fields nor its key."""
    stored = {field.stored for field in layout.fields.values()} | set(layout.table.key)
    return {name: value for name, value in found.items() if name not in stored}
