"""The repository: every write on every backend, shared between threads."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tablewright import Query, connect, errors, writes
from tests.access import shop
from tests.access.shop import Customer, Order, Status, order


def test_every_write_works_on_every_backend(db: Any) -> None:
    first = db.create(order("ada", 1, size=1))
    with pytest.raises(errors.AlreadyExists):
        db.create(first)
    assert db.put(first.changed(size=2)).size == 2
    target = shop.OrderById(customer_id="ada", order_id="001")
    assert db.update(target, set={"status": Status.PAID}, when=Order.size == 2).status is Status.PAID
    assert db.update(target, remove=["photo"], add={"size": 1}).size == 3
    assert db.add(target, size=4).size == 7
    assert [each.size for each in db.run(shop.OrdersByStatus(status=Status.PAID))] == [7]
    moved = db.move(target, order_id="002")
    assert (moved.order_id, db.run(target)) == ("002", None)
    both = db.transact(writes.Delete(moved), writes.Create(Customer(customer_id="ada", email="e")))
    assert both == (None, Customer(customer_id="ada", email="e"))
    db.batch([writes.Put(order("ada", number)) for number in range(60)])
    assert len(db.all(shop.OrdersOf(customer_id="ada"))) == 60
    assert db.delete(target) is True
    assert db.delete(target) is False


def test_an_update_needs_its_entity(db: Any) -> None:
    with pytest.raises(errors.DoesNotExist, match="Order"):
        db.update(shop.OrderById(customer_id="ada", order_id="1"), set={"size": 1})
    db.put(order("ada", 1))
    with pytest.raises(errors.ConditionNotMet):
        db.update(order("ada", 1), set={"size": 1}, when=Order.size == 9)


def test_threads_share_a_repository(tmp_path: Any) -> None:
    with connect(shop.gather(), tmp_path / "shop.db", environment="x") as db, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: db.put(order("ada", number)), range(80)))
        found = list(
            pool.map(lambda n: db.run(shop.OrderById(customer_id="ada", order_id=f"{n:03}")), range(80))
        )
        assert [each and each.order_id for each in found] == [f"{number:03}" for number in range(80)]


def test_a_base_class_is_not_a_pattern() -> None:
    with connect(shop.gather(), environment="x") as db, pytest.raises(errors.UsageError, match="derive one"):
        db.run(Query())


def test_repr_names_design_and_place() -> None:
    with connect(shop.gather(), environment="x") as db:
        assert repr(db) == "<shop on <embedded database in memory>>"
