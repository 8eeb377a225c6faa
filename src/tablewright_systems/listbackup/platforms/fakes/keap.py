"""A fake of Keap's REST API, version 1."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime

import httpx

from tablewright_systems.listbackup.platforms.fakes import sample_records
from tablewright_systems.listbackup.platforms.fakes.fake_platform import (
    FakePlatform,
    Reply,
    Row,
    json_of,
    not_found,
)
from tablewright_systems.listbackup.platforms.reader import format_time, parse_time
from tablewright_systems.listbackup.platforms.webhooks import WebhookRequest

MAX_LIMIT = 1000


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
        if method == "POST" and not record_id:
            created = {**json_of(request), "id": max(map(int, rows), default=0) + 1}
            rows[str(created["id"])] = {**created, **self.changed_now(data_type)}
            return Reply(created, 201)
        if record_id not in rows:
            return not_found()
        if method == "PATCH" and data_type != "orders":
            return Reply(self.change(data_type, record_id, **json_of(request)))
        return Reply(rows[record_id]) if method == "GET" else Reply({"message": "not allowed"}, 405)

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


def _records(now: datetime, size: int) -> dict[str, dict[str, Row]]:
    contacts, orders, products = {}, {}, {}
    for number, at in enumerate(sample_records.times(size, now, "keap"), 1):
        first, last, email, country = sample_records.person(number)
        contacts[str(number)] = {
            "id": number,
            "given_name": first,
            "family_name": last,
            "email_addresses": [{"email": email, "field": "EMAIL1"}],
            "addresses": [{"country_code": country, "field": "BILLING"}],
            "date_created": format_time(at),
            "last_updated": format_time(at),
        }
    for number, at in enumerate(sample_records.times(size // 2, now, "keap-orders"), 1):
        name, cents = sample_records.product(number % 12 + 1)
        orders[str(number)] = {
            "id": number,
            "title": f"Order of {name}",
            "status": "PAID" if number % 3 else "DRAFT",
            "total": cents / 100,
            "contact": {"id": number % size + 1},
            "creation_date": format_time(at),
            "modification_date": format_time(at),
        }
    for number in range(1, 13):
        name, cents = sample_records.product(number)
        products[str(number)] = {"id": number, "product_name": name, "product_price": cents / 100}
    return {"contacts": contacts, "orders": orders, "products": products}
