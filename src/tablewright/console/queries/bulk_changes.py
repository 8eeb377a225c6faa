"""Bulk changes: delete or edit all items that a query finds, step by step.

`count_step` counts first and changes nothing. `delete_step` and `edit_step` change the items of one part of the query,
within a few seconds, and return where the next step starts; the page repeats them until the end, or stops.

An entity is deleted with its copies and locks, and edited through its model. Copies and locks that the query finds
themselves are left to their entities.

Each item is changed only if it is still as the query has read it; others are counted as changed. DynamoDB cannot
compare a whole item, so each is read again, consistently, and compared in all attributes; then it is changed under the
condition that it has these values, and none of the other attributes that the design or this page of the query knows.
What remains unnoticed: an attribute of no entity that another writer adds between this read and the delete.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tablewright.access.items.footprint import has_dependents
from tablewright.access.items.item_values import describe_key, differs, key_of
from tablewright.access.items.vault import compute_with_keys, decrypted_item
from tablewright.access.procedures import Procedure, consumed_units, run_sync
from tablewright.access.reads.item_reads import item_at, items_at
from tablewright.access.writes import actions
from tablewright.access.writes.actions import MOST_COMPARED, WriteAction, unchanged
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.item_rewrites import EntityRewrite, write_item
from tablewright.access.writes.values import Update, field_value
from tablewright.access.writes.write_capacity import MeteredChange, units_by_place
from tablewright.console.changes.staged_edits import entity_members, transact
from tablewright.console.endpoints import Conflict, Forbidden
from tablewright.console.open_designs import OpenDesign
from tablewright.console.queries.raw_replies import has_hidden, masked, show_row
from tablewright.console.queries.raw_requests import RawRequest
from tablewright.console.shown_items import Identity, identify
from tablewright.console.transaction_members import conditioned, member_key
from tablewright.design.argument_errors import suggestion
from tablewright.design.entities.entities import Entity
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import TablewrightError, UsageError

STEP_SECONDS = 2.0
"""How long a step that changes items runs; the item at hand is finished."""
STATEMENT_ITEMS = 25
"""The items of a step whose query is a statement: its position is known at the end of a page only."""
MOST_PROBLEMS = 20
SAMPLES = 5
CHANGED = "changed since the query has read it"
DELETED = "deleted since the query has read it"


class _Skipped(Exception):
    """An item is left as it is; the message is the reason."""


@dataclass
class BulkStep:
    """The result of one step."""

    changed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """The items that were left as they are, by reason."""
    problems: list[dict[str, str]] = field(default_factory=list)
    units: float = 0.0
    next: Any = None
    stopped: str | None = None
    """Why the change ends before its query."""

    def as_data(self) -> dict[str, Any]:
        """Return the step for the page."""
        return {
            "changed": self.changed,
            "skipped": dict(self.skipped),
            "problems": self.problems[:MOST_PROBLEMS],
            "failed": len(self.problems),
            "units": self.units,
            "next": self.next,
            "stopped": self.stopped,
        }


def require_whole_items(raw: RawRequest) -> None:
    """Reject a query that cannot select items to change."""
    if raw.operation not in ("Query", "Scan", "ExecuteStatement") or raw.is_write:
        raise UsageError("a bulk change takes a Query, a Scan or a SELECT statement")
    if raw.statements and not raw.statements[0].is_whole:
        raise UsageError("a bulk change needs whole items; write SELECT * FROM ...")
    named = next(
        (name for name in ("ProjectionExpression", "AttributesToGet", "Select") if name in raw.request), None
    )
    if named is not None:
        raise UsageError(f"a bulk change needs whole items; leave out {named}")
    if raw.table is raw.opened.design.key_table:
        raise Forbidden("The console does not write encryption keys; use the command tablewright keys.")


def count_step(raw: RawRequest, start: Any) -> dict[str, Any]:
    """Count the items of one page of a query, by entity, and the capacity that deleting them takes."""
    page, following, units = _read(raw, start)
    items = _all_whole(raw, page)
    counts: Counter[str] = Counter()
    write_units = 0.0
    for item in items:
        name, layout = _role(raw.opened, raw.table, item)
        counts[name] += 1
        transactional = layout is not None and has_dependents(layout)
        change = MeteredChange(item, None)
        write_units += sum(units_by_place(raw.table, [change], transactional=transactional).values())
    samples = [show_row(raw.opened, raw.table, item) for item in items[:SAMPLES]]
    return {
        "items": len(items),
        "counts": dict(counts),
        "read_units": units,
        "write_units": write_units,
        "samples": samples,
        "next": _position(raw, following),
    }


def delete_step(raw: RawRequest, start: Any, most: int) -> dict[str, Any]:
    """Delete items of a query, at most `most`; entities with their copies and locks."""

    def delete(stored: Item, layout: Layout | None, seen: Sequence[str]) -> None:
        if layout is not None and "delete" not in layout.writes:
            raise ItemRejected(f"{layout.entity.__name__} does not allow deletes")
        if len(stored) - len(raw.table.key) > MOST_COMPARED:
            raise ItemRejected(
                f"has more than {MOST_COMPARED} attributes, which one condition cannot compare; delete it in Items"
            )
        plan = partial(_plan_removal, raw, layout, stored, seen)
        if not run_sync(
            write_item(raw.opened.db.context, raw.table, stored, plan), raw.opened.db.connection.call
        ):
            raise _Skipped(DELETED)

    return _step(raw, start, most, lambda layout: None, delete)


@dataclass(frozen=True)
class FieldEdit:
    """The change of a bulk edit: fields of one entity that are set or removed."""

    entity: type[Entity]
    set: Mapping[str, Any]
    remove: Sequence[str]


def field_edit(raw: RawRequest, entity: str, changes: Mapping[str, Any], remove: Sequence[str]) -> FieldEdit:
    """Check the change of a bulk edit: known fields, valid values, no secrets and no parts of the primary key."""
    known = {kind.__name__: kind for kind in raw.opened.design.entities_of(raw.table)}
    if entity not in known:
        raise UsageError(
            f"{raw.opened.db.context.table_name(raw.table)} has no {entity}; {suggestion(entity, known)}"
        )
    layout = known[entity].layout
    if not changes and not remove:
        raise UsageError("name at least one field to set or to remove")
    for name in (*changes, *remove):
        if name not in layout.fields:
            raise UsageError(f"{entity} has no field {name}; {suggestion(name, layout.fields)}")
        if name in layout.secrets:
            raise Forbidden(f"{name} is secret; the console does not edit secret fields of many items")
        if name in layout.primary.names:
            raise UsageError(
                f"{name} is part of the primary key of {entity}, which a bulk edit does not change"
            )
    values = {name: field_value(known[entity], name, value) for name, value in changes.items()}
    return FieldEdit(known[entity], values, tuple(remove))


def edit_step(raw: RawRequest, start: Any, most: int, edit: FieldEdit) -> dict[str, Any]:
    """Edit the items of one entity in a query, at most `most`; other items are left as they are."""
    db = raw.opened.db

    def skip(layout: Layout | None) -> str | None:
        return None if layout and layout.entity is edit.entity else f"not {edit.entity.__name__}"

    def change(stored: Item, layout: Layout | None, seen: Sequence[str]) -> None:
        assert layout is not None
        make = partial(db.context.decoder(layout).make, stored)
        entity: Entity = run_sync(compute_with_keys(make), db.connection.call)
        members = entity_members(raw.opened, raw.table, Update(entity, set=edit.set, remove=edit.remove))
        key, known = key_of(raw.table, stored), raw.opened.attributes_of(raw.table, layout)
        transact(
            raw.opened,
            [
                conditioned(member, stored, known) if member_key(member) == key else member
                for member in members
            ],
        )

    return _step(raw, start, most, skip, change)


Skip = Callable[[Layout | None], str | None]
"""Returns why items of an entity are left as they are, or None."""
ChangeItem = Callable[[Item, Layout | None, Sequence[str]], None]
"""Changes an item as it is stored, of an entity; the attributes that the query has seen."""


def _step(raw: RawRequest, start: Any, most: int, skip: Skip, change: ChangeItem) -> dict[str, Any]:
    step = BulkStep()
    items, following, step.units = _read(raw, start)
    until = time.monotonic() + STEP_SECONDS
    seen = tuple({name for item in items for name in item})
    for place, item in enumerate(items):
        stored = run_sync(
            item_at(raw.opened.db.context, raw.table, key_of(raw.table, item)), raw.opened.db.connection.call
        )
        identity = identify(raw.opened, raw.table, stored or item)
        reason = _reason_to_skip(raw, item, stored, identity, skip)
        if stored is None or reason is not None:
            step.skipped[reason or DELETED] += 1
            continue
        if step.changed + len(step.problems) >= most:
            step.stopped = "The query finds more items than were counted. Count again, and continue."
            return step.as_data()
        _change_one(raw.table, stored, partial(change, stored, identity.layout, seen), step)
        if time.monotonic() > until and not raw.statements and place < len(items) - 1:
            following = _key_after(raw, item)
            break
    step.next = _position(raw, following)
    return step.as_data()


def _change_one(table: Table, item: Item, change: Callable[[], None], step: BulkStep) -> None:
    try:
        change()
    except _Skipped as skipped:
        step.skipped[str(skipped)] += 1
    except (TablewrightError, ItemRejected, Conflict) as error:
        step.problems.append({"key": describe_key(key_of(table, item)), "message": str(error)})
    else:
        step.changed += 1


def _reason_to_skip(
    raw: RawRequest, item: Item, stored: Item | None, identity: Identity, skip: Skip
) -> str | None:
    """Why an item is left as it is: what it is, or that it is no longer as the query has read it; None to change it."""
    if identity.role in ("copy", "lock"):
        return f"{identity.role} that follows its entity"
    if stored is None:
        return DELETED
    return skip(identity.layout) or (None if _is_as_read(raw, item, stored) else CHANGED)


def _is_as_read(raw: RawRequest, read: Item, stored: Item) -> bool:
    """Whether an item has the values with which the query found it, and no others that the query would have read."""
    if any(name not in stored or differs(stored[name], value) for name, value in read.items()):
        return False
    index = raw.index
    return not any(index is None or index.holds(raw.table, name) for name in stored.keys() - read.keys())


def _plan_removal(
    raw: RawRequest, layout: Layout | None, read: Item, seen: Sequence[str], stored: Item
) -> Procedure[Sequence[WriteAction]]:
    """The actions that delete an item; it must still be as it was read."""
    if stored.keys() != read.keys() or any(differs(stored[name], value) for name, value in read.items()):
        raise _Skipped(CHANGED)
    context, table = raw.opened.db.context, raw.table
    known = (*raw.opened.attributes_of(table), *seen)
    if layout is None:
        yield from ()
        return [actions.delete(context, table, key_of(table, stored), unchanged(table, stored, known=known))]
    decrypted = decrypted_item(context.vault, layout, stored)
    return (yield from EntityRewrite(context, layout).plan_removal(stored, decrypted, known))


def _all_whole(raw: RawRequest, items: list[Item]) -> list[Item]:
    """The items of a page as they are stored, if the query reads an index that lacks attributes."""
    if not raw.is_partial:
        return items
    keys = [key_of(raw.table, item) for item in items]
    stored = run_sync(items_at(raw.opened.db.context, raw.table, keys), raw.opened.db.connection.call)
    return list(stored.values())


def _role(opened: OpenDesign, table: Table, item: Item) -> tuple[str, Layout | None]:
    """What an item is counted as."""
    identity = identify(opened, table, item)
    name = identity.layout.entity.__name__ if identity.layout else "unknown items"
    if identity.role in ("copy", "lock"):
        return f"{'copies' if identity.role == 'copy' else 'locks'} of {name}", None
    return name, identity.layout


def _read(raw: RawRequest, start: Any) -> tuple[list[Item], Any, float]:
    """Read one page; return its items, the position after it, and the consumed units."""
    request = dict(raw.request)
    if raw.statements:
        request["Limit"] = STATEMENT_ITEMS
        request |= {"NextToken": start} if start is not None else {}
    elif start is not None:
        request["ExclusiveStartKey"] = start
    reply = raw.opened.db.connection.call(raw.operation, request)
    following = reply.get("NextToken") if raw.statements else reply.get("LastEvaluatedKey")
    return reply.get("Items", []), following, consumed_units(reply)


def _key_after(raw: RawRequest, item: Item) -> Item:
    names = dict.fromkeys(_position_names(raw))
    return {name: item[name] for name in names}


def _position_names(raw: RawRequest) -> Iterator[str]:
    yield from raw.table.key
    if raw.index is not None:
        yield from raw.index.key


def _position(raw: RawRequest, following: Any) -> Any:
    """The position for the page; a position that is a secret value cannot be sent."""
    shown = masked(raw.secrets, following)
    if has_hidden(shown):
        raise Forbidden(
            "The position in this table is a secret value; use the command line for bulk changes."
        )
    return shown
