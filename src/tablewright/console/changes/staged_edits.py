"""Staged edits: changes of items that the page collects, planned as one transaction.

An edit of an entity is a typed write: `access` plans it, with copies and locks. An item of no entity, or one that is
invalid, is edited as a whole, in DynamoDB's JSON. Every edit of an existing item carries the fingerprint of the item as
it was read; if the item has changed since, nothing is written.
"""

import hashlib
import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from tablewright.access.items.item_values import describe_key, key_of
from tablewright.access.items.vault import compute_with_keys
from tablewright.access.procedures import run_sync
from tablewright.access.reads.item_reads import item_at
from tablewright.access.writes import entity_writes
from tablewright.access.writes.values import Create, Delete, Move, Update, Write
from tablewright.console.endpoints import Body, Conflict, Forbidden
from tablewright.console.items.key_texts import key_from_json, with_bytes
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import HIDDEN, identify, show_item
from tablewright.console.transaction_members import TransactionMember, conditioned, member_key
from tablewright.design.entities.entities import Entity
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item, admit_item, base64_text
from tablewright.errors import (
    ConditionalCheckFailed,
    InvalidWrite,
    SecretAltered,
    SecretShredded,
    TransactionCanceled,
    UnknownItem,
    UsageError,
)

MOST_ACTIONS = 100
"""The most items in one transaction, as DynamoDB allows."""


class StagedEdit(Body):
    """One change.

    - `create`: an entity with these `values`
    - `update`: these `values` of an entity; null removes a field; values of its primary key move it
    - `delete`: an entity with its copies and locks, or an item of no entity
    - `replace`: an item of no entity, or an invalid one, by `item`
    """

    kind: Literal["create", "update", "delete", "replace"]
    table: str
    entity: str | None = None
    key: dict[str, Any] | None = None
    fingerprint: str | None = None
    values: dict[str, Any] = Field(default_factory=dict)
    item: dict[str, Any] | None = None


def fingerprint(item: Item) -> str:
    """Return a text that is different for every content of an item.

    >>> fingerprint({"a": {"N": "1"}}) == fingerprint({"a": {"N": "2"}})
    False
    """
    text = json.dumps(item, sort_keys=True, default=base64_text)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def read_item(opened: OpenDesign, table: Table, key: Item) -> Item | None:
    """Read an item by its primary key, consistently."""
    return run_sync(item_at(opened.db.context, table, key), opened.db.connection.call)


def plan_edits(opened: OpenDesign, edits: Sequence[StagedEdit]) -> list[TransactionMember]:
    """Return the actions of all edits, for one transaction; nothing is written."""
    if not edits:
        raise UsageError("there is no change to save")
    members = [member for edit in edits for member in _plan(opened, edit)]
    if len(members) > MOST_ACTIONS:
        raise UsageError(
            f"the changes touch {len(members)} items, and a transaction has at most {MOST_ACTIONS}; save fewer at once"
        )
    seen: set[str] = set()
    for member in members:
        place = f"{opened.db.context.table_name(member.table)} {describe_key(member_key(member))}"
        if place in seen:
            raise UsageError(f"two changes touch the item {place}; save them one after the other")
        seen.add(place)
    return members


def _plan(opened: OpenDesign, edit: StagedEdit) -> list[TransactionMember]:
    table = opened.table(edit.table)
    if table is opened.design.key_table:
        raise Forbidden("The console does not write encryption keys; use the command tablewright keys.")
    if edit.kind == "create":
        return entity_members(opened, table, Create(_validated(_layout(opened, table, edit), edit.values)))
    if edit.key is None or edit.fingerprint is None:
        raise UsageError(f"an edit of kind {edit.kind} needs the key and the fingerprint of the item")
    key = key_from_json(table, edit.key)
    item = read_item(opened, table, key)
    if item is None or fingerprint(item) != edit.fingerprint:
        state = "was deleted" if item is None else "has changed"
        raise Conflict(f"{edit.table} {describe_key(key)} {state} since it was read; read it again")
    identity = identify(opened, table, item)
    if identity.role in ("copy", "lock"):
        raise UsageError(f"{describe_key(key)} is a {identity.role}; edit the entity that it belongs to")
    is_entity = identity.role == "entity" and entity_problem(opened, table, item) is None
    if edit.kind == "replace" or not is_entity:
        return [_raw_member(opened, table, edit, item, is_entity=is_entity)]
    assert identity.layout is not None
    members = entity_members(opened, table, _write(opened, identity.layout, edit, item))
    known = opened.attributes_of(table, identity.layout)
    return [conditioned(member, item, known) if member_key(member) == key else member for member in members]


def entity_problem(opened: OpenDesign, table: Table, item: Item) -> str | None:
    """Return why an item is not a valid entity, or None; secret fields are decrypted to find out."""
    problem: str | None = show_item(opened, table, item)["problem"]
    identity = identify(opened, table, item)
    if problem or identity.layout is None or not identity.layout.secrets:
        return problem
    try:
        read_entity(opened, identity.layout, item)
    except (UnknownItem, SecretAltered, SecretShredded) as error:
        return str(error)
    return None


def _layout(opened: OpenDesign, table: Table, edit: StagedEdit) -> Layout:
    for entity in opened.design.entities_of(table):
        if entity.__name__ == edit.entity:
            return entity.layout
    names = ", ".join(entity.__name__ for entity in opened.design.entities_of(table))
    raise UsageError(f"{edit.table} has no entity {edit.entity}; it has: {names}")


def read_entity(opened: OpenDesign, layout: Layout, item: Item) -> Entity:
    """Return the entity of an item."""
    decoder = opened.db.context.decoder(layout)
    return run_sync(compute_with_keys(lambda: decoder.make(item)), opened.db.connection.call)


def _write(opened: OpenDesign, layout: Layout, edit: StagedEdit, stored: Item) -> Write:
    entity = read_entity(opened, layout, stored)
    if edit.kind == "delete":
        return Delete(entity)
    if not opened.writable and edit.values.keys() & layout.secrets:
        raise Forbidden(
            f"Secret fields are changed with {opened.write_option} only: a preview would tell whether a value is right."
        )
    unknown = edit.values.keys() - layout.fields.keys()
    if unknown:
        raise UsageError(f"{layout.entity.__name__} has no field {', '.join(sorted(unknown))}")
    if not edit.values:
        raise UsageError(f"the edit of {layout.entity.__name__} changes no field")
    validated = _validated(layout, _plain_values(entity) | edit.values, entity)
    changed = {name: getattr(validated, name) for name in edit.values}
    moved = {name: value for name, value in changed.items() if name in layout.primary.names}
    if not moved:
        return Update(entity, set=changed)
    if len(moved) < len(changed):
        others = ", ".join(sorted(changed.keys() - moved.keys()))
        raise UsageError(
            f"{', '.join(moved)} is part of the primary key: save this move first, and {others} afterwards"
        )
    return Move(entity, moved)


def _plain_values(entity: Entity) -> dict[str, Any]:
    return {name: getattr(entity, name) for name in type(entity).model_fields}


def _validated(layout: Layout, values: Mapping[str, Any], before: Entity | None = None) -> Entity:
    """Return the entity with these values, validated by its class; null stands for a field without a value."""
    present = {name: value for name, value in values.items() if value is not None or before is not None}
    return layout.entity.model_validate(present, by_name=True, by_alias=False)  # type: ignore[return-value]


def entity_members(opened: OpenDesign, table: Table, write: Write) -> list[TransactionMember]:
    """Return the actions of a typed write, with those on its copies and locks."""
    context = opened.db.context
    call = run_sync(entity_writes.request(context, write), _planning_call(opened))
    if call.operation == "TransactWriteItems":
        pairs: Iterable[tuple[str, Any]] = (
            pair for item in call.request["TransactItems"] for pair in item.items()
        )
    else:
        pairs = [(call.operation.removesuffix("Item"), call.request)]
    return [TransactionMember(table, kind, _transactional(request)) for kind, request in pairs]


def _planning_call(opened: OpenDesign) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """Return what a plan may call. Planning the first secret of a store creates its key: not in a read-only console."""
    send = opened.db.connection.call

    def read(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation not in _READS:
            raise Forbidden(
                f"No encryption key exists yet. A console with {opened.write_option} creates it for the first secret."
            )
        return send(operation, request)

    return send if opened.writable else read


_READS = ("BatchGetItem", "GetItem", "Query", "TransactGetItems")
_ALONE = ("ReturnValues", "ReturnConsumedCapacity", "ReturnItemCollectionMetrics")


def _transactional(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request without the members that a transaction does not take."""
    return {name: value for name, value in request.items() if name not in _ALONE}


def _raw_member(
    opened: OpenDesign, table: Table, edit: StagedEdit, stored: Item, *, is_entity: bool
) -> TransactionMember:
    name, known = opened.db.context.table_name(table), opened.attributes_of(table)
    if edit.kind == "delete":
        member = TransactionMember(table, "Delete", {"TableName": name, "Key": key_of(table, stored)})
        return conditioned(member, stored, known)
    if is_entity:
        raise UsageError(
            "this item is a valid entity: edit its fields, so that its copies, locks and index keys follow"
        )
    if edit.kind != "replace" or edit.item is None:
        raise UsageError("this item is of no entity: replace it as a whole, with the member item")
    item = with_bytes(admit_item(_with_hidden(edit.item, stored))[0])
    if key_of(table, item) != key_of(table, stored):
        raise InvalidWrite("the primary key of an item cannot change; delete the item, and create another")
    return conditioned(TransactionMember(table, "Put", {"TableName": name, "Item": item}), stored, known)


def _with_hidden(item: Mapping[str, Any], stored: Item) -> Item:
    """Return an item from the page with the stored values of the attributes that are hidden there."""
    for attribute, value in item.items():
        if value == HIDDEN and attribute not in stored:
            raise UsageError(f"{attribute} is hidden, and the item has no such attribute")
    return {name: stored[name] if value == HIDDEN else value for name, value in item.items()}


_CONFLICTS = (ConditionalCheckFailed.code.removesuffix("Exception"), "TransactionConflict")
"""The codes of actions that failed because of another writer: before the transaction, or at the same time."""


def transact(opened: OpenDesign, members: Sequence[TransactionMember]) -> None:
    """Execute all actions or none; `Conflict` if an item is no longer as it was read, or a value is taken."""
    request = {
        "TransactItems": [{member.kind: member.request} for member in members],
        "ClientRequestToken": secrets.token_hex(16),
    }
    try:
        opened.db.connection.call("TransactWriteItems", request)
    except TransactionCanceled as error:
        failed = [
            f"{opened.db.context.table_name(member.table)} {describe_key(member_key(member))}"
            for member, reason in zip(members, error.reasons, strict=False)
            if reason.get("Code") in _CONFLICTS
        ]
        if not failed:
            raise
        raise Conflict(
            f"nothing was saved: {', '.join(failed)} has changed, is taken, or is being written; read it again"
        ) from None
