"""Webhooks of platforms: who sent one, when, and what it says has changed.

- stripe signs the time and the body with the secret of the endpoint: `Stripe-Signature: t=...,v1=...` (HMAC-SHA-256).
- gohighlevel signs the body, which contains the time, with its own key: `X-GHL-Signature` (Ed25519).
- keap signs nothing. Its deliveries carry a secret token in their URL, and only the ids of records.

A delivery only says that a data type changed. The records are read from the platform, so a forged delivery could cause
a read and nothing else. Deliveries that are too old are rejected; the caller rejects those that it has seen.
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from tablewright_systems.listbackup.platforms.reader import parse_time

TOLERANCE = timedelta(minutes=5)
"""For a platform that signs each attempt anew."""
RETRY_TOLERANCE = timedelta(hours=1)
"""For a platform that repeats a delivery with its first time."""


class WebhookRejected(Exception):
    """The delivery was not sent by the platform, or too long ago."""


@dataclass(frozen=True, slots=True)
class WebhookRequest:
    """A delivery as it arrived. The signature is over the bytes of the body, so they are not parsed before."""

    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    """By name in lower case."""
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WebhookKeys:
    """What verifies deliveries: the secret of the source's endpoint, and the platform's public key (PEM)."""

    secret: str = field(default="", repr=False)
    public_key: str = ""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A verified delivery."""

    event_id: str
    sent_at: datetime
    event_type: str


def verify(platform: str, request: WebhookRequest, keys: WebhookKeys, now: datetime) -> Delivery:
    """Return the verified delivery, or raise `WebhookRejected`."""
    try:
        delivery, tolerance = _SCHEMES[platform](request, keys)
        _require(isinstance(delivery.event_id, str) and isinstance(delivery.event_type, str))
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
        raise WebhookRejected("the delivery has no valid signature, time and event") from None
    if abs(now - delivery.sent_at) > tolerance:
        raise WebhookRejected("the delivery is too old, or from the future")
    return delivery


def stripe_signature(secret: str, body: bytes, at: datetime) -> str:
    """Return the header that Stripe sends with a delivery.

    >>> stripe_signature("whsec_1", b"{}", datetime(2026, 1, 1, tzinfo=UTC))[:23]
    't=1767225600,v1=8490177'
    """
    seconds = int(at.timestamp())
    return f"t={seconds},v1={_hmac(secret, f'{seconds}.'.encode() + body)}"


def _stripe(request: WebhookRequest, keys: WebhookKeys) -> tuple[Delivery, timedelta]:
    parts = [part.partition("=") for part in request.headers["stripe-signature"].split(",")]
    seconds = next((value for name, _, value in parts if name.strip() == "t"), "")
    expected = _hmac(_required(keys.secret), f"{seconds}.".encode() + request.body)
    shown = [value for name, _, value in parts if name.strip() == "v1"]
    _require(any(hmac.compare_digest(expected.encode(), value.encode()) for value in shown))
    event = json.loads(request.body)
    return Delivery(event["id"], datetime.fromtimestamp(int(seconds), UTC), event["type"]), TOLERANCE


def _gohighlevel(request: WebhookRequest, keys: WebhookKeys) -> tuple[Delivery, timedelta]:
    key = load_pem_public_key(_required(keys.public_key).encode())
    _require(isinstance(key, Ed25519PublicKey))
    assert isinstance(key, Ed25519PublicKey)
    try:
        key.verify(base64.b64decode(request.headers["x-ghl-signature"], validate=True), request.body)
    except (InvalidSignature, binascii.Error):
        raise WebhookRejected("the signature does not match the delivery") from None
    event = json.loads(request.body)
    return Delivery(event["webhookId"], _time(event["timestamp"]), event["type"]), RETRY_TOLERANCE


def _keap(request: WebhookRequest, keys: WebhookKeys) -> tuple[Delivery, timedelta]:
    require_token(request, keys)
    event = json.loads(request.body)
    sent_at = max(_time(key["timestamp"]) for key in event["object_keys"])
    digest = hashlib.sha256(request.body).hexdigest()
    return Delivery(digest, sent_at, event["event_key"]), RETRY_TOLERANCE


def require_token(request: WebhookRequest, keys: WebhookKeys) -> None:
    """Require the secret token in the URL of a delivery from Keap."""
    _require(hmac.compare_digest(request.query.get("token", "").encode(), _required(keys.secret).encode()))


_SCHEMES: dict[str, Callable[[WebhookRequest, WebhookKeys], tuple[Delivery, timedelta]]] = {
    "keap": _keap,
    "stripe": _stripe,
    "gohighlevel": _gohighlevel,
}


def _hmac(secret: str, data: bytes) -> str:
    return hmac.new(secret.encode(), data, hashlib.sha256).hexdigest()


def _required(key: str) -> str:
    """Return a key, or reject the delivery: without one every signature would match."""
    _require(bool(key))
    return key


def _require(is_valid: bool) -> None:
    if not is_valid:
        raise WebhookRejected("the signature does not match the delivery")


def _time(text: Any) -> datetime:
    time = parse_time(text)
    if time is None:
        raise WebhookRejected("the delivery does not say when it was sent")
    return time
