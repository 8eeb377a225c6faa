"""A design to move, a writer that changes its items, and moves that are killed."""

import random
from decimal import Decimal
from typing import Any

import orjson

from tablewright import Connection, Design, Index, Table
from tablewright.access.procedures import all_items, run_sync
from tablewright.lifecycle.move.move_run import TableMove
from tests.lifecycle.stores import Killed, Mortal

orders = Table("move-orders", ("PK", "SK"), [Index("by-state", "state")])
people = Table("move-people", "id")
DESIGN = Design("moved", tables=[orders, people])


def move_of(source: Connection, target: Connection, **settings: Any) -> TableMove:
    return TableMove(DESIGN, source, target, segments=2, pause=lambda seconds: None, **settings)


def create(connection: Connection) -> None:
    for table in DESIGN.tables:
        connection.call("CreateTable", table.definition())


def fill(connection: Connection, count: int) -> None:
    for number in range(count):
        put_order(connection, number, "new")
        connection.call(
            "PutItem", {"TableName": "move-people", "Item": {"id": {"S": f"p{number}"}, "age": {"N": "1.50"}}}
        )


def put_order(connection: Connection, number: int, state: str) -> None:
    item = {
        "PK": {"S": f"o{number}"},
        "SK": {"S": "order"},
        "state": {"S": state},
        "tags": {"SS": ["b", "a"]},
        "parts": {"L": [{"M": {"n": {"N": "10"}, "b": {"B": b"\x00"}}}]},
    }
    connection.call("PutItem", {"TableName": "move-orders", "Item": item})


def change(connection: Connection, random_source: random.Random, number: int) -> None:
    """Write, update or delete a random order."""
    order = random_source.randrange(60)
    key = {"PK": {"S": f"o{order}"}, "SK": {"S": "order"}}
    action = random_source.random()
    if action < 0.3:
        connection.call("DeleteItem", {"TableName": "move-orders", "Key": key})
    elif action < 0.6:
        put_order(connection, order, f"s{number}")
    else:
        connection.call(
            "UpdateItem",
            {
                "TableName": "move-orders",
                "Key": key,
                "UpdateExpression": "SET #s = :s ADD visits :one",
                "ExpressionAttributeNames": {"#s": "state"},
                "ExpressionAttributeValues": {":s": {"S": f"u{number}"}, ":one": {"N": "1"}},
            },
        )


def items(connection: Connection) -> dict[str, list[str]]:
    """All items of both tables, as sorted text."""
    found: dict[str, list[str]] = {}
    for table in DESIGN.tables:
        pages = run_sync(
            all_items("Scan", {"TableName": table.name, "ConsistentRead": True}), connection.call
        )
        found[table.name] = sorted(orjson.dumps(_plain(item)).decode() for item in pages)
    return found


def _plain(value: Any) -> Any:
    """The same for equal values: each endpoint orders maps and sets, and writes numbers, in its own way."""
    match value:
        case {"N": str(number)}:
            return {"N": str(Decimal(number).normalize())}
        case {"SS": list(texts)}:
            return {"SS": sorted(texts)}
        case dict():
            return {name: _plain(each) for name, each in sorted(value.items())}
        case list():
            return [_plain(each) for each in value]
        case bytes():
            return value.hex()
    return value


def killed_move(source: Connection, target: Connection, calls: int, work: str = "copy") -> bool:
    """Start or continue a move, and kill it after a number of calls to both sides; return whether it was killed."""
    try:
        getattr(move_of(Mortal(source, calls), Mortal(target, calls)), work)()
    except Killed:
        return True
    finally:
        let_leases_end(target)
    return False


def let_leases_end(target: Any) -> None:
    """The killed runner is this process, which lives on: only time ends its lease."""
    target.clock.advance(60)
