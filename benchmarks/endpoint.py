"""Typed access over an endpoint: what it costs the client, in CPU time, next to bare boto3 and PynamoDB."""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.models import Model

from benchmarks.access import DESIGN, PER_CUSTOMER, Order, OrderById, OrdersOf, order_item, shop
from benchmarks.settings import Settings
from benchmarks.timing import ROUNDS, compare, table
from benchmarks.wire.contestants import IN_MEMORY, Running
from tablewright import connect, writes
from tablewright.access.repository import Repository
from tablewright.connections.remote import Remote

CREDENTIALS: dict[str, Any] = {"aws_access_key_id": "bench", "aws_secret_access_key": "bench"}
CALLS = 200
Contestants = dict[str, Callable[[], object]]


def report(settings: Settings) -> Iterator[str]:
    """The tables of this benchmark, one by one."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Running(IN_MEMORY, Path(folder)) as server,
        connect(DESIGN, _url(server), create=True, **CREDENTIALS) as db,
    ):
        bare = boto3.client("dynamodb", endpoint_url=_url(server), region_name="us-east-1", **CREDENTIALS)
        for number in range(PER_CUSTOMER):
            bare.put_item(TableName=shop.name, Item=order_item(number))
        contestants = {
            "get of 1 KB": _gets(db, bare, _pynamodb(_url(server))),
            "put of 1 KB": _puts(db, bare, _pynamodb(_url(server))),
            "query of ten 1 KB items": _queries(db, bare, _pynamodb(_url(server))),
            "transaction of three puts of 1 KB": _transactions(db, bare),
        }
        assert isinstance(db.connection, Remote)
        if reason := db.connection.why_not_direct():
            yield f"Measured through boto3: {reason}.\n"
        for title, calls in contestants.items():
            results = compare(calls, CALLS, settings.rounds(ROUNDS), clock=time.process_time)
            yield table(f"A typed {title} over an endpoint, client CPU", results, limit=0.5)


def _gets(db: Repository, bare: Any, model: Any) -> Contestants:
    key = {name: order_item(1)[name] for name in shop.key}
    return {
        "boto3: get_item": lambda: bare.get_item(TableName=shop.name, Key=key),
        "Tablewright: run(Get)": lambda: db.run(OrderById(customer_id="00000000", order_id="00000001")),
        "PynamoDB: Model.get": lambda: model.get("CUSTOMER#00000000", "ORDER#00000001"),
    }


def _puts(db: Repository, bare: Any, model: Any) -> Contestants:
    item, entity = order_item(1), _order(db, 1)
    return {
        "boto3: put_item": lambda: bare.put_item(TableName=shop.name, Item=item),
        "Tablewright: put": lambda: db.put(entity),
        "PynamoDB: Model.save": model.get("CUSTOMER#00000000", "ORDER#00000001").save,
    }


def _queries(db: Repository, bare: Any, model: Any) -> Contestants:
    request = {
        "TableName": shop.name,
        "KeyConditionExpression": "PK = :pk",
        "ExpressionAttributeValues": {":pk": {"S": "CUSTOMER#00000000"}},
    }
    return {
        "boto3: query": lambda: bare.query(**request),
        "Tablewright: run(Query)": lambda: db.run(OrdersOf(customer_id="00000000")),
        "PynamoDB: Model.query": lambda: list(model.query("CUSTOMER#00000000")),
    }


def _transactions(db: Repository, bare: Any) -> Contestants:
    actions = [{"Put": {"TableName": shop.name, "Item": order_item(number)}} for number in range(3)]
    puts = [writes.Put(_order(db, number)) for number in range(3)]
    return {
        "boto3: transact_write_items": lambda: bare.transact_write_items(TransactItems=actions),
        "Tablewright: transact": lambda: db.transact(*puts),
    }


def _order(db: Repository, number: int) -> Order:
    entity = db.run(OrderById(customer_id="00000000", order_id=f"{number:08}"))
    assert isinstance(entity, Order)
    return entity


def _url(server: Running) -> str:
    host, port = server.address
    return f"http://{host}:{port}"


def _pynamodb(url: str) -> Any:
    class TheirOrder(Model):
        class Meta:
            table_name = shop.name
            host = url
            region = "us-east-1"
            aws_access_key_id = CREDENTIALS["aws_access_key_id"]
            aws_secret_access_key = CREDENTIALS["aws_secret_access_key"]

        partition = UnicodeAttribute(hash_key=True, attr_name="PK")
        sort = UnicodeAttribute(range_key=True, attr_name="SK")
        index_partition = UnicodeAttribute(attr_name="GSI1PK")
        index_sort = UnicodeAttribute(attr_name="GSI1SK")
        kind = UnicodeAttribute(attr_name="type")
        customer_id = UnicodeAttribute(attr_name="customerId")
        order_id = UnicodeAttribute(attr_name="orderId")
        status = UnicodeAttribute()
        placed_at = UnicodeAttribute(attr_name="placedAt")
        total = NumberAttribute()
        address = UnicodeAttribute()
        lines: Any = ListAttribute(of=UnicodeAttribute)
        note = UnicodeAttribute()

    return TheirOrder
