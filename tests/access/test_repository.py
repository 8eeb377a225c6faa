"""Repositories: thin, shared between threads, and the same whether called or awaited."""

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tablewright import Query, connect, errors, writes
from tablewright.access.async_repository import AsyncRepository
from tablewright.access.repository import Repository
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


def test_both_repositories_have_the_same_methods() -> None:
    def public(kind: type) -> dict[str, list[str]]:
        members = {name: member for name, member in vars(kind).items() if not name.startswith("_")}
        return {
            name: [str(parameter) for parameter in inspect.signature(member).parameters.values()]
            for name, member in members.items()
            if callable(member)
        }

    assert public(Repository) == public(AsyncRepository)


def test_many_threads_share_one(tmp_path: Any) -> None:
    with connect(shop.gather(), tmp_path / "shop.db", environment="x") as db, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: db.put(order("ada", number)), range(80)))
        found = list(
            pool.map(lambda n: db.run(shop.OrderById(customer_id="ada", order_id=f"{n:03}")), range(80))
        )
        assert [each and each.order_id for each in found] == [f"{number:03}" for number in range(80)]


def test_many_tasks_share_one(endpoint: str) -> None:
    async def work() -> list[Any]:
        async with connect(shop.gather(), endpoint, environment="tasks", create=True).aio as db:
            await asyncio.gather(*(db.put(order("ada", number)) for number in range(30)))
            patterns = [shop.OrderById(customer_id="ada", order_id=f"{n:03}") for n in range(30)]
            return await asyncio.gather(*(db.run(pattern) for pattern in patterns))

    found = asyncio.run(work())
    assert [each.order_id for each in found] == [f"{number:03}" for number in range(30)]


def test_without_aiobotocore_threads_do(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewright.connections.async_connection.find_spec", lambda name: None)

    async def work() -> Any:
        async with connect(shop.gather(), endpoint, environment="threads", create=True).aio as db:
            await db.put(order("ada", 1))
            return await db.run(shop.OrderById(customer_id="ada", order_id="001"))

    assert asyncio.run(work()) == order("ada", 1)


def test_a_base_is_no_pattern() -> None:
    with connect(shop.gather(), environment="x") as db, pytest.raises(errors.UsageError, match="derive one"):
        db.run(Query())


def test_it_says_what_it_is() -> None:
    with connect(shop.gather(), environment="x") as db:
        assert repr(db) == "<shop on <embedded database in memory>>"
