"""Fixtures that the tests of reads share."""

from decimal import Decimal
from typing import Any

import pytest

from tests.access.shop import Customer, Status, order


@pytest.fixture
def ada(db: Any) -> Customer:
    """A customer with ten orders, the even ones paid."""
    customer = Customer(customer_id="ada", email="ada@example.org", name="Ada")
    db.put(customer)
    for number in range(10):
        status = Status.OPEN if number % 2 else Status.PAID
        db.put(order("ada", number, status=status, total=Decimal(number) / 2, tags=frozenset({"x", "y"})))
    return customer
