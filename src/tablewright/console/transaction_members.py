"""Transaction members: the actions of a transaction, and the condition that an item is as it was read."""

from dataclasses import dataclass
from typing import Any

from tablewright.access.items.key_values import key_of
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables.tables import Table
from tablewright.values.attributes import Item


@dataclass(frozen=True)
class Member:
    """One action of a transaction, on one item."""

    table: Table
    kind: str
    """`Put`, `Update`, `Delete` or `ConditionCheck`."""
    request: dict[str, Any]


def conditioned(member: Member, found: Item, layout: Layout | None = None) -> Member:
    """Return an action with the condition that its item is as it was read.

    With a layout, the fields and keys that the item lacked must still be absent.
    """
    request = dict(member.request)
    names = dict(request.get("ExpressionAttributeNames") or {})
    values = dict(request.get("ExpressionAttributeValues") or {})
    terms = [f"({request['ConditionExpression']})"] if "ConditionExpression" in request else []
    for number, (attribute, value) in enumerate(found.items()):
        if attribute in member.table.key:
            terms.append(f"attribute_exists(#was{number})")
        else:
            terms.append(f"#was{number} = :was{number}")
            values[f":was{number}"] = value
        names[f"#was{number}"] = attribute
    declared = {field.stored for field in layout.fields.values()} if layout else set()
    for number, attribute in enumerate(sorted((declared | set(member.table.key_attributes)) - found.keys())):
        terms.append(f"attribute_not_exists(#new{number})")
        names[f"#new{number}"] = attribute
    request["ConditionExpression"] = " AND ".join(terms)
    request["ExpressionAttributeNames"] = names
    if values:
        request["ExpressionAttributeValues"] = values
    return Member(member.table, member.kind, request)


def member_key(member: Member) -> Item:
    """Return the primary key of the item that an action is on."""
    request = member.request
    return key_of(member.table, request["Item"]) if "Item" in request else request["Key"]
