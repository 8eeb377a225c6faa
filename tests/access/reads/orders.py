"""Items and helpers that the tests of reads share."""

from typing import Any


def put_raw(db: Any, table: Any, item: dict[str, Any]) -> None:
    """Store an item without the entity layer."""
    db.connection.call("PutItem", {"TableName": db.context.table_name(table), "Item": item})


def ids(found: Any) -> list[str]:
    """The order ids of a page."""
    return [each.order_id for each in found]


def raw_order(customer: str, number: int, **more: str) -> dict[str, Any]:
    """A stored order, as an item."""
    item: dict[str, Any] = {
        "PK": {"S": f"CUSTOMER#{customer}"},
        "SK": {"S": f"ORDER#{number:04}"},
        "type": {"S": "ORDER"},
        "customerId": {"S": customer},
        "orderId": {"S": f"{number:04}"},
        "placedAt": {"S": "2026-05-01T08:00:00.000Z"},
    }
    return item | {name: {"N": value} for name, value in more.items()}
