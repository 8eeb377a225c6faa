"""The service: HTTP requests to calls of the engine, and results to HTTP replies.

`admit` turns a request into a call of the engine, or into an error reply, with checks in AWS's order: the path and
method, the content type, the JSON, the operation, the signature. One check comes first that AWS does not need, and a
server on a developer's machine does: web pages may not call it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tablewright.dynamodb.policies import Caller
from tablewright.dynamodb.values.stored_items import LARGE, parse_body, to_json
from tablewright.engine.core.operations import DYNAMODB, find_operation, unknown_operation
from tablewright.engine.features.authorization.authorizations import Authorization
from tablewright.errors import AccessDenied, SerializationError, ServiceError, ValidationError
from tablewright.server.authentication.credentials import Keyring
from tablewright.server.authentication.signatures import Signatures
from tablewright.server.content_encoding import (
    SMALLEST_COMPRESSED,
    LargeBody,
    compress,
    inflate,
    preferred_encoding,
)
from tablewright.server.http_messages import AMZ_JSON, MAX_BODY, PLAIN_JSON, MalformedRequest, Reply, Request

ANY = "*"
EXPOSED = b"x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date"
MAX_AGE = 172800

_LOCAL = {"localhost", "127.0.0.1", "::1"}
_AUTHORITY = re.compile(r"\[([0-9a-fA-F:.]+)\](?::\d+)?|([\w.-]+)(?::\d*)?", re.ASCII)


class HostPolicy:
    """The host names that the server accepts, and the origins whose pages may call it.

    A web page can make the browser send requests to 127.0.0.1. Two headers that scripts cannot forge reveal it: Origin
    shows that a page sends the request, and Host shows the name by which the page reached the server, so that a page
    whose own name resolves to 127.0.0.1 (DNS rebinding) is detected as well. Both must be allowed by name.
    """

    def __init__(self, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._hosts = _LOCAL | {host.lower() for host in hosts}
        self._origins = {origin.lower().rstrip("/") for origin in origins}
        self._is_host_allowed = lru_cache(maxsize=64)(self._check_host)

    def check(self, headers: dict[bytes, bytes]) -> AccessDenied | None:
        """The error for a request that is not allowed, or None."""
        host = headers.get(b"host")
        if host is not None and not self._is_host_allowed(host):
            return AccessDenied(
                f"The Host header names '{_printable(host)}', which is not this server; "
                "if it is, start it with --allow-host and that name"
            )
        origin = headers.get(b"origin")
        if origin is not None and not self._is_origin_allowed(origin):
            return AccessDenied(
                f"Requests from web pages of '{_printable(origin)}' are not allowed; "
                "to allow them, start the server with --allow-origin and that origin"
            )
        return None

    def cors_headers(self, request: Request) -> bytes:
        """The header lines that make a browser let an allowed page read the reply."""
        lines = b"access-control-allow-origin: *\r\n" + b"access-control-expose-headers: %b\r\n" % EXPOSED
        if request.method == b"OPTIONS":
            lines += b"access-control-max-age: %d\r\n" % MAX_AGE
            for name in (b"headers", b"method"):
                requested = request.headers.get(b"access-control-request-" + name)
                if requested:
                    lines += b"access-control-allow-%b: %b\r\n" % (
                        b"methods" if name == b"method" else name,
                        requested,
                    )
        return lines

    def _is_origin_allowed(self, origin: bytes) -> bool:
        return ANY in self._origins or _text(origin).lower().rstrip("/") in self._origins

    def _check_host(self, host: bytes) -> bool:
        authority = _AUTHORITY.fullmatch(_text(host).lower())
        if authority is None:
            return False
        name = authority[1] or authority[2]
        # Names under .localhost cannot leave the machine (RFC 6761).
        return ANY in self._hosts or name in self._hosts or name.endswith(".localhost")


def _text(header: bytes) -> str:
    return header.decode("ascii", "replace")


def _printable(header: bytes) -> str:
    """The beginning of a header, for messages only: decisions need the end of the name as well."""
    return _text(header[:200])


# These may count, delete or rewrite a whole table, or its journal.
LENGTHY = {
    "CreateBackup",
    "CreateReplica",
    "DeleteBackup",
    "DeleteReplica",
    "DeleteTable",
    "UpdateContinuousBackups",
    "UpdateTable",
}
# Whether a statement writes is known only after it is parsed.
STATEMENTS = {"BatchExecuteStatement", "ExecuteStatement", "ExecuteTransaction"}
# DynamoDB replies to these with an empty body: not even an empty object.
WITHOUT_OUTPUT = {"TagResource", "UntagResource"}

# Bytes: to parse 16 MB takes a second, in which no other client is served.
MAX_UNAUTHENTICATED_BODY = 256 * 1024

NOT_FOUND = Reply(404, b"<UnknownOperationException/>\n", b"application/xml")


class OperationTarget(NamedTuple):
    """An operation as X-Amz-Target names it."""

    operation: str
    may_write: bool
    is_lengthy: bool
    runs_apart: bool
    """Whether it reads so much that it is run in a worker thread."""
    has_no_output: bool


@lru_cache(maxsize=256)
def target_of(header: bytes) -> OperationTarget | None:
    """The operation that an X-Amz-Target names.

    >>> target_of(b"DynamoDB_20120810.GetItem").operation
    'GetItem'
    >>> target_of(b"DynamoDB_20120810.GetRecords")  # a call of DynamoDBStreams_20120810
    """
    api, _, name = header.decode("latin-1").partition(".")
    operation = find_operation(name)
    if operation is None or operation.api != api:
        return None
    return OperationTarget(
        name,
        may_write=operation.mode == "write" or name in STATEMENTS,
        is_lengthy=name in LENGTHY,
        runs_apart=operation.mode == "steps",
        has_no_output=name in WITHOUT_OUTPUT,
    )


@dataclass(slots=True)
class EngineCall:
    """A request for the engine to run, and the form of its reply."""

    target: OperationTarget
    body: bytes
    content_type: bytes
    headers: bytes
    encoding: bytes | None
    region: str | None
    """The region that the request is signed for; None when it is not signed, or only one region is served."""
    by: Authorization | None = None
    """The caller whose policies must allow the call; None where signatures are not required."""

    def reply(self, status: int, body: bytes) -> Reply:
        """The result of the engine as an HTTP reply, compressed if the client accepts it."""
        headers = self.headers
        if self.target.has_no_output and status == 200:
            body = b""
        if self.encoding is not None and len(body) > SMALLEST_COMPRESSED:
            body = compress(body, self.encoding)
            headers += b"content-encoding: %b\r\n" % self.encoding
        return Reply(status, body, self.content_type, headers)


class Service:
    """Turns HTTP requests into engine calls, or rejects them."""

    def __init__(
        self,
        host_policy: HostPolicy,
        signatures: Signatures | None = None,
        callers: Mapping[str, Caller] | None = None,
        remote_regions: Mapping[str, str] | None = None,
    ) -> None:
        """`remote_regions` are regions that other servers have, with their URLs."""
        self._remote_regions = remote_regions or {}
        self._host_policy = host_policy
        self._signatures = signatures
        self._callers = callers

    @property
    def serves_one_region(self) -> bool:
        """Whether signatures are required: a verified signature is always for the region of the server."""
        return self._signatures is not None

    def admit(self, request: Request) -> EngineCall | Reply:
        """The engine call of a request, or the reply where there is none: an error, or no DynamoDB request.

        Raises LargeBody where that would take too long for the event loop: call `admit_large` in a thread.
        """
        return self._admit(request, LARGE)

    def admit_large(self, request: Request) -> EngineCall | Reply:
        """As `admit`, for bodies of any size."""
        request.load_body()
        return self._admit(request, MAX_BODY)

    def _admit(self, request: Request, largest: int) -> EngineCall | Reply:
        headers = request.headers
        if (denied := self._host_policy.check(headers)) is not None:
            return _error_reply(denied, AMZ_JSON)
        cors = self._host_policy.cors_headers(request) if b"origin" in headers else b""
        if request.method != b"POST":
            return self._without_call(request, cors)
        content_type = _content_type(headers.get(b"content-type"), has_body=request.size > 0)
        if content_type is None or request.path != b"/":
            return NOT_FOUND
        try:
            return self._call(request, content_type, cors, largest)
        except ServiceError as error:
            return _error_reply(error, content_type, cors)
        except MalformedRequest as malformed:
            return malformed_reply(malformed)

    def _call(self, request: Request, content_type: bytes, cors: bytes, largest: int) -> EngineCall:
        headers = request.headers
        named = headers.get(b"x-amz-target", b"")
        target = target_of(named)
        by = None
        try:
            if target is None:
                raise unknown_operation(named.decode("latin-1").removeprefix(f"{DYNAMODB}."))
            if request.size > largest or (target.runs_apart and largest < MAX_BODY):
                raise LargeBody
            if self._signatures is not None:
                by = self._authorization(self._signatures.verify(request), request)
        except ServiceError:
            # AWS reports bad JSON before both errors. Unauthenticated bodies are parsed up to a limit only.
            if 0 < request.size <= MAX_UNAUTHENTICATED_BODY and b"content-encoding" not in headers:
                parse_body(request.body)
            raise
        body = request.body
        if b"content-encoding" in headers:
            body = inflate(body, headers[b"content-encoding"], largest)
        if not body:
            raise SerializationError()
        # Of a repeated Accept-Encoding, DynamoDB reads the first only.
        accepted = request.first(b"accept-encoding")
        encoding = preferred_encoding(accepted) if accepted else None
        region = self.region_of(request)
        if region is not None and region in self._remote_regions:
            raise ValidationError(
                f"This server does not have the region {region}: {self._remote_regions[region]} has it, as --replica "
                "says; send the request there"
            )
        return EngineCall(target, body, content_type, cors, encoding, region, by)

    def _authorization(self, key_id: str, request: Request) -> Authorization | None:
        """The caller with that access key; None if callers have no policies."""
        if self._callers is None:
            return None
        agent = request.headers.get(b"user-agent", b"").decode("latin-1")
        return Authorization(self._callers[key_id], request.address, agent)

    def region_of(self, request: Request) -> str | None:
        """The region that a request is for; None means the region of the server."""
        # A verified signature is always for the region of the server.
        return signed_region(request.headers) if self._signatures is None else None

    def _without_call(self, request: Request, cors: bytes) -> Reply:
        if request.method == b"GET" and request.path == b"/":
            return Reply(200, b"healthy: %b " % request.headers.get(b"host", b""), b"text/plain", cors)
        if request.method == b"OPTIONS" and cors:
            return Reply(200, b"", b"text/plain", cors)
        return NOT_FOUND


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Who may call a server."""

    region: str
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    keys: Keyring | None = None
    """The keys that requests must be signed with; None if signatures are not required."""
    callers: Mapping[str, Caller] | None = None
    remote_regions: Mapping[str, str] | None = None

    def service(self) -> Service:
        """Build the service."""
        signatures = None if self.keys is None else Signatures(self.keys, self.region)
        return Service(HostPolicy(self.hosts, self.origins), signatures, self.callers, self.remote_regions)


def signed_region(headers: Mapping[bytes, bytes]) -> str | None:
    """The region in the credential scope of a signature, which is not verified; None without one.

    >>> scope = b"AWS4-HMAC-SHA256 Credential=AKID/20261116/eu-west-1/dynamodb/aws4_request, SignedHeaders=host"
    >>> signed_region({b"authorization": scope}), signed_region({})
    ('eu-west-1', None)
    """
    scope = headers.get(b"authorization", b"").partition(b"Credential=")[2].split(b"/", 3)
    return scope[2].decode("latin-1") if len(scope) == 4 else None


def malformed_reply(malformed: MalformedRequest) -> Reply:
    """The reply to bytes that are not a request, or to a request that is too large."""
    code = "RequestEntityTooLargeException" if malformed.status == 413 else "SerializationException"
    body = to_json({"__type": f"com.amazon.coral.service#{code}", "Message": str(malformed)})
    return Reply(malformed.status, body)


def _error_reply(error: ServiceError, content_type: bytes, headers: bytes = b"") -> Reply:
    return Reply(error.status, to_json(error.body()), content_type, headers)


def _content_type(requested: bytes | None, *, has_body: bool) -> bytes | None:
    """The content type of the reply; None when DynamoDB does not read the content type of the request."""
    if requested == AMZ_JSON:
        return AMZ_JSON
    named = (requested or b"").partition(b";")[0].strip().lower()
    if named == AMZ_JSON:
        return AMZ_JSON
    return PLAIN_JSON if named == PLAIN_JSON or not has_body else None
