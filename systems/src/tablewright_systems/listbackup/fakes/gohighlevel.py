"""A fake of GoHighLevel's API, version 2."""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import datetime

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tablewright_systems.listbackup.fakes import fake_platform
from tablewright_systems.listbackup.fakes.fake_platform import (
    ACCOUNT,
    FakePlatform,
    Reply,
    Row,
    json_of,
    not_found,
)
from tablewright_systems.listbackup.platforms.reader import format_time, parse_time
from tablewright_systems.listbackup.platforms.webhooks import WebhookRequest

MAX_LIMIT = 100
_SIGNING_KEY = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"fake gohighlevel").digest())
WEBHOOK_KEY = _SIGNING_KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
"""The public key of the fake's webhooks."""


class FakeGoHighLevel(FakePlatform):
    """GoHighLevel: a location, a Version header, contacts by search, the rest by offset."""

    name = "gohighlevel"

    def __init__(self, now: Callable[[], datetime], size: int = 240) -> None:
        super().__init__(_records(now(), size), now)

    def token_extras(self) -> Row:
        """Return the location that was chosen."""
        return {"locationId": ACCOUNT, "userType": "Location"}

    def changed_now(self, data_type: str) -> Row:
        """Return the time of change."""
        return {"dateUpdated" if data_type == "contacts" else "updatedAt": format_time(self.now())}

    def delivery(self, event_id: str, secret: str = "") -> WebhookRequest:
        """Return the delivery of a changed contact; the secret of an endpoint is not used."""
        event = {"type": "ContactUpdate", "webhookId": event_id, "timestamp": format_time(self.now())}
        body = json.dumps({**event, "locationId": ACCOUNT}).encode()
        signature = base64.b64encode(_SIGNING_KEY.sign(body)).decode()
        return WebhookRequest(body, {"x-ghl-signature": signature})

    def serve(self, method: str, path: str, query: Mapping[str, str], request: httpx.Request) -> Reply:
        """Return a list, or the changed or created record."""
        if "version" not in request.headers:
            return Reply({"message": "version header was not found"}, 401)
        if method == "POST" and path == "/contacts/search":
            return self._search(json_of(request))
        if method == "POST" and path == "/contacts/upsert":
            return self._upsert(json_of(request))
        if method == "GET" and path == "/payments/orders":
            return self._list("orders", "data", query, query.get("altId"))
        if method == "GET" and path == "/products/":
            return self._list("products", "products", query, query.get("locationId"))
        data_type, _, record_id = path.strip("/").partition("/")
        if data_type not in ("contacts", "products"):
            return not_found()
        return self._write(method, data_type, record_id, json_of(request))

    def _write(self, method: str, data_type: str, record_id: str, body: Row) -> Reply:
        rows = self.records[data_type]
        if method == "POST" and not record_id and body.get("locationId") == ACCOUNT:
            record_id = f"new{len(rows)}"
            rows[record_id] = {"id" if data_type == "contacts" else "_id": record_id}
        if record_id not in rows:
            return not_found()
        row = self.change(data_type, record_id, **body)
        return Reply({"contact": row} if data_type == "contacts" else row)

    def _upsert(self, body: Row) -> Reply:
        """Change the contact with the same address, or create one."""
        email = body.get("email")
        existing = [
            key for key, row in self.records["contacts"].items() if email and row.get("email") == email
        ]
        return self._write("PUT" if existing else "POST", "contacts", existing[0] if existing else "", body)

    def _search(self, body: Row) -> Reply:
        if body.get("locationId") != ACCOUNT:
            return Reply({"message": "the token does not have access to this location"}, 403)
        rows = [{**row, "searchAfter": _sort_key(row)} for row in self.records["contacts"].values()]
        for condition in body.get("filters", []):
            since = parse_time(condition["value"]["gte"])
            assert since is not None
            rows = [row for row in rows if row["searchAfter"][0] >= int(since.timestamp() * 1000)]
        rows.sort(key=lambda row: row["searchAfter"])
        if "searchAfter" in body:
            rows = [row for row in rows if row["searchAfter"] > body["searchAfter"]]
        return Reply({"contacts": rows[: body.get("pageLimit", 20)], "total": len(rows)})

    def _list(self, data_type: str, name: str, query: Mapping[str, str], location: str | None) -> Reply:
        limit, offset = int(query.get("limit", 10)), int(query.get("offset", 0))
        if location != ACCOUNT or not 0 < limit <= MAX_LIMIT:
            return Reply({"message": "the location or the limit is not valid"}, 422)
        rows = list(self.records[data_type].values())
        return Reply({name: rows[offset : offset + limit], "total": len(rows)})


def _sort_key(row: Row) -> list[object]:
    at = parse_time(row["dateUpdated"])
    assert at is not None
    return [int(at.timestamp() * 1000), row["id"]]


def _records(now: datetime, size: int) -> dict[str, dict[str, Row]]:
    contacts, orders, products = {}, {}, {}
    for number, at in enumerate(fake_platform.times(size, now, "gohighlevel"), 1):
        first, last, email, country = fake_platform.person(number)
        row: Row = {"id": f"c{number:04}", "locationId": ACCOUNT, "firstName": first, "lastName": last}
        times = {"dateAdded": format_time(at), "dateUpdated": format_time(at)}
        contacts[row["id"]] = {**row, "email": email, "country": country, **times}
    for number, at in enumerate(fake_platform.times(size // 2, now, "gohighlevel-orders"), 1):
        cents = fake_platform.product(number % 12 + 1)[1]
        row = {"_id": f"o{number:04}", "altId": ACCOUNT, "amount": cents / 100, "currency": "EUR"}
        times = {"createdAt": format_time(at), "updatedAt": format_time(at)}
        orders[row["_id"]] = {**row, "contactId": f"c{number % size + 1:04}", **times}
    for number, at in enumerate(fake_platform.times(12, now, "gohighlevel-products"), 1):
        row = {"_id": f"p{number:04}", "locationId": ACCOUNT, "name": fake_platform.product(number)[0]}
        products[row["_id"]] = {**row, "createdAt": format_time(at), "updatedAt": format_time(at)}
    return {"contacts": contacts, "orders": orders, "products": products}
