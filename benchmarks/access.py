"""Typed access on the embedded engine, against the raw calls that it is made of."""

import random
import time
from collections.abc import Callable, Iterator
from itertools import count

from benchmarks.settings import Settings
from benchmarks.timing import ROUNDS, compare, table
from tablewright import Design, Entity, Get, Index, Keys, Query, Table, connect, fields
from tablewright.access.repository import Repository
from tablewright.design.fields.revalidation import revalidated

ITEMS = 1_000
PER_CUSTOMER = 10

shop = Table("bench-shop", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")], ttl="expiresAt")


class Order(Entity, table=shop, type="ORDER"):
    customer_id: str
    order_id: str
    status: str
    placed_at: fields.Timestamp
    total: int
    address: str
    lines: list[str]
    note: str
    keys = Keys(
        primary=("CUSTOMER#{customer_id}", "ORDER#{order_id}"),
        GSI1=("STATUS#{status}", "{placed_at}#{order_id}"),
    )


class OrderById(Get[Order]):
    customer_id: str
    order_id: str


class OrdersOf(Query[Order]):
    customer_id: str


DESIGN = Design("bench", entities=[Order], patterns=[OrderById, OrdersOf])


def report(settings: Settings) -> Iterator[str]:
    """The tables of this benchmark, one by one."""
    with connect(DESIGN) as db:
        for number in range(ITEMS):
            db.connection.call("PutItem", {"TableName": shop.name, "Item": order_item(number)})
        yield _get(db, settings.rounds(ROUNDS))
        yield _query(db, settings.rounds(ROUNDS))
        yield _create(db, settings.rounds(ROUNDS))


def order_item(number: int) -> dict[str, dict[str, object]]:
    """An order of about 1 KB, as the repository stores it."""
    customer, order = f"{number // PER_CUSTOMER:08}", f"{number:08}"
    placed_at = "2026-05-01T08:00:00.000Z"
    return {
        "PK": {"S": f"CUSTOMER#{customer}"},
        "SK": {"S": f"ORDER#{order}"},
        "GSI1PK": {"S": "STATUS#open"},
        "GSI1SK": {"S": f"{placed_at}#{order}"},
        "type": {"S": "ORDER"},
        "customerId": {"S": customer},
        "orderId": {"S": order},
        "status": {"S": "open"},
        "placedAt": {"S": placed_at},
        "total": {"N": str(number)},
        "address": {"S": "Long Street " * 20},
        "lines": {"L": [{"S": f"article {line}"} for line in range(5)]},
        "note": {"S": "leave it at the door " * 15},
    }


def _numbers() -> Callable[[], int]:
    rng = random.Random(1)
    return lambda: int(rng.random() * ITEMS)


def _get(db: Repository, rounds: int) -> str:
    ours, theirs = _numbers(), _numbers()
    requests = [
        {"TableName": shop.name, "Key": {name: order_item(number)[name] for name in shop.key}}
        for number in range(ITEMS)
    ]
    patterns = [
        OrderById(customer_id=f"{number // PER_CUSTOMER:08}", order_id=f"{number:08}")
        for number in range(ITEMS)
    ]
    contestants = {
        "call(GetItem)": lambda: db.connection.call("GetItem", requests[theirs()]),
        "run(Get): a validated entity": lambda: db.run(patterns[ours()]),
    }
    results = compare(contestants, 2_000, rounds, time.process_time)
    return table("A typed get of 1 KB, in memory, processor time", results, limit=2)


def _query(db: Repository, rounds: int) -> str:
    ours, theirs = _numbers(), _numbers()
    customers = ITEMS // PER_CUSTOMER
    requests = [
        {
            "TableName": shop.name,
            "KeyConditionExpression": "PK = :pk",
            "ExpressionAttributeValues": {":pk": {"S": f"CUSTOMER#{number:08}"}},
        }
        for number in range(customers)
    ]
    patterns = [OrdersOf(customer_id=f"{number:08}") for number in range(customers)]
    contestants = {
        "call(Query) of 10": lambda: db.connection.call("Query", requests[theirs() % customers]),
        "run(Query) of 10: validated entities": lambda: db.run(patterns[ours() % customers]),
    }
    results = compare(contestants, 500, rounds, time.process_time)
    return table("A typed query of ten 1 KB items, in memory, processor time", results)


def _create(db: Repository, rounds: int) -> str:
    """Creates of new orders, and the part of a create that validates the entity."""
    numbers = count(ITEMS)
    decode = db.context.decoder(Order.layout).make
    order = decode(order_item(0))
    assert isinstance(order, Order)

    def new_order() -> Order:
        entity = order.model_copy()
        entity.order_id = f"{next(numbers):08}"
        return entity

    def put() -> object:
        condition = {"ConditionExpression": "attribute_not_exists(PK)"}
        request = {"TableName": shop.name, "Item": order_item(next(numbers)), **condition}
        return db.connection.call("PutItem", request)

    contestants = {
        "call(PutItem), if absent": put,
        "create(entity)": lambda: db.create(new_order()),
        "of it: validating the entity": lambda: revalidated(order),
    }
    results = compare(contestants, 500, rounds, time.process_time)
    return table("A typed create of 1 KB, in memory, processor time", results)
