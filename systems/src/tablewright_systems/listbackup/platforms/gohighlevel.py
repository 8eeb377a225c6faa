"""GoHighLevel, API version 2: contacts by search with changed-since, orders and products by offset.

A source belongs to one location; its id comes with the OAuth tokens, or from the connection's metadata. Orders and
products cannot be limited by time of change there, so they are read whole and compared by `updatedAt`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from tablewright_systems.listbackup.platforms.http_client import PlatformRequest, RecordNotFound, read_request
from tablewright_systems.listbackup.platforms.protocol import (
    PlatformCredentials,
    Record,
    RecordPage,
    RequestRejected,
)
from tablewright_systems.listbackup.platforms.reader import (
    PAGE_SIZE,
    PageScope,
    PlatformApi,
    Send,
    WriteScope,
    format_time,
    offset_page,
    path_of,
    records_of,
)

VERSION = "2021-07-28"
_READ_ONLY = {"id", "_id", "dateAdded", "dateUpdated", "createdAt", "updatedAt", "searchAfter", "locationId"}


class GoHighLevel(PlatformApi):
    """The API of GoHighLevel (LeadConnector)."""

    name = "gohighlevel"
    base_url = "https://services.leadconnectorhq.com"
    authorize_url = "https://marketplace.gohighlevel.com/oauth/chooselocation"
    token_url = "https://services.leadconnectorhq.com/oauth/token"
    oauth_scope = "contacts.readonly contacts.write products.readonly products.write payments/orders.readonly"
    token_fields: ClassVar[Mapping[str, str]] = {"user_type": "Location"}
    needs_account = True

    def headers(self, credentials: PlatformCredentials) -> dict[str, str]:
        """Return a bearer token: an access token and a private integration token are sent in the same way."""
        return {"authorization": f"Bearer {credentials.secret}", "version": VERSION}

    def read(self, send: Send, scope: PageScope) -> RecordPage:
        """Read one page of a location."""
        location = _require_location(scope.account)
        if scope.data_type == "contacts":
            return _search_contacts(send, scope, location)
        if scope.data_type == "orders":
            query: dict[str, Any] = {"altId": location, "altType": "location"}
            path, rows = "/payments/orders", "data"
        else:
            query, path, rows = {"locationId": location}, "/products/", "products"
        page = send(read_request(path, **query, limit=PAGE_SIZE, offset=scope.offset))
        return offset_page(records_of(page[rows], "_id", "updatedAt", "createdAt"), scope)

    def write(self, send: Send, record: Record, scope: WriteScope) -> str:
        """Update or create a contact or a product. GoHighLevel has no API that creates an order."""
        if scope.data_type == "orders":
            raise RequestRejected("gohighlevel: an order cannot be created through its API")
        body = {name: value for name, value in record.data.items() if name not in _READ_ONLY}
        if scope.restore.is_foreign:
            reply = _create(send, scope, body)
        else:
            try:
                reply = send(PlatformRequest("PUT", path_of(scope.data_type, record.id), json=body))
            except RecordNotFound:
                reply = _create(send, scope, body)
        written = reply.get("contact", reply)
        return str(written.get("id") or written["_id"])


def _create(send: Send, scope: WriteScope, body: dict[str, Any]) -> Any:
    """Create a record; a contact with the same address is updated instead, as the settings of the location say."""
    path = "/contacts/upsert" if scope.data_type == "contacts" else f"/{scope.data_type}/"
    created = {**body, "locationId": _require_location(scope.account)}
    return send(PlatformRequest("POST", path, json=created))


def _search_contacts(send: Send, scope: PageScope, location: str) -> RecordPage:
    """Search contacts by time of change, oldest first; the position is the id pair of the last one."""
    body: dict[str, Any] = {
        "locationId": location,
        "pageLimit": PAGE_SIZE,
        "sort": [{"field": "dateUpdated", "direction": "asc"}],
    }
    if scope.since is not None:
        changed = {"gte": format_time(scope.since)}
        body["filters"] = [{"field": "dateUpdated", "operator": "range", "value": changed}]
    if scope.position is not None:
        time, _, last_id = scope.position.partition(":")
        if not time.isdecimal() or not last_id:
            raise RequestRejected(f"{scope.position!r} is not a position of contacts")
        body["searchAfter"] = [int(time), last_id]
    page = send(PlatformRequest("POST", "/contacts/search", json=body, is_read=True))
    rows = page["contacts"]
    is_full = len(rows) >= PAGE_SIZE
    after = ":".join(str(part) for part in rows[-1]["searchAfter"]) if is_full else None
    return RecordPage(records_of(rows, "id", "dateUpdated", "dateAdded"), after)


def _require_location(account: str | None) -> str:
    if not account:
        raise RequestRejected(
            "gohighlevel: the connection has no location; set metadata.accountId of the connection to its id"
        )
    return account
