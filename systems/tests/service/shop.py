"""A small design for the tests of the shared services: orders, counters and outbox messages."""

from typing import Annotated

from tablewright_systems.service import OutboxMessage

from tablewright import Design, Entity, Get, Keys, Query, Table, fields

table = Table("Shop", ("PK", "SK"))


class Order(Entity, table=table, type="Order"):
    order_id: str
    status: str = "new"
    note: str | None = None
    lease_id: str | None = None
    leased_until: fields.Timestamp | None = None
    keys = Keys(primary=("ORDER#{order_id}", "ORDER"))


class OrderById(Get[Order]):
    order_id: str
    consistent = True


class Requests(Entity, table=table, type="Requests"):
    subject: str
    window: fields.Timestamp
    used: Annotated[int, fields.Counter()] = 0
    keys = Keys(primary=("REQUESTS#{subject}", "WINDOW#{window}"))


class RequestsInWindow(Get[Requests]):
    subject: str
    window: fields.Timestamp
    consistent = True


class Mailing(OutboxMessage, table=table, type="Mailing"):
    recipients: list[str]
    keys = Keys(primary=("OUTBOX", "MESSAGE#{message_id}"))


class Mailings(Query[Mailing]):
    key = "PK = OUTBOX, begins_with(SK, 'MESSAGE#')"
    consistent = True


class Letter(Entity, table=table, type="Letter"):
    recipient: str
    mailing_id: str
    keys = Keys(primary=("LETTER#{recipient}", "MAILING#{mailing_id}"))


class LettersOf(Query[Letter]):
    recipient: str
    key = "PK = LETTER#{recipient}, begins_with(SK, 'MAILING#')"


design = Design(
    "shop",
    entities=[Order, Requests, Mailing, Letter],
    patterns=[OrderById, RequestsInWindow, Mailings, LettersOf],
)
