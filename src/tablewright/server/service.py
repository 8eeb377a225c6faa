"""The service: HTTP requests to calls of the engine, and results to HTTP replies.

`admit` turns a request into a call of the engine, or into an error reply, with checks in AWS's order: the path and
method, the content type, the JSON, the operation, the signature. One check comes first that AWS does not need, and a
server on a developer's machine does: web pages may not call it (see `host_policy`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tablewright.dynamodb.policies import Caller
from tablewright.dynamodb.values.stored_items import LARGE, parse_body, to_json
from tablewright.engine.authorization.authorizations import Authorization
from tablewright.engine.operations import DYNAMODB, find_operation, unknown_operation
from tablewright.errors import SerializationError, ServiceError, ValidationError
from tablewright.server.authentication.signatures import Signatures
from tablewright.server.content_encoding import (
    SMALLEST_COMPRESSED,
    LargeBody,
    compress,
    inflate,
    preferred_encoding,
)
from tablewright.server.host_policy import HostPolicy
from tablewright.server.http_replies import AMZ_JSON, PLAIN_JSON, Reply
from tablewright.server.http_requests import MAX_BODY, Malformed, Request

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


class Target(NamedTuple):
    """An operation as X-Amz-Target names it."""

    operation: str
    may_write: bool
    is_lengthy: bool
    runs_apart: bool
    """Whether it reads so much that it is run in a worker thread."""
    has_no_output: bool


@lru_cache(maxsize=256)
def target_of(header: bytes) -> Target | None:
    """The operation that an X-Amz-Target names.

    >>> target_of(b"DynamoDB_20120810.GetItem").operation
    'GetItem'
    >>> target_of(b"DynamoDB_20120810.GetRecords")  # a call of DynamoDBStreams_20120810
    """
    api, _, name = header.decode("latin-1").partition(".")
    operation = find_operation(name)
    if operation is None or operation.api != api:
        return None
    return Target(
        name,
        may_write=operation.mode == "write" or name in STATEMENTS,
        is_lengthy=name in LENGTHY,
        runs_apart=operation.mode == "steps",
        has_no_output=name in WITHOUT_OUTPUT,
    )


@dataclass(slots=True)
class Call:
    """A request for the engine to run, and the form of its reply."""

    target: Target
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

    def admit(self, request: Request) -> Call | Reply:
        """The engine call of a request, or the reply where there is none: an error, or no DynamoDB request.

        Raises LargeBody where that would take too long for the event loop: call `admit_large` in a thread.
        """
        return self._admit(request, LARGE)

    def admit_large(self, request: Request) -> Call | Reply:
        """As `admit`, for bodies of any size."""
        request.load_body()
        return self._admit(request, MAX_BODY)

    def _admit(self, request: Request, largest: int) -> Call | Reply:
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
        except Malformed as malformed:
            return malformed_reply(malformed)

    def _call(self, request: Request, content_type: bytes, cors: bytes, largest: int) -> Call:
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
        return Call(target, body, content_type, cors, encoding, region, by)

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


def signed_region(headers: Mapping[bytes, bytes]) -> str | None:
    """The region in the credential scope of a signature, which is not verified; None without one.

    >>> scope = b"AWS4-HMAC-SHA256 Credential=AKID/20261116/eu-west-1/dynamodb/aws4_request, SignedHeaders=host"
    >>> signed_region({b"authorization": scope}), signed_region({})
    ('eu-west-1', None)
    """
    scope = headers.get(b"authorization", b"").partition(b"Credential=")[2].split(b"/", 3)
    return scope[2].decode("latin-1") if len(scope) == 4 else None


def malformed_reply(malformed: Malformed) -> Reply:
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
