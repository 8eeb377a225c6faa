"""A fake of Stripe's API, version 1, with its event log."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import httpx

from tablewright_systems.listbackup.fakes import fake_platform
from tablewright_systems.listbackup.fakes.fake_platform import (
    ACCOUNT,
    FakePlatform,
    Reply,
    Row,
    form_of,
)
from tablewright_systems.listbackup.platforms.webhooks import WebhookRequest, stripe_signature

KINDS = {"customers": "contacts", "payment_intents": "orders", "products": "products"}
EVENT_LOG = timedelta(days=30)
MAX_LIMIT = 100


class FakeStripe(FakePlatform):
    """Stripe: lists newest first, `starting_after`, form-encoded writes, events."""

    name = "stripe"

    def __init__(self, now: Callable[[], datetime], size: int = 240) -> None:
        super().__init__(_records(now(), size), now)
        self.events: list[Row] = []
        """The event log, newest first."""

    def token_extras(self) -> Row:
        """Return the id of the connected account."""
        return {"stripe_user_id": ACCOUNT, "livemode": False}

    def changed_now(self, data_type: str) -> Row:
        """Return the time of change, which only products have."""
        return {"updated": int(self.now().timestamp())} if data_type == "products" else {}

    def change(self, data_type: str, record_id: str, **changes: Any) -> Row:
        """Change a record, and log the event."""
        row = super().change(data_type, record_id, **changes)
        self._log("updated", row)
        return row

    def delete(self, data_type: str, record_id: str) -> None:
        """Delete a record, and log the event."""
        self._log("deleted", self.records[data_type].pop(record_id))

    def delivery(self, event_id: str, secret: str = "") -> WebhookRequest:
        """Return the delivery of a changed customer, signed with the secret of the endpoint."""
        body = json.dumps({"id": event_id, "object": "event", "type": "customer.updated"}).encode()
        return WebhookRequest(body, {"stripe-signature": stripe_signature(secret, body, self.now())})

    def serve(self, method: str, path: str, query: Mapping[str, str], request: httpx.Request) -> Reply:
        """Return a list, an event log, or the changed or created record."""
        kind, _, record_id = path.strip("/").partition("/")
        if kind == "events":
            return self._list_events(query)
        data_type = KINDS.get(kind, "")
        if data_type not in self.records or (data_type == "orders" and method != "GET"):
            return _error("resource_missing", "Unrecognized request URL", 404)
        rows = self.records[data_type]
        if method == "GET" and not record_id:
            ordered = sorted(rows.values(), key=lambda row: (row["created"], row["id"]), reverse=True)
            return _page(ordered, query)
        if method == "POST" and not record_id:
            return Reply(self._create(data_type, form_of(request)))
        if record_id not in rows:
            return _error("resource_missing", f"No such {kind}: '{record_id}'", 404)
        changed = (
            self.change(data_type, record_id, **form_of(request)) if method == "POST" else rows[record_id]
        )
        return Reply(changed)

    def _create(self, data_type: str, fields: Mapping[str, str]) -> Row:
        kind = {"contacts": ("cus", "customer"), "products": ("prod", "product")}[data_type]
        row: Row = {**fields, "id": f"{kind[0]}_new{len(self.records[data_type])}", "object": kind[1]}
        row |= {"created": int(self.now().timestamp()), **self.changed_now(data_type)}
        self.records[data_type][row["id"]] = row
        self._log("created", row)
        return row

    def _list_events(self, query: Mapping[str, str]) -> Reply:
        since = max(int(query.get("created[gte]", 0)), int((self.now() - EVENT_LOG).timestamp()))
        group = query.get("type", "").removesuffix("*")
        events = [
            event for event in self.events if event["created"] >= since and event["type"].startswith(group)
        ]
        return _page(events, query)

    def _log(self, verb: str, row: Row) -> None:
        event = {"object": "event", "type": f"{row['object']}.{verb}", "created": int(self.now().timestamp())}
        self.events.insert(0, {**event, "id": f"evt_{len(self.events) + 1:06}", "data": {"object": row}})


def _page(rows: list[Row], query: Mapping[str, str]) -> Reply:
    limit = int(query.get("limit", 10))
    if not 0 < limit <= MAX_LIMIT:
        return _error("parameter_invalid_integer", f"limit must be at most {MAX_LIMIT}", 400)
    ids = [row["id"] for row in rows]
    after = query.get("starting_after")
    if after is not None and after not in ids:
        return _error("resource_missing", f"No such object: '{after}'", 400)
    start = ids.index(after) + 1 if after is not None else 0
    page = rows[start : start + limit]
    return Reply({"object": "list", "data": page, "has_more": start + limit < len(rows)})


def _error(code: str, message: str, status: int) -> Reply:
    return Reply({"error": {"message": message, "code": code, "type": "invalid_request_error"}}, status)


def _records(now: datetime, size: int) -> dict[str, dict[str, Row]]:
    contacts, orders, products = {}, {}, {}
    for number, at in enumerate(fake_platform.times(size, now, "stripe"), 1):
        first, last, email, country = fake_platform.person(number)
        row: Row = {"id": f"cus_{number:04}", "object": "customer", "name": f"{first} {last}", "email": email}
        contacts[row["id"]] = {**row, "address": {"country": country}, "created": int(at.timestamp())}
    for number, at in enumerate(fake_platform.times(size // 2, now, "stripe-orders"), 1):
        cents = fake_platform.product(number % 12 + 1)[1]
        row = {"id": f"pi_{number:04}", "object": "payment_intent", "amount": cents, "currency": "eur"}
        customer = f"cus_{number % size + 1:04}"
        orders[row["id"]] = {
            **row,
            "status": "succeeded",
            "customer": customer,
            "created": int(at.timestamp()),
        }
    for number, at in enumerate(fake_platform.times(12, now, "stripe-products"), 1):
        row = {"id": f"prod_{number:04}", "object": "product", "name": fake_platform.product(number)[0]}
        created = int(at.timestamp())
        products[row["id"]] = {**row, "active": True, "created": created, "updated": created}
    return {"contacts": contacts, "orders": orders, "products": products}
