"""Item permissions: the permissions of reads and writes of items, from their parsed requests.

`dynamodb:Attributes` has all attributes that a request names: those of its key or item, and those in its projection,
filter, condition and update. A read without a projection names only its key; `dynamodb:Select` says that it reads all.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from tablewright.dynamodb.expressions import Projection
from tablewright.dynamodb.policies import Permission
from tablewright.dynamodb.policies.principals import Values
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.writes.item_writes import CheckItem, DeleteItemWrite, Edit, PutItemWrite
from tablewright.engine.features.authorization.table_permissions import Resource, key_text, partition_keys
from tablewright.errors import ValidationError

Request = dict[str, Any]
_ACTIONS: dict[type, str] = {
    PutItemWrite: "PutItem",
    DeleteItemWrite: "DeleteItem",
    Edit: "UpdateItem",
    CheckItem: "ConditionCheckItem",
}


def get_item(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """GetItem of one item."""
    yield _get(tx, parsed.table, parsed.key, parsed.projection, raw)


def transact_get_items(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """GetItem of each item."""
    for get in parsed.gets:
        yield _get(tx, get.table, get.key, get.projection, raw, EnclosingOperation="TransactGetItems")


def batch_get_item(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """BatchGetItem on each table, with the keys of all its items."""
    for block in parsed.blocks:
        resource = Resource(tx, block.table)
        yield resource.permission(
            "BatchGetItem",
            **resource.leading_keys(block.keys),
            Attributes=_names(*block.keys, _attributes(block.projection)),
            Select=_select(None, block.projection),
            **_capacity(raw),
        )


def query(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """Query of one partition of a table or index."""
    resource = Resource(tx, parsed.table_name, parsed.index_name)
    try:
        values = _query_partition(resource, parsed)
    except ValidationError:
        values = ()  # the operation itself rejects the request
    yield resource.permission(
        "Query",
        **partition_keys([[key_text(value) for value in values]]),
        Attributes=_names(parsed.keys.tests, *_selected(parsed.selection)),
        Select=_select(parsed.selection.select, parsed.selection.projection, parsed.index_name),
        **_capacity(raw),
    )


def _query_partition(resource: Resource, parsed: Any) -> tuple[Any, ...]:
    if not resource.key_names or resource.table is None:
        return ()
    keys = resource.index.keys if resource.index else resource.table.keys
    values: tuple[Any, ...] = parsed.keys.match(keys.hash, keys.range, keys.types).hash_values
    return values


def scan(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """Scan of a table or index; it has no leading keys."""
    resource = Resource(tx, parsed.table_name, parsed.index_name)
    yield resource.permission(
        "Scan",
        Attributes=_names(*_selected(parsed.selection)),
        Select=_select(parsed.selection.select, parsed.selection.projection, parsed.index_name),
        **_capacity(raw),
    )


def search_vectors(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """SearchVectors on a vector index; it searches all partitions, so it has no leading keys.

    It names the vector attribute: scores show the vectors, also if the vectors are not returned.
    """
    resource = Resource(tx, parsed.table, parsed.index_name)
    index = resource.table.other_index(parsed.index_name) if resource.table else None
    yield resource.permission(
        "SearchVectors",
        Attributes=_names(
            index.names[:1] if index else (),
            _attributes(parsed.projection),
            (equality.path.attribute for equality in parsed.equalities or ()),
        ),
        Select=_select(None, parsed.projection, parsed.index_name),
        **_capacity(raw),
    )


def write_item(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """PutItem, UpdateItem or DeleteItem of one item."""
    yield _write(tx, parsed.write, raw, raw)


def transact_write_items(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """The action of each write on its item."""
    for write, entry in zip(parsed.writes, raw["TransactItems"], strict=True):
        (member,) = (write for write in entry.values() if write is not None)
        yield _write(tx, write, raw, member, EnclosingOperation="TransactWriteItems")


def batch_write_item(tx: Reading, raw: Request, parsed: Any) -> Iterator[Permission]:
    """BatchWriteItem on each table, with the keys of all its items."""
    for name, writes in parsed.writes.items():
        resource = Resource(tx, name)
        items = [write.item.attributes if isinstance(write, PutItemWrite) else write.key for write in writes]
        yield resource.permission(
            "BatchWriteItem",
            **resource.leading_keys(items),
            Attributes=_names(*items),
            **_capacity(raw),
        )


def _get(
    tx: Reading, table: str, key: Request, projection: Projection | None, raw: Request, **keys: Values
) -> Permission:
    resource = Resource(tx, table)
    return resource.permission(
        "GetItem",
        **resource.leading_keys([key]),
        Attributes=_names(key, _attributes(projection)),
        Select=_select(None, projection),
        **_capacity(raw),
        **keys,
    )


def _write(
    tx: Reading,
    write: PutItemWrite | DeleteItemWrite | Edit | CheckItem,
    raw: Request,
    member: Request,
    **keys: Values,
) -> Permission:
    resource = Resource(tx, write.table)
    item = write.item.attributes if isinstance(write, PutItemWrite) else write.key
    named: list[Iterable[str]] = [item]
    if isinstance(write, Edit):
        named.append(write.update.named_attributes)
    if write.condition.expression is not None:
        named.append(write.condition.expression.attributes)
    return resource.permission(
        _ACTIONS[type(write)],
        **resource.leading_keys([item]),
        Attributes=_names(*named),
        ReturnValues=_returned(member),
        **_capacity(raw),
        **keys,
    )


def _returned(member: Request) -> list[str]:
    """What a write returns of the item, also when its condition fails."""
    returned = (member.get("ReturnValues"), member.get("ReturnValuesOnConditionCheckFailure"))
    return sorted({value for value in returned if value not in (None, "NONE")}) or ["NONE"]


def _capacity(raw: Request) -> dict[str, Values]:
    return {"ReturnConsumedCapacity": raw.get("ReturnConsumedCapacity") or "NONE"}


def _select(select: str | None, projection: Projection | None, index: str | None = None) -> str:
    if select is not None:
        return select
    if projection is not None:
        return "SPECIFIC_ATTRIBUTES"
    return "ALL_ATTRIBUTES" if index is None else "ALL_PROJECTED_ATTRIBUTES"


def _selected(selection: Any) -> list[Iterable[str]]:
    return [_attributes(selection.projection), selection.filter.attributes if selection.filter else ()]


def _attributes(projection: Projection | None) -> tuple[str, ...]:
    return () if projection is None else projection.attributes


def _names(*groups: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for group in groups for name in group))
