"""The service: what a request is, before and after the engine has run it.

`admit` turns a request into a call of the engine, or into the reply that refuses it, in AWS's order: the path and
method, the content type, the JSON, the operation, the signature. Before all of that stands what AWS has no need of, and
a server on a developer's machine has: no web page may talk to it (see `guests`).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tablewright.engine.operations import find_operation
from tablewright.errors import SerializationError, ServiceError, UnknownOperation
from tablewright.server.content_encoding import SMALLEST_COMPRESSED, compress, inflate, preferred
from tablewright.server.host_policy import Guests
from tablewright.server.http_replies import AMZ_JSON, PLAIN_JSON, Reply
from tablewright.server.http_requests import Malformed, Request
from tablewright.server.signatures import Signatures
from tablewright.values.stored_items import parse_body, to_json

# They may count, drop or rewrite a whole table, or its journal.
LENGTHY = {"CreateBackup", "DeleteBackup", "DeleteTable", "UpdateContinuousBackups", "UpdateTable"}
# What a statement does is known only once it is parsed.
STATEMENTS = {"BatchExecuteStatement", "ExecuteStatement", "ExecuteTransaction"}
# They have no output, and DynamoDB sends none: not even an empty object.
MUTE = {"TagResource", "UntagResource"}

# Bytes: to parse 16 MB takes a second, for which everybody waits.
MOST_FOR_STRANGERS = 256 * 1024

NOT_FOUND = Reply(404, b"<UnknownOperationException/>\n", b"application/xml")


class Target(NamedTuple):
    """An operation as X-Amz-Target names it."""

    operation: str
    may_write: bool
    is_lengthy: bool
    is_mute: bool


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
    return Target(name, operation.mode == "write" or name in STATEMENTS, name in LENGTHY, name in MUTE)


@dataclass(slots=True)
class Call:
    """A request that the engine shall run, and how its reply is to be dressed."""

    target: Target
    body: bytes
    kind: bytes
    headers: bytes
    encoding: bytes | None

    def reply(self, status: int, body: bytes) -> Reply:
        """The engine's answer as the client wants it."""
        headers = self.headers
        if self.target.is_mute and status == 200:
            body = b""
        if self.encoding is not None and len(body) > SMALLEST_COMPRESSED:
            body = compress(body, self.encoding)
            headers += b"content-encoding: %b\r\n" % self.encoding
        return Reply(status, body, self.kind, headers)


class Service:
    """Decides what becomes of a request."""

    def __init__(self, guests: Guests, signatures: Signatures | None = None) -> None:
        self._guests = guests
        self._signatures = signatures

    def admit(self, request: Request) -> Call | Reply:
        """The call that the request asks for, or the reply that it gets instead."""
        headers = request.headers
        if (refusal := self._guests.refusal(headers)) is not None:
            return _refuse(refusal, AMZ_JSON)
        cors = self._guests.cors(request) if b"origin" in headers else b""
        if request.method != b"POST":
            return self._without_call(request, cors)
        kind = _kind(headers.get(b"content-type"), request.body)
        if kind is None or request.path != b"/":
            return NOT_FOUND
        try:
            return self._call(request, kind, cors)
        except ServiceError as refused:
            return _refuse(refused, kind, cors)
        except Malformed as malformed:
            return too_bad(malformed)

    def _call(self, request: Request, kind: bytes, cors: bytes) -> Call:
        headers = request.headers
        target = target_of(headers.get(b"x-amz-target", b""))
        try:
            if target is None:
                raise UnknownOperation()
            if self._signatures is not None:
                self._signatures.verify(request)
        except ServiceError:
            # Bad JSON outranks both complaints, but is looked for only now; and no stranger gets much work done.
            if 0 < len(request.body) <= MOST_FOR_STRANGERS and b"content-encoding" not in headers:
                parse_body(request.body)
            raise
        body = request.body
        if b"content-encoding" in headers:
            body = inflate(body, headers[b"content-encoding"])
        if not body:
            raise SerializationError()
        # Of a repeated Accept-Encoding, DynamoDB reads the first only.
        accepted = request.first(b"accept-encoding")
        return Call(target, body, kind, cors, preferred(accepted) if accepted else None)

    def _without_call(self, request: Request, cors: bytes) -> Reply:
        if request.method == b"GET" and request.path == b"/":
            return Reply(200, b"healthy: %b " % request.headers.get(b"host", b""), b"text/plain", cors)
        if request.method == b"OPTIONS" and cors:
            return Reply(200, b"", b"text/plain", cors)
        return NOT_FOUND


def too_bad(malformed: Malformed) -> Reply:
    """The reply to what is no request, or is too large to be looked at."""
    kind = "RequestEntityTooLargeException" if malformed.status == 413 else "SerializationException"
    body = to_json({"__type": f"com.amazon.coral.service#{kind}", "Message": str(malformed)})
    return Reply(malformed.status, body)


def _refuse(error: ServiceError, kind: bytes, headers: bytes = b"") -> Reply:
    return Reply(error.status, to_json(error.body()), kind, headers)


def _kind(content_type: bytes | None, body: bytes) -> bytes | None:
    """The content type of the reply; None when the request's is not one that DynamoDB reads."""
    if content_type == AMZ_JSON:
        return AMZ_JSON
    named = (content_type or b"").partition(b";")[0].strip().lower()
    if named == AMZ_JSON:
        return AMZ_JSON
    return PLAIN_JSON if named == PLAIN_JSON or not body else None
