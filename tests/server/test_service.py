"""The service: HTTP requests to calls, errors in AWS's order, and the form of replies."""

import gzip
import zlib

import pytest

from tablewright.dynamodb.policies import Caller, Principal
from tablewright.dynamodb.values.stored_items import LARGE
from tablewright.engine.features.authorization.authorizations import Authorization
from tablewright.server.content_encoding import LargeBody
from tablewright.server.http_messages import MalformedRequest, Reply, Request, parse_head
from tablewright.server.service import EngineCall, HostPolicy, Service, malformed_reply, target_of

TARGET = b"DynamoDB_20120810.GetItem"


def post(body: bytes = b"{}", path: bytes = b"/", **headers: bytes) -> Request:
    sent = {b"host": b"localhost", b"content-type": b"application/x-amz-json-1.0", b"x-amz-target": TARGET}
    return Request(
        b"POST",
        path,
        sent | {name.replace("_", "-").encode(): value for name, value in headers.items()},
        body,
    )


def admit(request: Request) -> EngineCall | Reply:
    return Service(HostPolicy()).admit(request)


def test_a_request_becomes_a_call() -> None:
    call = admit(post(gzip.compress(b'{"a": 1}'), content_encoding=b"gzip", accept_encoding=b"gzip"))
    assert isinstance(call, EngineCall)
    assert (call.target.operation, call.body, call.encoding) == ("GetItem", b'{"a": 1}', b"gzip")


@pytest.mark.parametrize(
    ("request_", "status", "body"),
    [
        (post(host=b"evil.example"), 400, b"AccessDeniedException"),
        (post(origin=b"https://evil.example"), 400, b"AccessDeniedException"),
        (post(path=b"/other"), 404, b"UnknownOperationException"),
        (post(content_type=b"text/html"), 404, b"UnknownOperationException"),
        (post(x_amz_target=b"DynamoDB_20120810.Nothing"), 400, b"UnknownOperationException"),
        (post(b"{", x_amz_target=b"DynamoDB_20120810.Nothing"), 400, b"SerializationException"),
        (post(b""), 400, b"SerializationException"),
        (post(b"x", content_encoding=b"gzip"), 500, b"InternalServerError"),
        (Request(b"PUT", b"/", {b"host": b"localhost"}), 404, b"UnknownOperationException"),
        (Request(b"GET", b"/", {b"host": b"localhost"}), 200, b"healthy: localhost "),
    ],
)
def test_requests_that_are_not_run(request_: Request, status: int, body: bytes) -> None:
    reply = admit(request_)
    assert isinstance(reply, Reply)
    assert reply.status == status
    assert body in reply.body


def test_a_long_reply_is_compressed_if_the_client_accepts_it() -> None:
    call = admit(post(accept_encoding=b"gzip"))
    assert isinstance(call, EngineCall)
    long = call.reply(200, b"x" * 5000)
    assert gzip.decompress(long.body) == b"x" * 5000
    assert long.headers == b"content-encoding: gzip\r\n"
    assert call.reply(200, b"x").body == b"x"


def test_operations_without_output_reply_with_an_empty_body() -> None:
    call = admit(post(x_amz_target=b"DynamoDB_20120810.TagResource"))
    assert isinstance(call, EngineCall)
    assert call.reply(200, b"{}").body == b""
    assert call.reply(400, b"{}").body == b"{}"


@pytest.mark.parametrize(
    ("operation", "may_write", "is_lengthy"),
    [
        ("GetItem", False, False),
        ("PutItem", True, False),
        ("ExecuteStatement", True, False),
        ("DeleteTable", True, True),
    ],
)
def test_targets(operation: str, may_write: bool, is_lengthy: bool) -> None:
    target = target_of(f"DynamoDB_20120810.{operation}".encode())
    assert target is not None
    assert (target.may_write, target.is_lengthy) == (may_write, is_lengthy)


@pytest.mark.parametrize(
    ("status", "code"), [(400, b"SerializationException"), (413, b"RequestEntityTooLargeException")]
)
def test_the_reply_to_bytes_that_are_not_a_request(status: int, code: bytes) -> None:
    reply = malformed_reply(MalformedRequest("reason", status))
    assert reply.status == status
    assert code in reply.body


class AnySignature:
    """Signatures that are all by one key."""

    def verify(self, request: Request) -> str:
        return "AKIDADA"


def test_a_call_knows_its_caller_and_where_it_comes_from() -> None:
    ada = Caller(Principal("user", "ada"))
    request = post(user_agent=b"boto3")
    request.address = "203.0.113.7"
    call = Service(HostPolicy(), AnySignature(), {"AKIDADA": ada}).admit(request)  # type: ignore[arg-type]
    assert isinstance(call, EngineCall)
    assert call.by == Authorization(ada, "203.0.113.7", "boto3")
    plain = Service(HostPolicy()).admit(post())
    assert isinstance(plain, EngineCall)
    assert plain.by is None


class Unread:
    """Signatures that must not be verified."""

    def verify(self, request: Request) -> None:
        raise AssertionError("a large body was hashed")


@pytest.mark.parametrize("size", [LARGE, LARGE + 1])
@pytest.mark.parametrize("encoding", [b"", b"gzip", b"deflate"])
def test_the_event_loop_does_not_hash_or_decompress_large_bodies(size: int, encoding: bytes) -> None:
    body = b"{" + b" " * (size - 2) + b"}"
    packed = {
        b"": lambda: body,
        b"gzip": lambda: gzip.compress(body),
        b"deflate": lambda: zlib.compress(body),
    }
    request = post(packed[encoding](), content_encoding=encoding)
    if size > LARGE:
        with pytest.raises(LargeBody):
            admit(request)
    else:
        assert isinstance(admit(request), EngineCall)
    call = Service(HostPolicy()).admit_large(request)
    assert isinstance(call, EngineCall)
    assert call.body == body


def test_a_large_body_is_not_hashed_on_the_event_loop() -> None:
    service = Service(HostPolicy(), Unread())  # type: ignore[arg-type]
    with pytest.raises(LargeBody):
        service.admit(post(b" " * (LARGE + 1)))
    with pytest.raises(AssertionError, match="hashed"):
        service.admit(post(b" " * LARGE))


def test_a_large_body_of_an_unknown_operation_is_rejected_at_once() -> None:
    reply = admit(post(b" " * (LARGE + 1), x_amz_target=b"DynamoDB_20120810.Nothing"))
    assert isinstance(reply, Reply)
    assert reply.status == 400


def test_of_repeated_accept_encoding_headers_the_first_counts() -> None:
    head = (
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
        + TARGET
        + b"\r\nAccept-Encoding: identity\r\nAccept-Encoding: gzip"
    )
    request = parse_head(head)
    request.body = b"{}"
    call = admit(request)
    assert isinstance(call, EngineCall)
    assert call.encoding is None


@pytest.mark.parametrize(
    ("authorization", "region"),
    [
        (b"AWS4-HMAC-SHA256 Credential=a/20261116/eu-west-1/dynamodb/aws4_request, Signature=0", "eu-west-1"),
        (b"AWS4-HMAC-SHA256 Credential=a/b", None),
        (b"Bearer x", None),
        (b"", None),
    ],
)
def test_the_region_of_a_call_is_that_of_its_credential_scope(
    authorization: bytes, region: str | None
) -> None:
    call = admit(post(authorization=authorization))
    assert isinstance(call, EngineCall)
    assert call.region == region


@pytest.mark.parametrize(
    ("host", "is_known"),
    [
        ("localhost", True),
        ("LOCALHOST:8000", True),
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("dynamodb.us-east-1.localhost:8000", True),
        ("db.internal:8000", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example:8000", False),
        ("127.0.0.1,evil.example", False),
        ("localhost@evil.example", False),
        ("", False),
        ("[::1", False),
        ("evil.example,x.localhost", False),
        ("evil.example/.localhost", False),
        # Long enough that a check of only its beginning would accept it.
        ("a" * 190 + ".localhost.evil.example:8000", False),
    ],
)
def test_hosts(host: str, is_known: bool) -> None:
    error = HostPolicy(["db.internal"]).check({b"host": host.encode()})
    assert (error is None) is is_known


@pytest.mark.parametrize(
    ("allowed", "origin", "may_pass"),
    [
        ([], "http://localhost:3000", False),
        ([], "null", False),
        (["http://localhost:3000"], "http://localhost:3000", True),
        (["http://localhost:3000"], "http://localhost:3001", False),
        (["http://localhost:3000/"], "HTTP://localhost:3000", True),
        (["*"], "https://anywhere.example", True),
    ],
)
def test_origins(allowed: list[str], origin: str, may_pass: bool) -> None:
    error = HostPolicy(origins=allowed).check({b"host": b"localhost", b"origin": origin.encode()})
    assert (error is None) is may_pass


def test_any_host_where_our_names_are_not_known() -> None:
    assert HostPolicy(["*"]).check({b"host": b"compose-service:8000"}) is None


def test_the_error_says_what_to_do() -> None:
    error = HostPolicy().check({b"host": b"db.internal"})
    assert error is not None
    assert "--allow-host" in error.message


def test_a_preflight_is_echoed() -> None:
    headers = {
        b"origin": b"http://localhost:3000",
        b"access-control-request-headers": b"x-amz-target",
        b"access-control-request-method": b"POST",
    }
    lines = HostPolicy(origins=["*"]).cors_headers(Request(b"OPTIONS", b"/", headers)).decode().splitlines()
    assert lines == [
        "access-control-allow-origin: *",
        "access-control-expose-headers: x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date",
        "access-control-max-age: 172800",
        "access-control-allow-headers: x-amz-target",
        "access-control-allow-methods: POST",
    ]
