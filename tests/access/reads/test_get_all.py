"""get_all: entities of several classes and tables by their keys, in few requests."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from tablewright import Design, Entity, Faults, Get, Keys, Repository, Table, connect, fields
from tablewright.access.procedures import run_sync
from tablewright.access.reads.compiled_reads import batch_requests, keyed_gets
from tablewright.errors import UnknownItem, UsageError
from tests.access import shop
from tests.access.conftest import START
from tests.access.reads.orders import put_raw, raw_order
from tests.access.shop import Customer, CustomerById, Event, EventById, Order, OrderById, order


@pytest.fixture
def filled(db: Any) -> Any:
    db.put(Customer(customer_id="ada", email="ada@example.org"))
    db.put(order("ada", 1))
    db.put(Event(account=7, event="e1"))
    return db


def test_entities_of_several_tables_are_read_in_order(filled: Any) -> None:
    found = filled.get_all(
        OrderById(customer_id="ada", order_id="001"),
        CustomerById(customer_id="eve"),
        EventById(account=7, event="e1"),
        CustomerById(customer_id="ada"),
    )
    assert [type(each) for each in found] == [Order, type(None), Event, Customer]
    assert isinstance(found, tuple)
    assert found[0] == filled.run(OrderById(customer_id="ada", order_id="001"))


def test_a_list_gives_a_list(filled: Any) -> None:
    found = filled.get_all([CustomerById(customer_id=each) for each in ("ada", "eve", "ada")])
    assert [each and each.customer_id for each in found] == ["ada", None, "ada"]
    assert isinstance(found, list)
    assert filled.get_all(CustomerById(customer_id=each) for each in ["ada"])[0].customer_id == "ada"
    assert filled.get_all([]) == []
    assert filled.get_all() == ()
    assert isinstance(filled.get_all(CustomerById(customer_id="ada")), tuple)


def test_expired_items_are_none_unless_they_are_included(filled: Any) -> None:
    filled.put(order("ada", 2, expires_at=int(START) - 5))
    late = OrderById(customer_id="ada", order_id="002")
    assert filled.get_all(late) == (None,)
    assert filled.get_all([late], include_expired=True)[0].order_id == "002"


def test_an_item_of_another_type_is_raised(filled: Any) -> None:
    raw = raw_order("ada", 9) | {"SK": {"S": "PROFILE"}, "PK": {"S": "CUSTOMER#bob"}}
    put_raw(filled, shop.main, raw)
    with pytest.raises(UnknownItem, match="has the type 'ORDER'; expected 'CUSTOMER'"):
        filled.get_all(CustomerById(customer_id="bob"))


def test_more_than_a_hundred_keys_are_split(filled: Any) -> None:
    for number in range(100, 130):
        filled.put(order("bob", number))
    gets: list[Get[Any]] = [OrderById(customer_id="bob", order_id=f"{number:03}") for number in range(130)]
    found = filled.get_all([*gets, CustomerById(customer_id="ada")])
    assert [bool(each) for each in found] == [False] * 100 + [True] * 31


@pytest.fixture
def db_in_memory() -> Iterator[Repository]:
    with connect(shop.gather(), environment="x") as opened:
        yield opened


def test_equal_keys_are_requested_once_and_consistent_where_one_is(db_in_memory: Repository) -> None:
    gets = keyed_gets(
        db_in_memory._reads,
        [
            CustomerById(customer_id="ada"),
            OrderById(customer_id="ada", order_id="1"),
            CustomerById(customer_id="ada"),
            EventById(account=7, event="e"),
        ],
    )
    (request,) = batch_requests(gets)
    tables = request["RequestItems"]
    assert [len(tables[name]["Keys"]) for name in ("shop-x-main", "shop-x-events")] == [2, 1]
    assert tables["shop-x-main"]["ConsistentRead"] is True
    assert "ConsistentRead" not in tables["shop-x-events"]


@pytest.mark.parametrize(
    "given",
    [shop.OrdersOf(customer_id="ada"), shop.CustomerByEmail(email="x"), CustomerById, "x", None],
)
def test_only_gets_are_taken(db_in_memory: Repository, given: Any) -> None:
    with pytest.raises(UsageError, match="get_all takes Get patterns with their parameters, not"):
        db_in_memory.get_all(given, CustomerById(customer_id="ada"))


def test_a_get_of_some_fields_is_rejected(db_in_memory: Repository) -> None:
    class CustomerName(Get[Customer]):
        customer_id: str
        fields = ("name",)

    with pytest.raises(UsageError, match=r"CustomerName reads only some fields .* db\.rows"):
        db_in_memory.get_all(CustomerName(customer_id="ada"))


def test_unprocessed_keys_are_read_again() -> None:
    design = shop.gather()
    with connect(design, environment="x", faults=Faults(unprocessed=0.5, seed=3)) as db:
        for number in range(20):
            db.put(order("ada", number))
        gets = [OrderById(customer_id="ada", order_id=f"{number:03}") for number in range(20)]
        calls: list[str] = []

        def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            calls.append(operation)
            return db.connection.call(operation, request)

        from tablewright.access.reads.compiled_reads import get_all

        found = run_sync(get_all(db._reads, db.context, gets, False), call, lambda seconds: None)
    assert [each.order_id for each in found] == [f"{number:03}" for number in range(20)]
    assert calls.count("BatchGetItem") > 1


def test_secrets_are_decrypted() -> None:
    table = Table("vaults", key=("PK", "SK"))

    class Safe(Entity, table=table, type="SAFE"):
        safe_id: str
        code: Annotated[str, fields.Encrypted(context=("safe_id",))]
        keys = Keys(primary=("SAFE#{safe_id}", "SAFE"))

    class SafeById(Get[Safe]):
        safe_id: str

    with connect(Design("vaults", entities=[Safe], patterns=[SafeById])) as db:
        for each in "ab":
            db.create(Safe(safe_id=each, code=f"secret-{each}"))
        found = db.get_all([SafeById(safe_id=each) for each in "abc"])
    assert [each and each.code for each in found] == ["secret-a", "secret-b", None]


def test_explain_shows_the_request_and_the_cost(db_in_memory: Repository) -> None:
    gets = [CustomerById(customer_id="ada"), EventById(account=7, event="e"), CustomerById(customer_id="ada")]
    explanation = db_in_memory.explain(gets)
    assert explanation.operation == "BatchGetItem"
    assert explanation.table == "shop-x-main, shop-x-events"
    assert (explanation.items, explanation.capacity) == (2, 1.0)
    with pytest.raises(UsageError, match="no patterns to explain"):
        db_in_memory.explain([])
