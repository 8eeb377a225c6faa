"""Plan updates of an entity that exists.

When everything that follows from a change can be computed from the change alone, the item is not read first. Otherwise
the plan is computed from the item, with the condition that it is still as it was read.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tablewright.access.items.decoding import is_outdated
from tablewright.access.items.footprint import Footprint, kept_attributes, undeclared_index_keys
from tablewright.access.items.item_values import field_attributes, key_values
from tablewright.access.items.vault import lookup_values
from tablewright.access.procedures import Procedure
from tablewright.access.writes import actions
from tablewright.access.writes.actions import WriteAction
from tablewright.access.writes.diff import edit_between
from tablewright.access.writes.number_bounds import sum_bounds
from tablewright.access.writes.update_changes import Changes, changes_of, validated_together
from tablewright.access.writes.values import Update
from tablewright.access.writes.write_plan import Planner, WritePlan
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.applied_changes import NoParent
from tablewright.design.fields.markers import Counter, Version
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InvalidWrite, ParentAbsent, UnknownItem


def plan_update(planner: Planner, write: Update[Any], item: Item | None = None) -> Procedure[WritePlan]:
    """Change some fields; without reading the item where that is possible. `item` is what was read, if it was."""
    layout = planner.layout
    changes = changes_of(write, planner.target)
    known = planner.target.known()
    blind = changes.with_automatic_fields(planner.timestamp, known)
    known |= blind.set
    derived = blind.derived
    together = validated_together(blind)
    # An item of an older version must become one of the current version as a whole, so it is read first.
    must_read = derived.has_dependents or derived.has_computed or bool(layout.upcasts)
    must_read |= any(field.stored in planner.forms for field, _ in layout.marked(Version))
    is_blind = together is None and derived.sources <= known.keys() and not must_read
    if is_blind and not planner.is_retry:
        return planner.plan([_blind_action(planner, blind, known)])
    if item is None:
        item = yield from planner.read_existing()
    in_key = layout.stored_sources(layout.primary.names) if layout.computed else ()
    return _plan_computed(planner, item, changes, derived.sources.union(together or (), in_key))


def _plan_computed(planner: Planner, item: Item, changes: Changes, names: frozenset[str]) -> WritePlan:
    """An update of an entity that was read; `names` are the fields that its result depends on."""
    decoder = planner.context.decoder(planner.layout)
    stored = decoder.decrypted(item)
    try:
        old = decoder.entity_from(item, stored)
    except UnknownItem:
        return _plan_mended(planner, item, stored, changes)
    _require_bounds(planner, stored, changes)
    names |= changes.without_parent(stored) | changes.of_other_types(stored)
    try:
        changes = changes.computed(old, stored, names)
    except NoParent as absent:
        if not planner.condition_holds(item):
            raise planner.condition_not_met() from None
        raise ParentAbsent(
            planner.layout.entity.__name__, planner.target.shown, absent.parent, absent.change.shown
        ) from None
    changes = changes.with_automatic_fields(planner.timestamp, old.__dict__)
    return _plan_from_read(planner, item, old, changes, names=names, stored=stored)


def _require_bounds(planner: Planner, stored: Item, changes: Changes) -> None:
    """Raise if a sum would go beyond a limit, or `when` does not hold either."""
    bounds = sum_bounds(planner.layout, changes.add)
    if not all(bound.is_met(stored) for bound in bounds):
        failure = planner.precondition(present=True, bounds=bounds).failure(stored)
        assert failure is not None
        raise failure


def plan_replacement(planner: Planner, item: Item, whole: Entity) -> WritePlan:
    """Replace an entity that was read by another; counters keep their counts, and the version is increased."""
    layout = planner.layout
    try:
        old = planner.context.decoder(layout).make(item)
    except UnknownItem:  # it is replaced, whatever it is
        return _plan_rewrite(planner, item, planner.unreadable_footprint(item), whole)
    kept = {field.name for field, _ in (*layout.marked(Counter), *layout.marked(Version))}
    changes = {
        name: value
        for name, value in whole.__dict__.items()
        if name not in kept
        and (value != getattr(old, name) or layout.fields[name].stored in old.stored_forms)
    }
    surplus = old.unknown_attributes.keys() - whole.unknown_attributes.keys()
    old.unknown_attributes = whole.unknown_attributes
    return _plan_from_read(planner, item, old, Changes(layout, changes, {}), surplus)


def _blind_action(planner: Planner, changes: Changes, known: dict[str, Any]) -> WriteAction:
    """The update of the main item, computed from the change alone."""
    layout, context = planner.layout, planner.context
    derived = changes.derived
    hashed = lookup_values(context.vault, layout, known)
    keys: Item = {}
    for index in derived.indexes:
        keys |= key_values(planner.table, index, hashed) or {}
    keys = {name: value for name, value in keys.items() if name in derived.attributes}
    stored = planner.encrypted({**field_attributes(layout.entity, known), **planner.key})
    edit = changes.edit(stored, keys, {*derived.attributes - keys.keys(), *planner.target.stale_keys})
    bounds = sum_bounds(layout, changes.add)
    precondition = planner.precondition(present=True, parents=edit.parents, bounds=bounds)
    return actions.update(context, planner.table, planner.key, edit, precondition)


def _plan_from_read(
    planner: Planner,
    item: Item,
    old: Entity,
    changes: Changes,
    surplus: Iterable[str] = (),
    names: frozenset[str] = frozenset(),
    stored: Item | None = None,
) -> WritePlan:
    """An update computed from the item that was read, with the condition that it is still so."""
    layout = planner.layout
    new = changes.applied(old, stored)
    if layout.computed:
        _require_same_key(planner, new)
    if is_outdated(layout, item):
        return _plan_rewrite(planner, item, planner.stored_footprint(item, old), new)
    before, after = planner.footprint(old), planner.footprint(new)
    derived = changes.derived
    encrypted = planner.encrypted(after.main)
    keys = {
        name: encrypted[name] for name in (*derived.attributes, *derived.reencrypted) if name in encrypted
    }
    unknown = {name: value for name, value in kept_attributes(new).items() if item.get(name) != value}
    stale = item.keys() & undeclared_index_keys(type(new))
    edit = changes.edit(encrypted, keys | unknown, {*derived.attributes - keys.keys(), *surplus, *stale})
    read = {**planner.values_read(item, derived.sources | names)}
    texts = [name for name in edit.versions if "N" not in item.get(name, {"N": "0"})]
    if texts:  # DynamoDB cannot increase a version that another program stored as text
        versions = tuple(name for name in edit.versions if name not in texts)
        edit = edit._replace(set=edit.set | {name: encrypted[name] for name in texts}, versions=versions)
        read |= {name: item[name] for name in texts}
    bounds = sum_bounds(layout, changes.add)
    precondition = planner.precondition(present=True, read=read, parents=edit.parents, bounds=bounds)
    main = [actions.update(planner.context, planner.table, planner.key, edit, precondition)] if edit else []
    return planner.plan([*main, *planner.dependent_actions(before, after)], new)


def _require_same_key(planner: Planner, new: Entity) -> None:
    """Raise if a computed field of the primary key changes: then the item would need another key."""
    layout = planner.layout
    if planner.footprint(new).key != planner.key:
        computed = ", ".join(name for name in layout.primary.names if name in layout.computed)
        raise InvalidWrite(
            f"the update of {layout.entity.__name__} changes {computed}, which is part of the primary key; use move"
        )


def _plan_mended(planner: Planner, item: Item, stored: Item, changes: Changes) -> WritePlan:
    """An update of an item that its class does not accept; `UnknownItem` if it does not accept the result either."""
    layout = planner.layout
    changes = changes.with_automatic_fields(planner.timestamp, {})
    replaced = {layout.fields[name].stored for name in changes.set}
    kept = {name: value for name, value in stored.items() if name not in replaced}
    mended = {**kept, **field_attributes(layout.entity, changes.set)}
    old = planner.context.decoder(layout).entity_from(item, mended)
    new = replace(changes, set={}).applied(old, mended)
    return _plan_rewrite(planner, item, planner.unreadable_footprint(item), new)


def _plan_rewrite(planner: Planner, item: Item, before: Footprint, new: Entity) -> WritePlan:
    """An update that writes a whole item again, with its dependents: of an older version, or not valid."""
    table = planner.table
    after = planner.footprint(new)
    encrypted = planner.encrypted(after.main)
    names = {*item, *encrypted} - set(table.key)
    edit = edit_between(item, encrypted, names)
    read = {name: item.get(name) for name in (*item, *edit.set) if name not in table.key}
    precondition = planner.precondition(present=True, read=read)
    main = actions.update(planner.context, table, planner.key, edit, precondition)
    return planner.plan([main, *planner.dependent_actions(before, after)], new)
