"""Keap, REST API version 1: offset paging, contacts by time of change, OAuth or a personal access token.

Contacts can be read since a time. Orders are read whole and compared by `modification_date`; products have no time of
change, so every read returns them all. Ordered by id, records that change during a read keep their place.

Every account of Keap numbers its records from 1, so the id of a foreign record names another record.
"""

from collections.abc import Mapping
from typing import Any

from tablewright_systems.listbackup.design.vocabulary import ConnectionType
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

_READ_ONLY = {"id", "last_updated", "last_updated_utc_millis", "date_created", "modification_date", "url"}
_CONTACT_PROPERTIES = "custom_fields,job_title,lead_source_id,notes,source_type,website"


class Keap(PlatformApi):
    """The API of Keap."""

    name = "keap"
    base_url = "https://api.infusionsoft.com/crm/rest/v1"
    authorize_url = "https://accounts.infusionsoft.com/app/oauth/authorize"
    token_url = "https://api.infusionsoft.com/token"
    oauth_scope = "full"
    refreshes_with_basic = True

    def headers(self, credentials: PlatformCredentials) -> dict[str, str]:
        """Return a bearer token, or the header of an API key."""
        if credentials.kind is ConnectionType.OAUTH:
            return {"authorization": f"Bearer {credentials.secret}"}
        return {"x-keap-api-key": credentials.secret}

    def read(self, send: Send, scope: PageScope) -> RecordPage:
        """Read one page by offset."""
        query: dict[str, Any] = {"limit": PAGE_SIZE, "offset": scope.offset}
        if scope.data_type == "contacts":
            query |= {"order": "id", "optional_properties": _CONTACT_PROPERTIES}
            query["since"] = format_time(scope.since)
        page = send(read_request(f"/{scope.data_type}", **query))
        records = records_of(page[scope.data_type], "id", "last_updated", "modification_date")
        return offset_page(records, scope)

    def write(self, send: Send, record: Record, scope: WriteScope) -> str:
        """Update a contact or a product, or create the record. An existing order cannot be changed."""
        data_type = scope.data_type
        body = {name: value for name, value in record.data.items() if name not in _READ_ONLY}
        if scope.restore.is_foreign:
            return str(send(_foreign(data_type, record.id, body))["id"])
        path = path_of(data_type, record.id)
        try:
            if data_type == "orders":
                send(read_request(path))
                raise RequestRejected(f"keap: order {record.id} exists, and an order cannot be changed")
            return str(send(PlatformRequest("PATCH", path, json=body))["id"])
        except RecordNotFound:
            created = _new_order(record.data) if data_type == "orders" else body
            return str(send(PlatformRequest("POST", f"/{data_type}", json=created))["id"])


def _foreign(data_type: str, record_id: str, body: dict[str, Any]) -> PlatformRequest:
    """Return the request that creates a record of another account; a contact with the same address is updated."""
    if data_type == "orders":
        raise RequestRejected(
            f"keap: order {record_id} names its contact and products by ids of another account"
        )
    if data_type == "contacts" and body.get("email_addresses"):
        return PlatformRequest("PUT", "/contacts", json={**body, "duplicate_option": "Email"})
    return PlatformRequest("POST", f"/{data_type}", json=body)


def _new_order(order: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request body of a new order. Its total follows from its items; payments cannot be created."""
    try:
        items = [
            {
                "product_id": item["product"]["id"],
                "quantity": item["quantity"],
                "price": item["price"],
                "description": item.get("description", ""),
            }
            for item in order["order_items"]
        ]
        return {
            "contact_id": order["contact"]["id"],
            "order_title": order["title"],
            "order_date": order.get("order_date") or order["creation_date"],
            "order_type": order.get("order_type") or "Offline",
            "order_items": items,
        }
    except (KeyError, TypeError):
        raise RequestRejected(
            f"keap: order {order.get('id')} lacks its contact, title, date or items"
        ) from None
