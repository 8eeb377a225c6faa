"""The HTTP client of platforms: limits, time-outs, retries of reads, and one error tree.

- TLS certificates are verified; plain HTTP is accepted for a loopback address only.
- No redirect is followed: it could carry the token to another host.
- A reply larger than `MAX_REPLY_BYTES` is not read to its end.
- Only reads are repeated after a failure. A repeated write could create a record twice.
- Errors name the platform, the method and the path. The secret is removed from the platform's own message.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote_plus, urlsplit

import httpx

from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.platforms.protocol import (
    CredentialsExpired,
    CredentialsRejected,
    PlatformCredentials,
    PlatformError,
    PlatformUnavailable,
    RateLimited,
    RequestRejected,
)

MAX_REPLY_BYTES = 16_000_000
MAX_MESSAGE_LENGTH = 300
ATTEMPTS = 3
FIRST_DELAY = 0.5
DEFAULT_RETRY_AFTER = 10.0
MAX_RETRY_AFTER = 3600.0
TIMEOUT = httpx.Timeout(30.0, connect=5.0)


def utc_now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


class RecordNotFound(RequestRejected):
    """The platform has no record with this id."""


@dataclass(frozen=True, slots=True)
class PlatformRequest:
    """One request to a platform. `is_read` marks a request that changes nothing and may be repeated."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    form: Mapping[str, str] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_read: bool = False
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """What an error must not show besides the credentials, if the platform repeats it."""


def read_request(path: str, **query: Any) -> PlatformRequest:
    """Return a GET request; parameters that are None are left out."""
    present = {name: value for name, value in query.items() if value is not None}
    return PlatformRequest("GET", path, present, is_read=True)


def require_secure(url: str) -> str:
    """Return the URL without a trailing slash, or raise ValueError unless it is HTTPS or a loopback address.

    >>> require_secure("https://api.stripe.com/")
    'https://api.stripe.com'
    >>> require_secure("http://api.stripe.com")
    Traceback (most recent call last):
    ...
    ValueError: http://api.stripe.com must use https: only a loopback address may use http
    """
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(parts.hostname or "")):
        raise ValueError(f"{url} must use https: only a loopback address may use http")
    return url.rstrip("/")


class PlatformClient:
    """Sends requests to one platform and returns its JSON replies."""

    def __init__(
        self,
        platform: str,
        base_url: str,
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._platform = platform
        self._base_url = require_secure(base_url)
        self._sleep = sleep
        self.now = now
        # Without the environment: a .netrc file or a proxy variable must not add or receive credentials.
        self._client = httpx.Client(
            transport=transport, timeout=TIMEOUT, follow_redirects=False, trust_env=False
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def send(
        self, request: PlatformRequest, credentials: PlatformCredentials, headers: Mapping[str, str]
    ) -> Any:
        """Send a request and return the JSON of the reply; repeat a read that failed."""
        attempts = ATTEMPTS if request.is_read else 1
        for attempt in range(attempts):
            try:
                return self._send_once(request, credentials, headers)
            except PlatformUnavailable:
                if attempt + 1 == attempts:
                    raise
                self._sleep(FIRST_DELAY * 2**attempt)
        raise AssertionError("unreachable")

    def _send_once(
        self, request: PlatformRequest, credentials: PlatformCredentials, headers: Mapping[str, str]
    ) -> Any:
        name = f"{self._platform}: {request.method} {request.path}"
        try:
            with self._client.stream(
                request.method,
                f"{self._base_url}{request.path}",
                params=dict(request.query),
                json=request.json,
                data=request.form,
                headers={"accept": "application/json", **headers, **request.headers},
            ) as reply:
                body = _read_body(reply, name)
        except httpx.HTTPError as error:
            raise PlatformUnavailable(f"{name} failed: {type(error).__name__}") from None
        if not reply.is_success:
            reason = _reason(body, credentials.secret, *request.secrets)
            raise _error_of(reply, f"{name} returned {reply.status_code}{reason}", credentials, self.now())
        try:
            return json.loads(body) if body else {}
        except ValueError:
            raise PlatformUnavailable(f"{name} returned a reply that is not JSON") from None


def _read_body(reply: httpx.Response, name: str) -> bytes:
    body = bytearray()
    for chunk in reply.iter_bytes():
        body += chunk
        if len(body) > MAX_REPLY_BYTES:
            raise RequestRejected(f"{name} returned more than {MAX_REPLY_BYTES} bytes")
    return bytes(body)


def _error_of(
    reply: httpx.Response, message: str, credentials: PlatformCredentials, now: datetime
) -> PlatformError:
    """Return the error for a reply that is no success."""
    status = reply.status_code
    if status == 429:
        return RateLimited(message, _retry_after(reply.headers, now))
    if status == 401 and credentials.kind is ConnectionType.OAUTH:
        return CredentialsExpired(message)
    if status in (401, 403):
        return CredentialsRejected(message)
    if status >= 500 or status == 408:
        return PlatformUnavailable(message)
    if status == 404:
        return RecordNotFound(message)
    return RequestRejected(f"{message}; redirects are not followed" if status < 400 else message)


def _reason(body: bytes, *secrets: str) -> str:
    """Return the platform's message, short and without secrets."""
    try:
        document = json.loads(body)
    except ValueError:
        return ""
    for name in ("error", "message", "error_description", "fault"):
        if isinstance(document, dict) and name in document:
            document = document[name]
    if isinstance(document, dict):
        document = next((text for text in document.values() if isinstance(text, str)), "")
    text = document if isinstance(document, str) else ""
    for secret in filter(None, secrets):
        text = text.replace(secret, "***").replace(quote_plus(secret), "***")
    return f": {text[:MAX_MESSAGE_LENGTH]}" if text else ""


def _retry_after(headers: httpx.Headers, now: datetime) -> float:
    """Return the seconds to wait: Retry-After as seconds or as a date, or the length of the platform's interval."""
    retry_after = headers.get("retry-after")
    interval = headers.get("x-ratelimit-interval-milliseconds")
    try:
        if retry_after is None:
            seconds = float(interval) / 1000 if interval else DEFAULT_RETRY_AFTER
        elif retry_after.strip().isdecimal():
            seconds = float(retry_after)
        else:
            seconds = (parsedate_to_datetime(retry_after) - now).total_seconds()
    except (TypeError, ValueError):
        seconds = DEFAULT_RETRY_AFTER
    return min(max(seconds, 1.0), MAX_RETRY_AFTER)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
