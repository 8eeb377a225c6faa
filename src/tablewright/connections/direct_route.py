"""Where requests go, with which headers, and how they are signed: learned from a request that botocore prepared.

The endpoint depends on the region, the account, FIPS, dual stack, profiles and the environment; the headers on the
configuration of the client. botocore knows all these rules. So botocore prepares one request, which is not sent, and
the route takes over its address and headers. The route is used only if its own signature of that request is the same
as botocore's.
"""

import re
import threading
from typing import Any
from urllib.parse import quote, urlsplit

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import HTTPClientError
from botocore.utils import normalize_url_path

from tablewright.connections.request_signing import ALGORITHM, CONTENT_TYPE, Signer

# For the whole event: botocore cannot unregister a handler of `before-send` once `before-send.dynamodb` has had one.
PREPARED = "before-send"
"""The event of a prepared request."""
SAMPLE = {"TableName": "sample", "Key": {"id": {"S": "sample"}}}
"""The arguments of `get_item` for a request that is not sent."""
_PLAIN = re.compile(r"[A-Za-z0-9._~/:\[\]-]+")
_LINE_END = re.compile("[\r\n]")
# The headers that differ from one request to the next.
_OWN_HEADERS = {
    "amz-sdk-invocation-id",
    "amz-sdk-request",
    "authorization",
    "content-length",
    "content-type",
    "user-agent",
    "x-amz-date",
    "x-amz-security-token",
    "x-amz-target",
    "x-amzn-trace-id",
}


class UnknownRoute(Exception):
    """The requests of this client have something that the direct path does not know."""


class Route:
    """The address of an account's endpoint, the constant headers and the scope of signatures."""

    def __init__(self, request: AWSPreparedRequest, credentials: Any) -> None:
        """Learn the route from a signed request; raise `UnknownRoute` if it cannot be sent in the same form."""
        headers = {name.lower(): _text(value) for name, value in request.headers.items()}
        if unknown := headers.keys() - _OWN_HEADERS:
            raise UnknownRoute(f"botocore sends the headers {', '.join(sorted(unknown))}")
        if request.method != "POST" or headers.get("content-type") != CONTENT_TYPE:
            raise UnknownRoute(f"botocore sends {request.method} with {headers.get('content-type')}")
        parts = urlsplit(request.url)
        if parts.query or parts.username or parts.hostname is None:
            raise UnknownRoute(f"the endpoint {request.url} has a query string or a user")
        if not _PLAIN.fullmatch(parts.netloc + parts.path):
            raise UnknownRoute(f"the endpoint {request.url} has characters that must be escaped")
        self.url: str = request.url
        self.path = parts.path or "/"
        self.host = parts.netloc.lower()
        default_port = {"http": 80, "https": 443}.get(parts.scheme)
        if parts.port is not None and parts.port == default_port:
            self.host = self.host.rpartition(":")[0]
        self.user_agent = headers.get("user-agent", "")
        self.attempt = headers.get("amz-sdk-request", "")
        authorization = headers.get("authorization", "")
        if not authorization.startswith(f"{ALGORITHM} Credential={credentials.access_key}/"):
            raise UnknownRoute(f"requests are not signed with {ALGORITHM}")
        scope = authorization[len(f"{ALGORITHM} Credential={credentials.access_key}/") :].partition(",")[0]
        _day, self._region, self._service, _end = scope.split("/")
        signed = self.signer(credentials).authorization(
            headers["x-amz-target"], headers["x-amz-date"], request.body
        )
        if signed != authorization:
            raise UnknownRoute("botocore signs requests in another way")

    def signer(self, credentials: Any) -> Signer:
        """Return a signer with these credentials (botocore's frozen ones)."""
        if _LINE_END.search(f"{credentials.access_key}{credentials.token}{self.user_agent}"):
            raise HTTPClientError(error="a header has a line end; check the credentials and the user agent")
        return Signer(
            credentials.access_key,
            credentials.secret_key,
            credentials.token,
            self._region,
            self._service,
            self.host,
            quote(normalize_url_path(self.path), safe="/~"),
        )


def learn_route(client: Any, credentials: Any) -> Route:
    """Let botocore prepare a request and take over its form; nothing is sent."""
    prepared: list[AWSPreparedRequest] = []
    this_thread = threading.get_ident()

    def keep(request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        if threading.get_ident() != this_thread:
            return None  # a request of another thread is sent
        prepared.append(request)
        return AWSResponse(request.url, 200, {}, _EmptyReply())

    client.meta.events.register_first(PREPARED, keep)
    try:
        client.get_item(**SAMPLE)
    finally:
        client.meta.events.unregister(PREPARED, keep)
    return Route(prepared[0], credentials)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


class _EmptyReply:
    """The part of urllib3's response that botocore reads."""

    def stream(self) -> tuple[bytes]:
        return (b"{}",)
