"""Misuse of the repository: errors say what to write instead."""

from typing import Any

import pytest

from tablewright import connect
from tablewright.access.reads.combined import Chained, Merged
from tablewright.access.repository import Repository
from tablewright.access.writes.values import Create
from tablewright.errors import InvalidWrite, UsageError
from tests.access import shop


@pytest.fixture
def db() -> Any:
    with connect(shop.gather(), environment="x") as repository:
        yield repository


@pytest.mark.parametrize(
    ("pattern", "surplus", "words"),
    [
        (
            shop.CustomerById(customer_id="1"),
            {"limit": 1},
            "CustomerById is a Get and has no pages; leave out limit",
        ),
        (shop.CustomerById(customer_id="1"), {"cursor": "c"}, "CustomerById is a Get .* leave out cursor"),
        (shop.CustomerByEmail(email="e"), {"limit": 1}, "CustomerByEmail is a Find and has no pages"),
        (
            shop.ManyOrders(customer_id="1", order_id=["1"]),
            {"limit": 1},
            "ManyOrders is a BatchGet and has no",
        ),
    ],
)
def test_reads_of_one_item_have_no_pages(db: Any, pattern: Any, surplus: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        db.run(pattern, **surplus)


def test_a_pattern_must_be_an_instance(db: Any) -> None:
    words = r"run\(\) takes an instance with its parameters, CustomerById\(\.\.\.\), not a class"
    for method in (db.run, db.explain, db.rows, db.all, lambda pattern: list(db.iterate(pattern))):
        with pytest.raises(UsageError, match=words):
            method(shop.CustomerById)


@pytest.mark.parametrize("given", [shop.Customer, shop.Customer(customer_id="1", email="e"), None])
def test_other_values_are_not_patterns(db: Repository, given: Any) -> None:
    with pytest.raises(UsageError, match=r"is not an access pattern; derive one: class X\(Query\[User\]\)"):
        db.run(given)


@pytest.mark.parametrize("method", ["all", "iterate"])
def test_a_read_of_one_entity_has_no_list(db: Repository, method: str) -> None:
    for pattern, kind in (
        (shop.CustomerById(customer_id="1"), "Get"),
        (shop.CustomerByEmail(email="e"), "Find"),
    ):
        with pytest.raises(UsageError, match=rf"is a {kind} and returns one entity; read it with db\.run"):
            list(getattr(db, method)(pattern))


def test_combined_reads_take_a_list(db: Repository) -> None:
    one: Any = shop.OrdersOf(customer_id="1")
    words = r"takes a list of queries, not an instance of OrdersOf; write (Merged|Chained)\(\[\.\.\.\]\)"
    for combined in (Merged, Chained):
        with pytest.raises(UsageError, match=words):
            combined(one)
        assert db.all(combined([one])) == []


def test_a_transaction_takes_writes_as_arguments(db: Repository) -> None:
    customer = shop.Customer(customer_id="1", email="e")
    given: Any = [Create(customer)]
    with pytest.raises(
        InvalidWrite, match=r"transact takes writes, .* pass each as an argument: transact\(\*writes\)"
    ):
        db.transact(given)
    assert db.transact(*given) == (customer,)


def test_listeners_are_decorated(db: Repository) -> None:
    given: Any = print
    with pytest.raises(
        UsageError, match=r"the function print is not a listener; decorate the function: @events\.on"
    ):
        db.streams.handle(given)
    with pytest.raises(UsageError, match="the function print is not a listener"):
        db.streams.handle_batch({"Records": []}, given)


def test_set_and_add_take_mappings(db: Repository) -> None:
    given: Any = ["name"]
    target = shop.CustomerById(customer_id="1")
    for option in ("set", "add"):
        with pytest.raises(
            InvalidWrite, match=rf'{option} takes a mapping: {option}={{"field": value}}, not'
        ):
            db.update(target, **{option: given})
