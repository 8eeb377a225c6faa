"""Misuse of the repository: errors say what to write instead."""

from typing import Any

import pytest

from tablewright import connect
from tablewright.access.repository import Repository
from tablewright.errors import UsageError
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
