"""Stripe, API version 1: cursor paging, changes from the event log, OAuth (Connect) or a secret key.

Contacts are customers, orders are payment intents. Lists of Stripe can be limited by creation only, so changes are
read from its event log, newest first, one event for each record. The log holds 30 days; an older `since`, or more
events than `MAX_EVENT_PAGES` pages, means a full read.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from tablewright_systems.listbackup.platforms.http_client import PlatformRequest, RecordNotFound, read_request
from tablewright_systems.listbackup.platforms.protocol import (
    PlatformCredentials,
    Record,
    RecordPage,
    RequestRejected,
)
from tablewright_systems.listbackup.platforms.reader import (
    OVERLAP,
    PAGE_SIZE,
    PageScope,
    PlatformApi,
    Send,
    WriteScope,
    parse_time,
    path_of,
)

EVENT_LOG = timedelta(days=29)
"""A day less than the log holds, so that a read never meets its end."""
MAX_EVENT_PAGES = 20
VERSION = "2024-06-20"

_PATHS = {"contacts": "customers", "orders": "payment_intents", "products": "products"}
_EVENTS = {"contacts": "customer.*", "orders": "payment_intent.*", "products": "product.*"}
_OBJECTS = {"contacts": "customer", "orders": "payment_intent", "products": "product"}
_WRITABLE = {
    "contacts": ("name", "email", "phone", "description", "address", "shipping", "metadata"),
    "products": ("name", "description", "active", "url", "metadata"),
}


class Stripe(PlatformApi):
    """The API of Stripe."""

    name = "stripe"
    base_url = "https://api.stripe.com/v1"
    authorize_url = "https://connect.stripe.com/oauth/authorize"
    token_url = "https://connect.stripe.com/oauth/token"
    oauth_scope = "read_write"

    def headers(self, credentials: PlatformCredentials) -> dict[str, str]:
        """Return a bearer token: an access token and a secret key are sent in the same way."""
        return {"authorization": f"Bearer {credentials.secret}", "stripe-version": VERSION}

    def read(self, send: Send, scope: PageScope) -> RecordPage:
        """Read the changes since a time, or one page of all records."""
        if scope.position is None and scope.since is not None and scope.since >= scope.now - EVENT_LOG:
            changes = _changes(send, scope.data_type, scope.since)
            if changes is not None:
                return RecordPage(changes)
        page = _list(send, f"/{_PATHS[scope.data_type]}", scope.position)
        # A list does not say when a record changed: each is returned, whatever the time range.
        records = [Record(row["id"], parse_time(row.get("updated")), row) for row in page["data"]]
        last = ",".join(record.id for record in reversed(records[-OVERLAP:]))
        return RecordPage(records, last if page["has_more"] and records else None)

    def write(self, send: Send, record: Record, scope: WriteScope) -> str:
        """Update or create a customer or a product. A payment cannot be restored."""
        kind, restore = scope.data_type, scope.restore
        if kind not in _WRITABLE:
            raise RequestRejected("stripe: orders are payments, and a payment cannot be restored")
        form = form_fields({name: record.data[name] for name in _WRITABLE[kind] if record.data.get(name)})
        key = {"idempotency-key": f"{restore.restore_id}-{record.id}"} if restore.restore_id else {}
        create = PlatformRequest("POST", path_of(_PATHS[kind]), form=form, headers=key)
        if restore.is_foreign:
            return str(send(create)["id"])
        try:
            return str(send(PlatformRequest("POST", path_of(_PATHS[kind], record.id), form=form))["id"])
        except RecordNotFound:
            return str(send(create)["id"])


def _list(send: Send, path: str, position: str | None) -> Any:
    """Read the page after a record. The position has some ids more, because the last record may be deleted by now."""
    last, _, others = (position or "").partition(",")
    try:
        return send(read_request(path, limit=PAGE_SIZE, starting_after=last or None))
    except RequestRejected:
        if not others:
            raise
    return _list(send, path, others)


def form_fields(fields: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Return nested fields as Stripe's form encoding.

    >>> form_fields({"name": "Ada", "address": {"city": "London"}, "active": True})
    {'name': 'Ada', 'address[city]': 'London', 'active': 'true'}
    """
    flat: dict[str, str] = {}
    for name, value in fields.items():
        key = f"{prefix}[{name}]" if prefix else name
        if isinstance(value, Mapping):
            flat |= form_fields(value, key)
        elif value is not None:
            flat[key] = str(value).lower() if isinstance(value, bool) else str(value)
    return flat


def _changes(send: Send, data_type: str, since: datetime) -> list[Record] | None:
    """Return the newest state of each record that changed since a time; None if there are too many events."""
    records: dict[str, Record] = {}
    last: str | None = None
    for _ in range(MAX_EVENT_PAGES):
        query = {"type": _EVENTS[data_type], "created[gte]": int(since.timestamp()), "starting_after": last}
        page = send(read_request("/events", limit=PAGE_SIZE, **query))
        for event in page["data"]:
            row = event["data"]["object"]
            if row.get("object") == _OBJECTS[data_type]:
                is_deleted = event["type"].endswith(".deleted")
                at = parse_time(event["created"])
                records.setdefault(row["id"], Record(row["id"], at, row, is_deleted))
        if not page["has_more"]:
            return list(records.values())
        last = page["data"][-1]["id"]
    return None
