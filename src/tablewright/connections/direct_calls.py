"""The direct path: data operations with the settings of a botocore client, without its machinery for each call.

A call through boto3 costs the client almost a millisecond of CPU time, a direct call a tenth of it. botocore still has:
credentials and their refresh, the endpoint, the headers, the pool of connections with TLS, timeouts and proxies, and
the parser of error replies. This path has its own JSON and signatures (`wire_requests`), and exchange
of bytes (`http_exchange`). There are no retries, as on the other path (`remote`).

Whatever the direct path cannot do in the same way is left to boto3: an unusual operation or request, and any client
that other code watches or changes (`botocore_changes`).

Where requests go, with which headers, and how they are signed: learned from a request that botocore prepared.

The endpoint depends on the region, the account, FIPS, dual stack, profiles and the environment; the headers on the
configuration of the client. botocore knows all these rules. So botocore prepares one request, which is not sent, and
the route takes over its address and headers. The route is used only if its own signature of that request is the same
as botocore's.
"""

import os
import re
import threading
from time import gmtime, strftime, time
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

from botocore.awsrequest import AWSPreparedRequest, AWSResponse, HeadersDict
from botocore.exceptions import ClientError, HTTPClientError
from botocore.handlers import add_recursion_detection_header
from botocore.httpsession import URLLib3Session
from botocore.parsers import ResponseParserFactory
from botocore.utils import normalize_url_path
from botocore.validate import ParamValidationDecorator

from tablewright.connections.botocore_changes import BotocoreChanges
from tablewright.connections.http_exchange import HttpReply, check_reply, exchange
from tablewright.connections.wire_requests import (
    ALGORITHM,
    CONTENT_TYPE,
    Signer,
    UnusualRequest,
    WireOperation,
)
from tablewright.dynamodb.values.capacity import DATA_OPERATIONS

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


_DIRECT = frozenset(DATA_OPERATIONS)
_NOT_LEARNED = object()


class DirectRequests:
    """What direct calls have in common, whether they block or are awaited: JSON, headers, signatures, errors."""

    def __init__(self, client: Any, session_type: type) -> None:
        self._client = client
        self._operations: dict[str, WireOperation] = {}
        self._is_lambda = "AWS_LAMBDA_FUNCTION_NAME" in os.environ
        self._parser = ResponseParserFactory().create_parser("json")
        self._signer: tuple[Any, Signer | None] = (None, None)
        self._timestamp = (0, "")
        self.reason: str | None
        """Why calls are left to boto3; None when they are direct, or not yet known."""
        try:
            self._changes = BotocoreChanges(client)
            self._changes.is_unchanged()
            self._session = client._endpoint.http_session
            self._credentials = client._request_signer._credentials
            self.reason = self._unsupported(session_type)
        except (
            AttributeError
        ) as error:  # botocore is newer or older, and its private attributes have other names
            self.reason = f"this version of botocore is not known: {error}"

    def why_not(self) -> str | None:
        """Return why calls are left to boto3, or None if they are direct."""
        if self.reason is None:
            self._changes.is_unchanged()
        return self.reason or self._changes.reason

    def encode(self, operation: str, request: dict[str, Any]) -> tuple[WireOperation, bytes] | None:
        """Return an operation and the body of a request; None if boto3 must send it."""
        if operation not in _DIRECT or self.reason is not None or not self._changes.is_unchanged():
            return None
        wire = self._operations.get(operation) or self._compile(operation)
        try:
            return wire, wire.encode(request)
        except UnusualRequest:
            return None

    def headers(self, route: Route, target: str, body: bytes, credentials: Any) -> dict[str, str]:
        """Return the headers of a signed request."""
        known, signer = self._signer
        if signer is None or known[0] is not route or known[1] != credentials:
            signer = route.signer(credentials)
            self._signer = ((route, credentials), signer)
        second, timestamp = self._timestamp
        now = int(time())
        if now != second:
            timestamp = strftime("%Y%m%dT%H%M%SZ", gmtime(now))
            self._timestamp = (now, timestamp)
        headers = {
            "X-Amz-Target": target,
            "Content-Type": CONTENT_TYPE,
            "User-Agent": route.user_agent,
            "X-Amz-Date": timestamp,
            "Authorization": signer.authorization(target, timestamp, body),
            "amz-sdk-invocation-id": str(uuid4()),
            "amz-sdk-request": route.attempt,
            "Content-Length": str(len(body)),
        }
        if signer.token:
            headers["X-Amz-Security-Token"] = signer.token
        if self._is_lambda:
            add_recursion_detection_header({"headers": headers})
        return headers

    def read(self, wire: WireOperation, reply: HttpReply) -> dict[str, Any]:
        """Return the content of a reply; raise the error of botocore for an error reply."""
        check_reply(reply.status, reply.headers, reply.body)
        decoded = wire.decode(reply.body) if reply.status < 300 else None
        return self._parse(wire.model, reply) if decoded is None else decoded

    def _unsupported(self, session_type: type) -> str | None:
        if isinstance(self._client._serializer, ParamValidationDecorator):
            return "the configuration requests that botocore validates parameters"
        if self._credentials is None:
            return "there are no credentials"
        if type(self._session) is not session_type:
            return "the client has an HTTP session of its own"
        if self._client.meta.service_model.resolved_protocol != "json":
            return "botocore does not use the JSON protocol"
        return None

    def _compile(self, operation: str) -> WireOperation:
        wire = WireOperation(self._client.meta.service_model.operation_model(operation))
        self._operations[operation] = wire
        return wire

    def _parse(self, model: Any, reply: HttpReply) -> dict[str, Any]:
        """Read a reply with botocore's parser: an error, or a reply of an unusual form."""
        response = {
            "headers": HeadersDict(reply.headers),
            "status_code": reply.status,
            "body": bytes(reply.body),
            "context": {"operation_name": model.name},
        }
        parsed: dict[str, Any] = self._parser.parse(response, model.output_shape)
        if reply.status < 300:
            parsed.pop("ResponseMetadata", None)
            return parsed
        code = parsed.get("Error", {}).get("Code")
        shape = None if code is None else self._client.meta.service_model.shape_for_error_code(code)
        if shape is not None:
            parsed.update(self._parser.parse(response, shape))
        error: ClientError = self._client.exceptions.from_code(code)(parsed, model.name)
        raise error


class DirectCalls(DirectRequests):
    """Direct calls with the settings of a botocore client for `dynamodb`. Threads may share it."""

    def __init__(self, client: Any) -> None:
        super().__init__(client, URLLib3Session)
        self._lock = threading.Lock()
        self._route: tuple[Any, Route | None, Any] = (_NOT_LEARNED, None, None)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any] | None:
        """Send one request; return None, before anything is sent, if boto3 must send it."""
        encoded = self.encode(operation, request)
        if encoded is None:
            return None
        wire, body = encoded
        credentials = self._credentials.get_frozen_credentials()
        account, route, pool = self._route
        if account != credentials.account_id:
            route, pool = self._learn(credentials)
        if route is None:
            return None
        headers = self.headers(route, wire.target, body, credentials)
        return self.read(wire, self._send(route, pool, headers, body))

    def close(self) -> None:
        """Forget the connections, which the client has closed. A later call opens new ones, as with boto3."""
        self._route = (_NOT_LEARNED, None, None)

    def _learn(self, credentials: Any) -> tuple[Route | None, Any]:
        with self._lock:
            if self._route[0] != credentials.account_id:
                self._route = (credentials.account_id, *self._learned(credentials))
            return self._route[1:]

    def _learned(self, credentials: Any) -> tuple[Route | None, Any]:
        try:
            route = learn_route(self._client, credentials)
            return route, self._pool(route)
        except (UnknownRoute, AttributeError) as error:
            self.reason = str(error)
            return None, None

    def _pool(self, route: Route) -> Any:
        """Return the connections to the endpoint; None where a proxy needs requests of another form."""
        if self._session._proxy_config.proxy_url_for(route.url) is not None:
            return None
        return self._session._get_connection_manager(route.url).connection_from_url(route.url)

    def _send(self, route: Route, pool: Any, headers: dict[str, str], body: bytes) -> HttpReply:
        if pool is not None:
            lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
            head = f"POST {route.path} HTTP/1.1\r\nHost: {route.host}\r\nAccept-Encoding: identity\r\n{lines}\r\n"
            reply = exchange(pool, route.url, head.encode() + body)
            if reply is not None:
                return reply
        # botocore opens the connection, with the errors, timeouts and certificates of its configuration.
        response = self._session.send(prepared_request(route, headers, body))
        names = {name.lower(): value for name, value in response.headers.items()}
        return HttpReply(response.status_code, names, response.content)


def prepared_request(route: Route, headers: dict[str, str], body: bytes) -> AWSPreparedRequest:
    """Return a signed request that an HTTP session of botocore sends."""
    encoded = HeadersDict({name: value.encode() for name, value in headers.items()})
    return AWSPreparedRequest("POST", route.url, encoded, body, stream_output=False)
