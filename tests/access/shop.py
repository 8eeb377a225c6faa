"""A design for the tests of reads: two entities in one partition, reserved names, numbers as keys, expiry."""

from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

from pydantic import BaseModel, Field

from tablewright import BatchGet, Copy, Design, Entity, Find, Get, Index, Keys, Query, Scan, Table, fields

main = Table(
    "shop-{env}-main",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),
        Index("by-email", "email"),
        Index("brief", "GSI2PK", "GSI2SK", projection="KEYS_ONLY"),
    ],
    ttl="expiresAt",
)
events = Table(
    "shop-{env}-events", key=("account", "timestamp#eventId"), types={"account": "N"}, discriminator="kind"
)


class Status(Enum):
    OPEN = "open"
    PAID = "paid"


class Address(BaseModel):
    street_name: str
    zip_code: str = Field(alias="zipCode")
    model_config = {"populate_by_name": True}


class Customer(Entity, table=main, type="CUSTOMER"):
    customer_id: str
    email: str
    name: str = "unknown"
    address: Address | None = None
    keys = Keys(primary=("CUSTOMER#{customer_id}", "PROFILE"))


class Order(Entity, table=main, type="ORDER"):
    customer_id: str
    order_id: str
    status: Status = Status.OPEN
    total: Decimal = Decimal(0)
    placed_at: fields.Timestamp = Field(default_factory=lambda: datetime.fromisoformat("2026-05-01T08:00Z"))
    tags: frozenset[str] = frozenset()
    photo: bytes | None = None
    size: int | None = None
    expires_at: Annotated[int | None, fields.Ttl()] = None
    keys = Keys(
        primary=("CUSTOMER#{customer_id}", "ORDER#{order_id}"),
        GSI1=("STATUS#{status}", "{placed_at}#{order_id}"),
        brief=("STATUS#{status}", "ORDER#{order_id}"),
    )


class Chat(Entity, table=main, type="CHAT"):
    chat_id: str
    members: list[str]
    keys = Keys(primary=("CHAT#{chat_id}", "CHAT"))
    seats = Copy(
        each="members",
        name="member",
        primary=("CHAT#{chat_id}", "MEMBER#{member}"),
        GSI1=("MEMBER#{member}", "CHAT#{chat_id}"),
    )


class Event(Entity, table=events):
    account: int
    event: Annotated[str, Field(alias="timestamp#eventId")]
    note: str = ""


class CustomerById(Get[Customer]):
    """Get a customer by ID."""

    customer_id: str


class CustomerByEmail(Find[Customer]):
    email: str
    index = "by-email"


class CustomerWithOrders(Query[Customer | Order]):
    """A customer and all orders, in one read."""

    customer_id: str
    key = "PK = CUSTOMER#{customer_id}"


class OrderById(Get[Order]):
    customer_id: str
    order_id: str
    consistent = True


class OrdersOf(Query[Order]):
    customer_id: str


class LatestOrdersOf(Query[Order]):
    customer_id: str
    key = "PK = CUSTOMER#{customer_id} AND begins_with(SK, ORDER#)"
    descending = True
    page_size = 3


class OrdersByStatus(Query[Order]):
    """List orders by status."""

    status: Status
    key = "GSI1PK = STATUS#{status}"
    expected_items = 50


class OrdersPlaced(Query[Order]):
    status: Status
    start: fields.Timestamp
    end: fields.Timestamp
    key = "GSI1PK = STATUS#{status} AND GSI1SK BETWEEN {start} AND {end}"


class BigOrdersOf(Query[Order]):
    customer_id: str
    least: Decimal
    sizes: int
    key = "PK = CUSTOMER#{customer_id} AND begins_with(SK, ORDER#)"
    filter = "total >= {least} AND (size(tags) > {sizes} OR attribute_not_exists(photo))"


class CustomersIn(Scan[Customer]):
    zip_code: str
    filter = "address.zip_code = {zip_code}"


class AllCustomers(Scan[Customer]):
    pass


class ManyOrders(BatchGet[Order]):
    customer_id: str
    order_id: list[str]


class OrderTotals(Query[Order]):
    customer_id: str
    fields = ("order_id", "total")


class ChatsOf(Query[Chat]):
    member: str
    key = "GSI1PK = MEMBER#{member}"


class ChatById(Query[Chat]):
    chat_id: str
    key = "PK = CHAT#{chat_id}"


class EventsOf(Query[Event]):
    account: int
    start: str
    key = "account = {account} AND timestamp#eventId >= {start}"


class EventById(Get[Event]):
    account: int
    event: str


def gather() -> Design:
    """The design with all entities and patterns of this module."""
    import sys

    return Design.of(sys.modules[__name__], "shop")


def order(customer: str, number: int, **more: Any) -> Order:
    """An order; its number is the minute of its time."""
    placed = datetime.fromisoformat(f"2026-05-01T08:{number % 60:02}Z")
    return Order(customer_id=customer, order_id=f"{number:03}", placed_at=placed, **more)
