"""`get_or_raise`: an entity that must exist, on every backend."""

from datetime import timedelta
from typing import Any

import pytest

from tablewright import Clock, errors
from tests.access import shop
from tests.access.shop import Customer, order

ADA = Customer(customer_id="ada", email="ada@example.org")


class NoSuchCustomer(Exception):
    pass


def test_it_returns_what_get_and_find_return(db: Any) -> None:
    db.put(ADA)
    assert db.get_or_raise(shop.CustomerById(customer_id="ada")) == ADA
    assert db.get_or_raise(shop.CustomerByEmail(email="ada@example.org"), otherwise=NoSuchCustomer) == ADA


def test_a_missing_entity_is_named_with_its_key(db: Any) -> None:
    with pytest.raises(errors.DoesNotExist) as caught:
        db.get_or_raise(shop.OrderById(customer_id="ada", order_id="001"))
    assert str(caught.value) == "Order(customer_id='ada', order_id='001') does not exist"
    assert (caught.value.entity, caught.value.key) == ("Order", {"customer_id": "ada", "order_id": "001"})
    with pytest.raises(errors.DoesNotExist, match=r"^Customer\(email='eve@example.org'\) does not exist$"):
        db.get_or_raise(shop.CustomerByEmail(email="eve@example.org"))


def test_otherwise_is_raised_from_the_typed_error(db: Any) -> None:
    with pytest.raises(NoSuchCustomer) as caught:
        db.get_or_raise(shop.CustomerById(customer_id="ada"), otherwise=NoSuchCustomer)
    assert isinstance(caught.value.__cause__, errors.DoesNotExist)


def test_an_expired_entity_does_not_exist(db: Any, clock: Clock) -> None:
    db.put(order("ada", 1, expires_at=int(clock.now()) + 60))
    clock.advance(timedelta(minutes=2))
    pattern = shop.OrderById(customer_id="ada", order_id="001")
    with pytest.raises(errors.DoesNotExist):
        db.get_or_raise(pattern)
    assert db.get_or_raise(pattern, include_expired=True).order_id == "001"


def test_other_errors_are_not_replaced(db: Any) -> None:
    db.put(ADA)
    db.put(ADA.changed(customer_id="eve"))
    with pytest.raises(errors.SeveralFound):
        db.get_or_raise(shop.CustomerByEmail(email="ada@example.org"), otherwise=NoSuchCustomer)


def test_a_pattern_that_returns_a_page_is_rejected(db: Any) -> None:
    with pytest.raises(errors.UsageError, match="get_or_raise takes a Get or a Find"):
        db.get_or_raise(shop.OrdersOf(customer_id="ada"))
