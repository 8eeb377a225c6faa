"""A fake of Keap's REST API, version 1."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime

import httpx

from tablewright_systems.listbackup.fakes import fake_platform
from tablewright_systems.listbackup.fakes.fake_platform import (
    FakePlatform,
    Reply,
    Row,
    json_of,
    not_found,
)
from tablewright_systems.listbackup.platforms.reader import format_time, parse_time
from tablewright_systems.listbackup.platforms.webhooks import WebhookRequest

MAX_LIMIT = 1000
NEW_ORDER = {"contact_id", "order_title", "order_date", "order_type", "order_items"}
"""What the request of a new order has; a stored order has other names."""


class FakeKeap(FakePlatform):
    """Keap: numeric ids, offset paging, `since` for contacts."""

    name = "keap"

    def __init__(self, now: Callable[[], datetime], size: int = 240) -> None:
        super().__init__(_records(now(), size), now)

    def presented_secret(self, request: httpx.Request) -> str:
        """Return the bearer token, or the API key."""
        key = request.headers.get("x-keap-api-key")
        return key if key is not None else super().presented_secret(request)

    def changed_now(self, data_type: str) -> Row:
        """Return the time of change; products have none."""
        names = {"contacts": "last_updated", "orders": "modification_date"}
        return {names[data_type]: format_time(self.now())} if data_type in names else {}

    def delivery(self, event_id: str, secret: str = "") -> WebhookRequest:
        """Return the delivery of a changed contact; the secret is the token in the URL."""
        changed = [{"id": event_id, "apiUrl": "", "timestamp": format_time(self.now())}]
        event = {"event_key": "contact.edit", "object_type": "contact", "object_keys": changed}
        return WebhookRequest(json.dumps(event).encode(), query={"token": secret})

    def serve(self, method: str, path: str, query: Mapping[str, str], request: httpx.Request) -> Reply:
        """Return a list, one record, or the changed or created record."""
        data_type, _, record_id = path.strip("/").partition("/")
        if data_type not in self.records:
            return not_found()
        rows = self.records[data_type]
        if method == "GET" and not record_id:
            return self._list(data_type, query)
        if method == "PUT" and path == "/contacts":
            return self._upsert(json_of(request))
        if method == "POST" and not record_id:
            return self._create(data_type, json_of(request))
        if record_id not in rows:
            return not_found()
        if method == "PATCH" and data_type != "orders":
            return Reply(self.change(data_type, record_id, **json_of(request)))
        return Reply(rows[record_id]) if method == "GET" else Reply({"message": "not allowed"}, 405)

    def _upsert(self, body: Row) -> Reply:
        """Change the contact with the same address, or create one."""
        if body.pop("duplicate_option", None) != "Email" or not body.get("email_addresses"):
            return Reply({"message": "duplicate_option and an address are required"}, 400)
        wanted = _addresses(body)
        for record_id, row in self.records["contacts"].items():
            if wanted & _addresses(row):
                return Reply(self.change("contacts", record_id, **body))
        return self._create("contacts", body)

    def _create(self, data_type: str, body: Row) -> Reply:
        if data_type == "orders":
            missing = sorted(NEW_ORDER - body.keys())
            if missing or not body["order_items"] or body["contact_id"] not in self._contact_ids():
                return Reply(
                    {"message": f"the order lacks {', '.join(missing) or 'items or a contact'}"}, 400
                )
            body = _order_of(body)
        rows = self.records[data_type]
        created = {**body, "id": max(map(int, rows), default=0) + 1}
        rows[str(created["id"])] = {**created, **self.changed_now(data_type)}
        return Reply(created, 201)

    def _contact_ids(self) -> set[int]:
        return set(map(int, self.records["contacts"]))

    def _list(self, data_type: str, query: Mapping[str, str]) -> Reply:
        limit, offset = int(query.get("limit", 100)), int(query.get("offset", 0))
        if not 0 < limit <= MAX_LIMIT:
            return Reply({"message": f"limit must be at most {MAX_LIMIT}"}, 400)
        rows = sorted(self.records[data_type].values(), key=lambda row: int(row["id"]))
        if "since" in query and data_type == "contacts":
            since = parse_time(query["since"])
            assert since is not None
            rows = [row for row in rows if (parse_time(row["last_updated"]) or since) >= since]
        return Reply(
            {data_type: rows[offset : offset + limit], "count": len(rows), "next": "", "previous": ""}
        )


def _addresses(contact: Row) -> set[str]:
    return {address["email"] for address in contact.get("email_addresses", [])}


def _order_of(request: Row) -> Row:
    """Return the order that a request creates, in the shape in which orders are read."""
    items = [{**item, "product": {"id": item.pop("product_id")}} for item in request["order_items"]]
    return {
        "title": request["order_title"],
        "status": "DRAFT",
        "total": sum(item["price"] * item["quantity"] for item in items),
        "contact": {"id": request["contact_id"]},
        "creation_date": request["order_date"],
        "order_items": items,
    }


def _records(now: datetime, size: int) -> dict[str, dict[str, Row]]:
    contacts, orders, products = {}, {}, {}
    for number, at in enumerate(fake_platform.times(size, now, "keap"), 1):
        first, last, email, country = fake_platform.person(number)
        contacts[str(number)] = {
            "id": number,
            "given_name": first,
            "family_name": last,
            "email_addresses": [{"email": email, "field": "EMAIL1"}],
            "addresses": [{"country_code": country, "field": "BILLING"}],
            "date_created": format_time(at),
            "last_updated": format_time(at),
        }
    for number, at in enumerate(fake_platform.times(size // 2, now, "keap-orders"), 1):
        name, cents = fake_platform.product(number % 12 + 1)
        orders[str(number)] = {
            "id": number,
            "title": f"Order of {name}",
            "status": "PAID" if number % 3 else "DRAFT",
            "total": cents / 100,
            "contact": {"id": number % size + 1},
            "order_items": [
                {"name": name, "quantity": 1, "price": cents / 100, "product": {"id": number % 12 + 1}}
            ],
            "creation_date": format_time(at),
            "modification_date": format_time(at),
        }
    for number in range(1, 13):
        name, cents = fake_platform.product(number)
        products[str(number)] = {"id": number, "product_name": name, "product_price": cents / 100}
    return {"contacts": contacts, "orders": orders, "products": products}
