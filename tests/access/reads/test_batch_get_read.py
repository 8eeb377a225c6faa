"""Batch get reads: many entities by their keys, in the order of the keys."""

from typing import Any

import pytest

from tablewright import BatchGet, Faults, connect
from tablewright.access.procedures import ATTEMPTS, run_sync
from tablewright.access.reads.batch_get_read import batch_replies
from tablewright.errors import ProvisionedThroughputExceeded, UsageError
from tests.access import shop
from tests.access.reads.orders import ids
from tests.access.shop import Customer, Order, order


def test_entities_have_the_order_of_the_keys(db: Any, ada: Customer) -> None:
    requested = ["007", "002", "nowhere", "007", "005"]
    page = db.run(shop.ManyOrders(customer_id="ada", order_id=requested))
    assert ids(page) == ["007", "002", "005"]
    assert page.consumed > 0
    assert list(db.run(shop.ManyOrders(customer_id="ada", order_id=[]))) == []


def test_more_keys_than_one_request_takes(db: Any, ada: Customer) -> None:
    requested = [f"{number:03}" for number in range(250)]
    assert ids(db.run(shop.ManyOrders(customer_id="ada", order_id=requested))) == requested[:10]


def test_unprocessed_keys_are_read_again() -> None:
    with connect(shop.gather(), environment="x", faults=Faults(seed=1, unprocessed=0.7)) as db:
        for number in range(30):
            db.put(order("ada", number))
        requested = [f"{number:03}" for number in range(30)]
        page = db.run(shop.ManyOrders(customer_id="ada", order_id=requested))
        assert ids(page) == requested


def test_list_parameters_vary_together(db: Any) -> None:
    class Pairs(BatchGet[Order]):
        customer_id: list[str]
        order_id: list[str]

    db.put(order("ada", 1))
    db.put(order("bob", 2))
    found = db.run(Pairs(customer_id=["ada", "bob", "bob"], order_id=["001", "002", "001"]))
    assert [(each.customer_id, each.order_id) for each in found] == [("ada", "001"), ("bob", "002")]
    with pytest.raises(UsageError, match="2 of customer_id, 1 of order_id"):
        db.run(Pairs(customer_id=["ada", "bob"], order_id=["001"]))


REQUEST: dict[str, Any] = {"RequestItems": {"t": {"Keys": [1, 2]}}, "ReturnConsumedCapacity": "TOTAL"}


def run(*replies: dict[str, Any]) -> tuple[list[Any], list[Any], list[float]]:
    waiting, sent, pauses = list(replies), list[Any](), list[float]()

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        sent.append(request["RequestItems"])
        return waiting.pop(0)

    return run_sync(batch_replies(REQUEST, "P"), call, pauses.append), sent, pauses


def test_unprocessed_keys_are_requested_again_after_a_pause() -> None:
    rest = {"t": {"Keys": [2]}}
    found, sent, pauses = run({"Number": 1, "UnprocessedKeys": rest}, {"Number": 2})
    assert [reply["Number"] for reply in found] == [1, 2]
    assert sent == [REQUEST["RequestItems"], rest]
    assert len(pauses) == 1


def test_keys_that_stay_unprocessed_are_an_error() -> None:
    busy = {"UnprocessedKeys": REQUEST["RequestItems"]}
    with pytest.raises(
        ProvisionedThroughputExceeded, match=f"P: keys were left unprocessed {ATTEMPTS} times"
    ):
        run(*[busy] * ATTEMPTS)
