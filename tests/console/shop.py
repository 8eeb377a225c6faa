"""A small design for tests of the console: a unique field, a copy, a version, a sparse index, a secret."""

from typing import Annotated, Any

from tablewright import (
    Clock,
    Copy,
    Design,
    Entity,
    Get,
    Index,
    Keys,
    Query,
    Sparse,
    Table,
    connect,
    fields,
    keyrings,
)
from tablewright.console.open_designs import OpenDesign

main = Table(
    "shop",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "GSI2PK", projection="KEYS_ONLY")],
    stream="NEW_AND_OLD_IMAGES",
    point_in_time_recovery=True,
)


class Customer(Entity, table=main, type="CUSTOMER"):
    """A customer."""

    customer_id: str
    email: Annotated[str, fields.Unique()]
    name: str
    level: int = 0
    note: str | None = None
    token: Annotated[str | None, fields.Encrypted()] = None
    version: Annotated[int, fields.Version()] = 0

    keys = Keys(primary=("CUSTOMER#{customer_id}", "PROFILE"))


class Order(Entity, table=main, type="ORDER"):
    """An order of a customer."""

    customer_id: str
    order_id: str
    status: str
    total: int

    keys = Keys(
        primary=("CUSTOMER#{customer_id}", "ORDER#{order_id}"),
        GSI1=("STATUS#{status}", "{order_id}"),
        GSI2=Sparse("OPEN#{order_id}", when={"status": "open"}),
    )
    listing = Copy(primary=("ORDERS", "{order_id}"))


class CustomerById(Get[Customer]):
    """A customer by its ID."""

    customer_id: str


class OrdersOfCustomer(Query[Order]):
    """The orders of a customer."""

    customer_id: str
    key = "PK = CUSTOMER#{customer_id} AND begins_with(SK, ORDER#)"


design = Design("shop", entities=[Customer, Order], patterns=[CustomerById, OrdersOfCustomer])


def open_shop(
    clock: Clock | None = None,
    *,
    writable: bool = True,
    reveal: bool = False,
    token: str | None = "s3cret",
    **options: Any,
) -> OpenDesign:
    """Open the shop in memory, with a customer that has two orders."""
    db = connect(design, secrets=keyrings.MemoryKeys(), clock=clock, **options)
    db.create(Customer(customer_id="c1", email="ada@example.com", name="Ada", token=token))
    db.create(Order(customer_id="c1", order_id="o1", status="open", total=10))
    db.create(Order(customer_id="c1", order_id="o2", status="paid", total=20))
    return OpenDesign(db, "Shop", "memory", "tests.console.shop:design", writable, reveal)
