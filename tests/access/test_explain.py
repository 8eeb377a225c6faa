"""Explanations: the request as it would be sent, and what it would cost."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright import Design, Entity, Get, Query, Table, connect, fields, writes
from tablewright.access.repository import Repository
from tests.access import shop
from tests.access.shop import Customer, Status, order

EXPECTED = """\
OrdersByStatus: List orders by status.
Query on index GSI1 of shop-x-main
{
  "TableName": "shop-x-main",
  "IndexName": "GSI1",
  "KeyConditionExpression": "#0 = :0",
  "ReturnConsumedCapacity": "TOTAL",
  "ExpressionAttributeNames": {
    "#0": "GSI1PK"
  },
  "ExpressionAttributeValues": {
    ":0": {
      "S": "STATUS#open"
    }
  }
}
about 6.5 read units: 50 x 1024 bytes"""


@pytest.fixture
def db() -> Any:
    with connect(shop.gather(), environment="x") as repository:
        yield repository


def test_the_text_of_an_explanation(db: Repository) -> None:
    assert str(db.explain(shop.OrdersByStatus(status=Status.OPEN))) == EXPECTED


def test_the_explained_request_is_the_sent_request(db: Repository) -> None:
    db.put(order("ada", 1, total=Decimal(3)))
    asked = db.explain(shop.BigOrdersOf(customer_id="ada", least=Decimal(1), sizes=0), limit=7)
    assert asked.request["Limit"] == 7
    reply = db.connection.call(asked.operation, asked.request)
    assert reply["Count"] == 1
    assert reply["ConsumedCapacity"]["CapacityUnits"] == 0.5


@pytest.mark.parametrize(
    ("pattern", "operation", "capacity"),
    [
        (shop.CustomerById(customer_id="x"), "GetItem", 0.5),
        (shop.OrderById(customer_id="x", order_id="1"), "GetItem", 1.0),
        (shop.ManyOrders(customer_id="x", order_id=["1", "2", "3"]), "BatchGetItem", 1.5),
        (shop.CustomerByEmail(email="x"), "Query", 0.5),
        (shop.LatestOrdersOf(customer_id="x"), "Query", 0.5),
        (shop.AllCustomers(), "Scan", 0.5),
        (shop.OrderTotals(customer_id="x"), "Query", 0.5),
    ],
)
def test_every_kind_of_pattern_is_explained(
    db: Repository, pattern: Any, operation: str, capacity: float
) -> None:
    explained = db.explain(pattern)
    assert (explained.operation, explained.capacity) == (operation, capacity)
    db.connection.call(explained.operation, explained.request)


def test_the_expected_size_is_used_for_the_cost() -> None:
    class Report(Entity, table=Table("reports", key="id"), expect=fields.Expect(size=9000)):
        id: str

    class ReportById(Get[Report]):
        id: str

    with connect(Design("reports", entities=[Report], patterns=[ReportById])) as reports:
        assert reports.explain(ReportById(id="x")).capacity == 1.5


def test_every_name_and_value_is_aliased(db: Repository) -> None:
    class Reserved(Query[Customer]):
        customer_id: str
        name: str
        key = "PK = CUSTOMER#{customer_id}"
        filter = "name = {name}"

    request = db.explain(Reserved(customer_id="x", name="size")).request
    assert request["FilterExpression"] == "#f0 = :name"
    assert request["ExpressionAttributeNames"] == {"#0": "PK", "#f0": "name"}
    projected = db.explain(shop.OrderTotals(customer_id="x")).request
    assert not set(projected["ProjectionExpression"]) & set("abcdefghijklmnopqrstuvwxyzPKS")


def test_explaining_a_write_writes_nothing(db: Repository) -> None:
    customer = Customer(customer_id="ada", email="e")
    explained = db.explain(writes.Put(customer))
    assert (explained.operation, explained.unit, explained.capacity) == ("PutItem", "write", 2.0)
    assert db.run(shop.CustomerById(customer_id="ada")) is None
    chat = db.explain(writes.Create(shop.Chat(chat_id="c", members=["a", "b"])))
    assert (chat.operation, chat.items, chat.capacity) == ("TransactWriteItems", 3, 10.0)
