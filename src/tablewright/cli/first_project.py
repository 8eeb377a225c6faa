"""The files that `tablewright init` writes: a design, its tests, settings for pytest, a CI workflow and a README.

In each text, PACKAGE is the name of the package, and ROOT the folder that it is in: `.` or `src`.
"""

DESIGN = '''\
"""The design of PACKAGE: its table, entities and access patterns."""

from enum import Enum
from typing import Annotated

from tablewright import Design, Entity, Find, Get, Index, Keys, Query, Table, fields

main = Table(
    "PACKAGE-{env}",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK", "GSI1SK")],
)


class Status(Enum):
    """The states of an order."""

    OPEN = "open"
    PAID = "paid"
    SHIPPED = "shipped"


class Customer(Entity, table=main, type="CUSTOMER"):
    """A customer; no two customers have the same e-mail address."""

    customer_id: str = fields.new_id()
    name: str
    email: Annotated[str, fields.Unique()]
    created_at: fields.Timestamp = fields.now()
    keys = Keys(
        primary=("CUSTOMER#{customer_id}", "PROFILE"),
        GSI1=("EMAIL#{email}", "CUSTOMER"),
    )


class Order(Entity, table=main, type="ORDER"):
    """An order, in the partition of its customer."""

    customer_id: str
    order_id: str = fields.new_id()
    total: int
    status: Status = Status.OPEN
    created_at: fields.Timestamp = fields.now()
    keys = Keys(
        primary=("CUSTOMER#{customer_id}", "ORDER#{order_id}"),
        GSI1=("STATUS#{status}#{created_at:%Y-%m}", "{created_at}#{order_id}"),
    )


class CustomerById(Get[Customer]):
    """Get a customer."""

    customer_id: str


class CustomerByEmail(Find[Customer]):
    """Find a customer by e-mail address."""

    email: str
    key = "GSI1PK = EMAIL#{email}"


class CustomerWithOrders(Query[Customer | Order]):
    """A customer and all orders, in one read."""

    customer_id: str
    key = "PK = CUSTOMER#{customer_id}"


class OrdersByStatus(Query[Order]):
    """The orders of a month in one status, the newest first."""

    status: Status
    created_at: fields.Timestamp
    key = "GSI1PK = STATUS#{status}#{created_at:%Y-%m}"
    descending = True


design = Design(
    "PACKAGE",
    entities=[Customer, Order],
    patterns=[CustomerById, CustomerByEmail, CustomerWithOrders, OrdersByStatus],
)
'''

TESTS = '''\
"""The design works: each test has an empty database of its own, in memory."""

from datetime import timedelta

import pytest
from tablewright import Clock, Repository, errors

from PACKAGE.design import (
    Customer,
    CustomerByEmail,
    CustomerById,
    CustomerWithOrders,
    Order,
    OrdersByStatus,
    Status,
)


@pytest.fixture
def ada(db: Repository) -> Customer:
    """Create a customer."""
    return db.create(Customer(name="Ada", email="ada@example.org"))


def test_a_customer_is_found_by_id_and_by_email(db: Repository, ada: Customer) -> None:
    """Both patterns return the customer."""
    assert db.run(CustomerById(customer_id=ada.customer_id)) == ada
    assert db.run(CustomerByEmail(email="ada@example.org")) == ada
    assert db.run(CustomerByEmail(email="bob@example.org")) is None


def test_an_email_address_belongs_to_one_customer(
    db: Repository, ada: Customer
) -> None:
    """The error names the field."""
    with pytest.raises(errors.UniqueViolation, match="email"):
        db.create(Customer(name="Eve", email=ada.email))


def test_a_customer_and_the_orders_are_one_read(db: Repository, ada: Customer) -> None:
    """They share a partition."""
    order = db.create(Order(customer_id=ada.customer_id, total=20))
    page = db.run(CustomerWithOrders(customer_id=ada.customer_id))
    assert sorted(type(entity).__name__ for entity in page) == ["Customer", "Order"]
    assert order in page


def test_a_paid_order_changes_its_list(db: Repository, ada: Customer) -> None:
    """The update also writes the key in the index."""
    order = db.create(Order(customer_id=ada.customer_id, total=20))
    db.update(order, set={"status": Status.PAID}, when=Order.status == Status.OPEN)
    month = order.created_at
    assert not db.run(OrdersByStatus(status=Status.OPEN, created_at=month))
    assert len(db.run(OrdersByStatus(status=Status.PAID, created_at=month))) == 1


def test_the_newest_order_is_first(
    db: Repository, db_clock: Clock, ada: Customer
) -> None:
    """The test moves the clock; nothing sleeps."""
    db_clock.freeze(1_900_000_000)
    old = db.create(Order(customer_id=ada.customer_id, total=1))
    db_clock.advance(timedelta(hours=1))
    new = db.create(Order(customer_id=ada.customer_id, total=2))
    page = db.run(OrdersByStatus(status=Status.OPEN, created_at=new.created_at))
    assert [order.order_id for order in page] == [new.order_id, old.order_id]
'''

PYTEST_SETTINGS = """\
[tool.pytest.ini_options]
tablewright_design = "PACKAGE.design:design"
pythonpath = ["ROOT"]
"""

PYPROJECT = """\
[project]
name = "PACKAGE"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["tablewright"]

[dependency-groups]
dev = ["pytest>=8"]

"""

WORKFLOW = """\
name: design

on: [push, pull_request]

permissions:
  contents: read

jobs:
  check:
    runs-on: ubuntu-latest
    env:
      PYTHONPATH: ROOT
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: python -m pip install tablewright pytest
      - run: tablewright check PACKAGE.design:design --format github
      - run: python -m pytest
"""

README = """\
# PACKAGE

The DynamoDB design is in [DESIGN](DESIGN), its tests in [TESTS](TESTS).

    tablewright check PACKAGE.design:design
    python -m pytest
    tablewright generate docs PACKAGE.design:design

On this machine, in the file `tablewright.db`, without an AWS account or a server:

    tablewright deploy PACKAGE.design:design --env dev
    tablewright generate samples PACKAGE.design:design --env dev --on tablewright.db
    tablewright console PACKAGE.design:design --env dev

On AWS:

    tablewright deploy PACKAGE.design:design --on aws:eu-north-1 --env main
"""
