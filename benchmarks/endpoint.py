"""Typed access over an endpoint: what it costs the client, in CPU time, next to bare boto3 and PynamoDB."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.models import Model

from benchmarks.access import DESIGN, Order, OrderById, order_item, shop
from benchmarks.settings import Settings
from benchmarks.timing import ROUNDS, compare, table
from benchmarks.wire.contestants import IN_MEMORY, Running
from tablewright import connect

CREDENTIALS: dict[str, Any] = {"aws_access_key_id": "bench", "aws_secret_access_key": "bench"}
CALLS = 200


def report(settings: Settings) -> Iterator[str]:
    """The tables of this benchmark, one by one."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Running(IN_MEMORY, Path(folder)) as server,
        connect(DESIGN, _url(server), create=True, **CREDENTIALS) as db,
    ):
        bare = boto3.client("dynamodb", endpoint_url=_url(server), region_name="us-east-1", **CREDENTIALS)
        item = order_item(1)
        bare.put_item(TableName=shop.name, Item=item)
        entity = db.run(OrderById(customer_id="00000000", order_id="00000001"))
        assert isinstance(entity, Order)
        key = {name: item[name] for name in shop.key}
        theirs = _pynamodb(_url(server))
        model = theirs.get("CUSTOMER#00000000", "ORDER#00000001")
        gets = {
            "boto3: get_item": lambda: bare.get_item(TableName=shop.name, Key=key),
            "Tablewright: run(Get)": lambda: db.run(OrderById(customer_id="00000000", order_id="00000001")),
            "PynamoDB: Model.get": lambda: theirs.get("CUSTOMER#00000000", "ORDER#00000001"),
        }
        puts = {
            "boto3: put_item": lambda: bare.put_item(TableName=shop.name, Item=item),
            "Tablewright: put": lambda: db.put(entity),
            "PynamoDB: Model.save": model.save,
        }
        for title, contestants in (("get", gets), ("put", puts)):
            results = compare(contestants, CALLS, settings.rounds(ROUNDS), clock=time.process_time)
            yield table(f"A typed {title} of 1 KB over an endpoint, client CPU", results, limit=1.3)


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
