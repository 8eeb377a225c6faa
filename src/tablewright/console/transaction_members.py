"""Transaction members: the actions of a transaction, and the condition that an item is as it was read."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tablewright.access.items.item_values import key_of
from tablewright.access.writes.actions import unchanged
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item


@dataclass(frozen=True)
class TransactionMember:
    """One action of a transaction, on one item."""

    table: Table
    kind: str
    """`Put`, `Update`, `Delete` or `ConditionCheck`."""
    request: dict[str, Any]


def conditioned(member: TransactionMember, stored: Item, known: Iterable[str] = ()) -> TransactionMember:
    """Return an action with the condition that its item is as it was read.

    Key attributes and `known` attributes that the item lacked must still be absent. An item with more attributes than
    a condition can compare is compared in part.
    """
    request = dict(member.request)
    names = dict(request.get("ExpressionAttributeNames") or {})
    values = dict(request.get("ExpressionAttributeValues") or {})
    terms = [f"({request['ConditionExpression']})"] if "ConditionExpression" in request else []
    for attribute in member.table.key:
        terms.append(f"attribute_exists({_alias(names, attribute)})")
    read = unchanged(member.table, stored, known=(*member.table.key_attributes, *known)).read
    for number, (attribute, value) in enumerate(read.items()):
        alias = _alias(names, attribute)
        if value is None:
            terms.append(f"attribute_not_exists({alias})")
        else:
            terms.append(f"{alias} = :was{number}")
            values[f":was{number}"] = value
    request["ConditionExpression"] = " AND ".join(terms)
    request["ExpressionAttributeNames"] = names
    if values:
        request["ExpressionAttributeValues"] = values
    return TransactionMember(member.table, member.kind, request)


def _alias(names: dict[str, str], attribute: str) -> str:
    """A new alias of an attribute name."""
    alias = f"#was{len(names)}"
    names[alias] = attribute
    return alias


def member_key(member: TransactionMember) -> Item:
    """Return the primary key of the item that an action is on."""
    request = member.request
    return key_of(member.table, request["Item"]) if "Item" in request else request["Key"]
