"""Delete an entity with what it owns: the entities whose `OwnedBy` refers to it, and what these own.

What is owned is deleted first and its owner last, so that nothing is orphaned when the process ends at any point. The
same call continues: it lists what is left. Items are listed in pages and deleted in batches; entities with copies or
locks are deleted one by one, each with these in one transaction.

After an owner is deleted, what it owns is listed once more: what was created while the deletion ran is deleted too.
Creates are not refused meanwhile. A create that checks its owner in the same transaction leaves no orphan: it either
precedes the deletion of the owner, and is found by the second listing, or it fails.

An item that is of an owned class by its type or key is deleted, also if it cannot be read as an entity: other programs
may have written it. It is reported. Items of other classes are left.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from tablewright.access.condition_text import Aliases
from tablewright.access.context import Context
from tablewright.access.items.decoding import is_outdated, unknown_item
from tablewright.access.items.footprint import (
    ComparableKey,
    comparable_key,
    has_dependents,
    is_dependent,
)
from tablewright.access.items.item_values import (
    describe_key,
    differs,
    from_attribute,
    has_key_format,
    key_of,
    key_value,
    parse_key,
    to_attribute,
)
from tablewright.access.items.vault import NoVault, compute_with_keys, decrypted_item, hidden_attributes
from tablewright.access.procedures import Call, Procedure, with_retries
from tablewright.access.reads.item_reads import item_at, items_at
from tablewright.access.writes.actions import WriteAction
from tablewright.access.writes.batch import delete_keys
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.item_rewrites import EntityRewrite, write_item
from tablewright.access.writes.values import Delete, DeletionReport, TargetLike, field_value, target_of
from tablewright.access.writes.write_plan import require_allowed
from tablewright.design.designs import Design
from tablewright.design.entities.references import Ownership
from tablewright.design.layouts.layouts import LOCK, Layout
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import DeletionUnfinished, InvalidWrite, KeyValueError, SecretError, UnknownItem

PAGE = 100
"""Items that are listed at a time, at most."""
MOST_REPORTED = 100
"""Items of each kind that a report names, at most; all are counted."""


OnProgress: TypeAlias = Callable[[DeletionReport], None]


class _Node(NamedTuple):
    """An entity that is to be deleted after what it owns."""

    layout: Layout
    key: Item
    values: Mapping[str, Any] | None
    """The fields that its primary key is made of; None if they cannot be read from the item."""
    listed: "_Listing | None" = None
    """The listing that contains it; None for the entity that the caller named."""


class _Listing(NamedTuple):
    """What an owner owns of one class, from a position on."""

    owner: _Node
    ownership: Ownership
    start: Item | None = None

    @property
    def layout(self) -> Layout:
        """The layout of what is owned."""
        return self.ownership.owned.layout

    @property
    def values(self) -> dict[str, Any]:
        """The fields of the owned class that refer to the owner."""
        return self.ownership.values(self.owner.values or {})


def delete_with_owned(
    context: Context, design: Design, target: TargetLike[Any], on_progress: OnProgress | None = None
) -> Procedure[DeletionReport]:
    """Delete an entity with what it owns; raise `DeletionUnfinished` if something could not be deleted."""
    wanted = target_of(target)
    layout = wanted.layout
    if layout.entity not in design.entities:
        raise InvalidWrite(
            f"{layout.entity.__name__} is not part of {design.name}, so what it owns is not known; "
            f"add it to Design(..., entities=[..., {layout.entity.__name__}])"
        )
    require_allowed(layout, Delete(target))
    key = yield from compute_with_keys(lambda: wanted.key(context.vault))
    values: Mapping[str, Any] | None = wanted.values
    if wanted.pattern is not None:
        values = _key_fields(layout, (yield from item_at(context, layout.table, key)) or key)
    deletion = _Deletion(context, design, on_progress or (lambda report: None))
    yield from deletion.run(_Node(layout, key, values))
    if deletion.report.undeleted:
        raise DeletionUnfinished(layout.entity.__name__, wanted.shown, deletion.report)
    return deletion.report


class _Deletion:
    """One run. Its tasks are a stack and not a recursion: entities of one class may own each other at any depth."""

    def __init__(self, context: Context, design: Design, on_progress: OnProgress) -> None:
        self.report = DeletionReport()
        self._context = context
        self._design = design
        self._on_progress = on_progress
        self._tasks: list[_Node | _Listing] = []
        self._pending: set[tuple[Table, ComparableKey]] = set()
        """The entities that are to be deleted: what they own is listed once, also if it owns them in turn."""
        self._kept: set[tuple[Table, ComparableKey]] = set()
        """The entities that stay, because something that they own could not be deleted."""

    def run(self, root: _Node) -> Procedure[None]:
        """Delete an entity with what it owns."""
        self._push(root)
        while self._tasks:
            task = self._tasks.pop()
            if isinstance(task, _Node):
                yield from self._delete(task)
            else:
                yield from self._delete_listed(task)
            self._on_progress(self.report)

    def _push(self, node: _Node) -> None:
        owned = self._design.owned_by(node.layout.entity) if node.values is not None else ()
        listings = [_Listing(node, ownership) for ownership in reversed(owned)]
        self._tasks += [*listings, node, *listings]
        self._pending.add(_identity(node))

    def _delete(self, node: _Node) -> Procedure[None]:
        """Delete an entity, now that it owns nothing."""
        self._pending.discard(_identity(node))
        if _identity(node) in self._kept:
            self._keep_owner(node)
            while self._tasks and isinstance(task := self._tasks[-1], _Listing) and task.owner is node:
                self._tasks.pop()  # it was not deleted, so there is no second listing
            return
        item = yield from item_at(self._context, node.layout.table, node.key)
        if item is not None:
            yield from self._remove(node, item)

    def _remove(self, node: _Node, item: Item) -> Procedure[None]:
        """Delete an item with its copies and locks, if it still is what was listed."""
        table = node.layout.table
        try:
            is_done = yield from write_item(self._context, table, item, partial(self._removal, node))
        except ItemRejected as rejected:
            self._report_undeleted(f"{node.layout.entity.__name__} ({describe_key(node.key)}): {rejected}")
            self._keep_owner(node)
            return
        if is_done:
            self._count(node.layout, 1)
            self.report.existed = self.report.existed or node.listed is None

    def _removal(self, node: _Node, item: Item) -> Procedure[Sequence[WriteAction]]:
        if is_dependent(item) or not self._is_of_class(node.layout, item):
            return ()
        if node.listed is not None and not (yield from self._reading(node.listed, item)).is_owned:
            return ()
        layout = node.layout
        try:
            decrypted = decrypted_item(self._context.vault, layout, item)
        except SecretError:
            if isinstance(self._context.vault, NoVault) and has_dependents(layout):
                raise  # without keys, the locks of secret values would stay
            decrypted = {**item, **hidden_attributes(item)}
        if is_outdated(layout, decrypted):
            with suppress(UnknownItem):
                decrypted = {**decrypted, **self._context.decoder(layout).upcast(decrypted)}
        return (yield from EntityRewrite(self._context, layout).plan_removal(item, decrypted))

    def _delete_listed(self, listing: _Listing) -> Procedure[None]:
        """Delete a page of what an owner owns of one class. What owns something itself is put on the stack."""
        layout, ownership = listing.layout, listing.ownership
        owns = bool(self._design.owned_by(ownership.owned))
        is_plain = ownership.is_exact and not owns and not has_dependents(layout)
        items, following = yield from self._page(listing)
        if following is not None:
            self._tasks.append(listing._replace(start=following))
        plain: list[Item] = []
        for item in items:
            node = _Node(
                layout, key_of(layout.table, item), _key_fields(layout, item) if owns else None, listing
            )
            if _identity(node) in self._pending or not (yield from self._is_listed(listing, item)):
                continue
            if is_plain:
                plain.append(node.key)
            elif node.values is not None:
                self._push(node)
            else:
                yield from self._remove(node, item)
        if plain:
            yield from self._delete_plain(listing, plain)

    def _page(self, listing: _Listing) -> Procedure[tuple[Sequence[Item], Item | None]]:
        """Read a page of a listing; items that are listed by an index are read from the table."""
        table, key = listing.layout.table, listing.ownership.key
        aliases = Aliases()
        try:
            conditions = list(_conditions(table, listing, aliases))
        except KeyValueError:  # no key can contain the value, so nothing is owned
            return (), None
        index = {"IndexName": key.index.name} if key.index else {}
        start = {"ExclusiveStartKey": listing.start} if listing.start else {}
        request = {
            "TableName": self._context.table_name(table),
            "KeyConditionExpression": " AND ".join(conditions),
            "ConsistentRead": key.index is None or key.index.local,
            "Limit": PAGE,
            **aliases.members(),
            **index,
            **start,
        }
        reply = yield from with_retries(Call("Query", request))
        items: Sequence[Item] = reply["Items"]
        if key.index is not None and items:
            stored = yield from items_at(self._context, table, [key_of(table, item) for item in items])
            items = list(stored.values())
        return items, reply.get("LastEvaluatedKey")

    def _delete_plain(self, listing: _Listing, keys: Sequence[Item]) -> Procedure[None]:
        left, error = yield from delete_keys(self._context, listing.layout.table, keys)
        self._count(listing.layout, len(keys) - len(left))
        if left:
            reason = error or "DynamoDB did not process them"
            self._report_undeleted(f"{len(left)} of {listing.layout.entity.__name__}: {reason}")
            self._kept.add(_identity(listing.owner))

    def _is_listed(self, listing: _Listing, item: Item) -> Procedure[bool]:
        """Whether an item is to be deleted; report it if it cannot be read, or is of no class."""
        table = listing.layout.table
        if is_dependent(item):  # deleted with its entity
            return False
        if not self._is_of_class(listing.layout, item):
            kind = item.get(table.discriminator, {}).get("S")
            if kind not in self._types(table):
                self._report(
                    self.report.left, unknown_item(table, key_of(table, item), "is of no entity; it stays")
                )
            return False
        reading = yield from self._reading(listing, item)
        if reading.is_owned and reading.problem is not None:
            self.report.unreadable_count += 1
            problem = unknown_item(table, key_of(table, item), reading.problem.reason)
            self._report(self.report.unreadable, problem)
        return reading.is_owned

    def _reading(self, listing: _Listing, item: Item) -> "Procedure[_Reading]":
        """Whether an item belongs to the owner, and why it cannot be read if it cannot."""
        layout, values = listing.layout, listing.values
        decoder = self._context.decoder(layout)
        problem: UnknownItem | None = None
        try:
            entity = yield from compute_with_keys(lambda: decoder.make(item))
        except SecretError:
            pass
        except UnknownItem as error:
            problem = error
        else:
            is_owned = listing.ownership.is_exact or all(
                getattr(entity, name) == value for name, value in values.items()
            )
            if layout.type_name is None or layout.table.discriminator in item:
                return _Reading(is_owned)
            problem = unknown_item(layout.table, item, f"has no {layout.table.discriminator}")
        return _Reading(listing.ownership.is_exact or _has_values(layout, item, values), problem)

    def _is_of_class(self, layout: Layout, item: Item) -> bool:
        """Whether an item is of a class: by its type, or by its key if it has no type."""
        kind = item.get(layout.table.discriminator, {}).get("S")
        if layout.type_name is not None and kind is not None:
            return bool(kind == layout.type_name)
        if kind is not None and kind in self._types(layout.table):
            return False
        return has_key_format(layout, item)

    def _types(self, table: Table) -> set[str | None]:
        """The types that items of a table have by the design."""
        layouts = [entity.layout for entity in self._design.entities_of(table)]
        copies = {copy.copy.type for layout in layouts for copy in layout.copies}
        locks = {lock.type_name for layout in layouts for lock in layout.locks}
        return {LOCK, *(layout.type_name for layout in layouts), *copies, *locks} - {None}

    def _keep_owner(self, node: _Node) -> None:
        if node.listed is not None:
            self._kept.add(_identity(node.listed.owner))

    def _count(self, layout: Layout, number: int) -> None:
        if number:
            self.report.deleted[layout.entity.__name__] += number

    def _report_undeleted(self, problem: str) -> None:
        if len(self.report.undeleted) < MOST_REPORTED:
            self.report.undeleted.append(problem)

    def _report(self, items: list[UnknownItem], item: UnknownItem) -> None:
        if len(items) < MOST_REPORTED and not any(item.key == known.key for known in items):
            items.append(item)


class _Reading(NamedTuple):
    is_owned: bool
    problem: UnknownItem | None = None


def _conditions(table: Table, listing: _Listing, aliases: Aliases) -> Iterator[str]:
    """The key condition of a listing, clause by clause."""
    for clause in listing.ownership.clauses:
        name = aliases.name(clause.attribute)
        value = aliases.value(key_value(table, clause.attribute, clause.templates[0], listing.values))
        yield f"{name} = {value}" if clause.operator == "=" else f"begins_with({name}, {value})"


def _key_fields(layout: Layout, item: Item) -> dict[str, Any] | None:
    """The fields that the primary key of an item is made of, from its key or its attributes; None if one is unknown."""
    values: dict[str, Any] = {}
    for name in layout.primary.names:
        stored = layout.fields[name].stored if name in layout.fields else None
        if stored in item:
            values[name] = from_attribute(item[stored])
    for attribute, template in layout.primary.parts:
        values |= parse_key(item[attribute], template)
    try:
        return {name: field_value(layout.entity, name, values[name]) for name in layout.primary.names}
    except (LookupError, InvalidWrite):
        return None


def _has_values(layout: Layout, item: Item, values: Mapping[str, Any]) -> bool:
    """Whether the attributes of an item have these values, as far as the item has them."""
    stored = {name: item.get(layout.fields[name].stored) for name in values}
    return not any(
        value is not None and differs(value, to_attribute(values[name])) for name, value in stored.items()
    )


def _identity(node: _Node) -> tuple[Table, ComparableKey]:
    return node.layout.table, comparable_key(node.layout.table, node.key)
