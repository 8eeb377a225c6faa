"""The async repository: the methods of the repository, awaited, shared between tasks."""

import asyncio
import inspect
from typing import Any

import pytest

from tablewright import connect, errors
from tablewright.access.async_repository import AsyncRepository
from tablewright.access.encryption.key_rotation import AsyncKeyAdministration, KeyAdministration
from tablewright.access.repository import Repository
from tablewright.access.streams.stream_consumers import AsyncStreamConsumers, StreamConsumers
from tests.access import shop
from tests.access.shop import order


@pytest.mark.parametrize(
    ("sync", "awaited"),
    [
        (Repository, AsyncRepository),
        (KeyAdministration, AsyncKeyAdministration),
        (StreamConsumers, AsyncStreamConsumers),
    ],
)
def test_both_forms_have_the_same_methods(sync: type, awaited: type) -> None:
    def public(kind: type) -> dict[str, list[str]]:
        members = {name: member for name, member in vars(kind).items() if not name.startswith("_")}
        return {
            name: [str(parameter) for parameter in inspect.signature(member).parameters.values()]
            for name, member in members.items()
            if callable(member)
        }

    assert public(sync) == public(awaited)


def test_tasks_share_a_repository(endpoint: str) -> None:
    async def work() -> list[Any]:
        async with connect(shop.gather(), endpoint, environment="tasks", create=True).aio as db:
            await asyncio.gather(*(db.put(order("ada", number)) for number in range(30)))
            patterns = [shop.OrderById(customer_id="ada", order_id=f"{n:03}") for n in range(30)]
            return await asyncio.gather(*(db.run(pattern) for pattern in patterns))

    found = asyncio.run(work())
    assert [each.order_id for each in found] == [f"{number:03}" for number in range(30)]


def test_threads_are_used_without_aiobotocore(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewright.connections.async_connection.find_spec", lambda name: None)

    async def work() -> Any:
        async with connect(shop.gather(), endpoint, environment="threads", create=True).aio as db:
            await db.put(order("ada", 1))
            return await db.run(shop.OrderById(customer_id="ada", order_id="001"))

    assert asyncio.run(work()) == order("ada", 1)


def test_closing_closes_both_connections() -> None:
    db = connect(shop.gather(), environment="x")

    async def use() -> None:
        async with db.aio as aio:
            await aio.put(order("ada", 1))

    asyncio.run(use())
    with pytest.raises(errors.StoreError, match="closed"):
        db.run(shop.OrderById(customer_id="ada", order_id="001"))


def test_repr_names_design_and_place() -> None:
    with connect(shop.gather(), environment="x") as db:
        assert repr(db.aio) == "<async shop on <embedded database in memory>>"
