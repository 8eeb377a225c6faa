"""The protocol as AWS speaks it, to a server in its own process, byte by byte."""

import gzip
import re
import socket
import zlib
from collections.abc import Iterator

import pytest

from tests.server.processes import ServerProcess
from tests.server.raw_http import JSON, RawConnection, Reply, chunked, post

MUSIC = {
    "KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "Artist", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture(scope="module", params=["one process", "two workers"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerProcess]:
    """A server in memory, or on a file with workers: both speak the same protocol."""
    data = str(tmp_path_factory.mktemp("wire") / "data.db")
    options = ("--memory",) if request.param == "one process" else ("--on", data, "--workers", "2")
    with ServerProcess(*options) as process:
        yield process


def make_table(connection: RawConnection, name: str) -> None:
    assert connection.call("CreateTable", MUSIC | {"TableName": name}).status == 200


def test_every_reply_carries_an_id_a_checksum_and_a_date(connection: RawConnection) -> None:
    reply = connection.call("ListTables", {})
    assert reply.status == 200
    assert "TableNames" in reply.json()
    assert re.fullmatch("[0-9A-Z]{52}", reply.headers["x-amzn-requestid"])
    assert reply.headers["content-type"] == JSON
    assert reply.headers["server"] == "Server"
    assert reply.headers["date"].endswith("GMT")
    assert reply.has_good_checksum


def test_health(connection: RawConnection) -> None:
    reply = connection.ask(b"GET / HTTP/1.1\r\nHost: localhost:1234\r\n\r\n")
    assert (reply.status, reply.body) == (200, b"healthy: localhost:1234 ")
    assert reply.has_good_checksum
    assert connection.ask(b"GET /index.html HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 404


def is_page_not_found(reply: Reply) -> bool:
    return (reply.status, reply.body) == (
        404,
        b"<UnknownOperationException/>\n",
    ) and reply.has_good_checksum


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "HEAD", "TRACE"])
def test_other_methods_are_not_found(connection: RawConnection, method: str) -> None:
    assert connection.ask(f"{method} / HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()).status == 404


def test_a_reply_to_head_has_no_body_that_the_next_reply_would_be_taken_for(
    connection: RawConnection,
) -> None:
    connection.send(b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n" + post("ListTables"))
    read = b""
    while b"TableNames" not in read:
        read += connection.socket.recv(65536)
    head, _, rest = read.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 404 ")
    assert rest.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "kind",
    [
        "",
        "whatever",
        "application/x-amz-json-1.1",
        "application/jsonasdf",
        "application/x-www-form-urlencoded",
    ],
)
def test_other_content_types_are_not_found(connection: RawConnection, kind: str) -> None:
    assert is_page_not_found(connection.ask(post("ListTables", Content_Type=kind)))


def test_other_paths_are_not_found(connection: RawConnection) -> None:
    assert is_page_not_found(connection.ask(post("ListTables", path="/elsewhere")))


@pytest.mark.parametrize(
    ("kind", "answered"),
    [
        ("application/json", "application/json"),
        ("  application/json  ;   charset=utf-8", "application/json"),
        (JSON, JSON),
        (f"{JSON}; charset=utf-8", JSON),
    ],
)
def test_the_reply_is_of_the_requests_content_type(
    connection: RawConnection, kind: str, answered: str
) -> None:
    reply = connection.ask(post("ListTables", Content_Type=kind))
    assert (reply.status, reply.headers["content-type"]) == (200, answered)


@pytest.mark.parametrize(
    "target",
    [
        "",
        "whatever",
        "DynamoDB_20120810.ListTable",
        "DynamoDB_20120810.",
        "DynamoDB_20111205.ListTables",
        "DynamoDB_20120810.GetRecords",
        "DynamoDBStreams_20120810.ListTables",
        "DynamoDB_20120810.ListTables, DynamoDB_20120810.ListTables",
    ],
)
def test_an_unknown_operation(connection: RawConnection, target: str) -> None:
    reply = connection.ask(post(None, X_Amz_Target=target))
    assert reply.status == 400
    assert reply.json() == {"__type": "com.amazon.coral.service#UnknownOperationException"}


def test_streams_are_a_service_of_their_own(connection: RawConnection) -> None:
    reply = connection.ask(post(None, X_Amz_Target="DynamoDBStreams_20120810.ListStreams"))
    assert reply.status == 200
    assert list(reply.json()) == ["Streams"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"hi",
        b"{",
        b"[]",
        b"null",
        b"7",
        b'"a"',
        b"{}{}",
        b"\xff",
        b'{"a":"\xff"}',
        b"{" * 200_000,
        b"[" * 200_000,
    ],
)
def test_bodies_that_are_not_a_json_object(connection: RawConnection, body: bytes) -> None:
    reply = connection.ask(post("ListTables", body))
    assert (reply.status, reply.kind) == (400, "SerializationException")


def test_bad_json_outranks_an_unknown_operation(connection: RawConnection) -> None:
    assert connection.ask(post("Nonsense", b"hi")).kind == "SerializationException"


def test_a_large_body_of_an_unknown_operation_is_not_even_parsed(connection: RawConnection) -> None:
    assert connection.ask(post("Unknown", b"{" * 300_000)).kind == "UnknownOperationException"


def test_an_error_has_the_form_of_dynamodb(connection: RawConnection) -> None:
    reply = connection.call("DescribeTable", {"TableName": "missing"})
    assert reply.status == 400
    assert reply.headers["content-type"] == JSON
    assert reply.has_good_checksum
    assert reply.json() == {
        "__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
        "message": "Requested resource not found: Table: missing not found",
    }


def test_tagging_replies_with_an_empty_body(connection: RawConnection) -> None:
    created = connection.call("CreateTable", MUSIC | {"TableName": "wire-tags"}).json()
    arn = created["TableDescription"]["TableArn"]
    reply = connection.call("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "b"}]})
    assert (reply.status, reply.body) == (200, b"")


def test_an_item_is_returned_as_it_was_given(connection: RawConnection) -> None:
    make_table(connection, "wire-items")
    deep = {"M": {"a": {"L": [{"N": "1"}, {"NULL": True}]}}}
    item = {"Artist": {"S": "Björk 🎶"}, "Raw": {"B": "AP8="}, "Deep": deep}
    assert connection.call("PutItem", {"TableName": "wire-items", "Item": item}).body == b"{}"
    reply = connection.call("GetItem", {"TableName": "wire-items", "Key": {"Artist": item["Artist"]}})
    assert reply.json() == {"Item": item}


def test_pipelined_requests_get_their_replies_in_order(connection: RawConnection) -> None:
    make_table(connection, "wire-pipeline")
    sent = []
    for number in range(50):
        item = b'{"TableName":"wire-pipeline","Item":{"Artist":{"S":"one"},"Count":{"N":"%d"}}}' % number
        sent.append(post("PutItem", item))
        sent.append(post("GetItem", b'{"TableName":"wire-pipeline","Key":{"Artist":{"S":"one"}}}'))
    connection.send(b"".join(sent))
    for number in range(50):
        put, got = connection.receive(), connection.receive()
        assert put is not None
        assert got is not None
        assert put.body == b"{}"
        assert got.json()["Item"]["Count"] == {"N": str(number)}


def test_a_request_may_come_in_drops(connection: RawConnection) -> None:
    for byte in post("ListTables"):
        connection.send(bytes([byte]))
    reply = connection.receive()
    assert reply is not None
    assert reply.status == 200


def test_a_body_may_come_in_chunks(connection: RawConnection) -> None:
    assert connection.ask(chunked("ListTables", [b"{", b'"Limit"', b":1}"])).status == 200


def test_expect_100_continue_is_supported(connection: RawConnection) -> None:
    whole = post("ListTables", Expect="100-continue")
    connection.send(whole[:-2])
    assert connection.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert connection.ask(whole[-2:]).status == 200


def test_the_connection_stays_open_until_the_client_wants_it_closed(connection: RawConnection) -> None:
    assert connection.call("ListTables", {}).status == 200
    reply = connection.ask(post("ListTables", Connection="close"))
    assert reply.headers["connection"] == "close"
    assert connection.receive() is None


def test_a_client_that_has_no_more_to_send_still_gets_its_replies(connection: RawConnection) -> None:
    connection.send(post("ListTables") * 3 + post("ListTables")[:20])
    connection.socket.shutdown(socket.SHUT_WR)
    replies = [connection.receive() for _ in range(4)]
    assert [reply and reply.status for reply in replies] == [200, 200, 200, None]


def test_a_client_that_has_no_more_to_send_gets_more_replies_than_the_buffers_hold(
    server: ServerProcess, connection: RawConnection
) -> None:
    make_table(connection, "wire-last")
    key = {"Artist": {"S": "a"}}
    connection.call("PutItem", {"TableName": "wire-last", "Item": key | {"text": {"S": "x" * 300_000}}})
    count = 60
    connection.send(post("GetItem", b'{"TableName":"wire-last","Key":{"Artist":{"S":"a"}}}') * count)
    connection.socket.shutdown(socket.SHUT_WR)
    with RawConnection(server.address) as other:
        # Each of these takes one round; if there were room, a request above would get its reply in that round.
        assert all(other.call("ListTables", {}).status == 200 for _ in range(count))
    replies = [connection.receive() for _ in range(count + 1)]
    assert [reply and reply.status for reply in replies] == [200] * count + [None]


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_compressed_requests_and_replies(connection: RawConnection, encoding: str) -> None:
    table = f"wire-{encoding}"
    make_table(connection, table)
    squeeze = gzip.compress if encoding == "gzip" else zlib.compress
    body = b'{"TableName":"%b","Item":{"Artist":{"S":"long"},"Text":{"S":"%b"}}}' % (
        table.encode(),
        b"x" * 5000,
    )
    assert connection.ask(post("PutItem", squeeze(body), Content_Encoding=encoding)).status == 200
    reply = connection.call(
        "GetItem", {"TableName": table, "Key": {"Artist": {"S": "long"}}}, Accept_Encoding=encoding
    )
    assert reply.headers["content-encoding"] == encoding
    assert reply.has_good_checksum
    text = zlib.decompress(reply.body, 47)
    assert b"x" * 5000 in text
    assert "content-encoding" not in connection.call("ListTables", {}, Accept_Encoding=encoding).headers


def test_a_damaged_compressed_body_is_an_internal_error_as_on_aws(connection: RawConnection) -> None:
    reply = connection.ask(post("ListTables", Content_Encoding="gzip"))
    assert (reply.status, reply.kind) == (500, "InternalServerError")
    assert connection.call("ListTables", {}).status == 200


def test_a_web_page_is_rejected(connection: RawConnection) -> None:
    for header, value in (("Origin", "http://evil.example"), ("Origin", "null"), ("Host", "evil.example")):
        reply = connection.call("ListTables", {}, **{header: value})
        assert (reply.status, reply.kind) == (400, "AccessDeniedException")
        assert not [name for name in reply.headers if name.startswith("access-control")]
    preflight = b"OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n"
    assert connection.ask(preflight).status == 400


def test_an_allowed_page_is_let_in() -> None:
    with (
        ServerProcess("--memory", "--allow-origin", "http://localhost:3000") as server,
        RawConnection(server.address) as connection,
    ):
        reply = connection.call("ListTables", {}, Origin="http://localhost:3000")
        assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "*")
        ask = b"OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:3000\r\n"
        preflight = connection.ask(ask + b"Access-Control-Request-Headers: x-amz-target\r\n\r\n")
        assert (preflight.status, preflight.headers["access-control-allow-headers"]) == (200, "x-amz-target")
        assert (
            connection.call("ListTables", {}, Origin="http://localhost:3001").kind == "AccessDeniedException"
        )


def test_the_endpoint_described_is_this_server(server: ServerProcess, connection: RawConnection) -> None:
    endpoints = connection.call("DescribeEndpoints", {}).json()["Endpoints"]
    assert [endpoint["Address"] for endpoint in endpoints] == [server.url.removeprefix("http://")]


def test_bytes_that_are_not_a_request_are_logged_without_content() -> None:
    with ServerProcess("--memory", "-v") as server:
        for nonsense in (b"secret\r\n\r\n", b"POST /secret HTTP/1.1\r\nsecret\r\n\r\n"):
            with RawConnection(server.address) as connection:
                assert connection.ask(nonsense).status == 400
        with RawConnection(server.address) as connection:
            assert connection.ask(post("PutItem", Content_Length=str(10**9))).status == 413
        server.signal()
        _, log = server.wait()
    assert [text.split()[2:6] for text in log.splitlines()] == [
        ["127.0.0.1", "-", "-", status] for status in ("400", "400", "413")
    ]
    assert "secret" not in log


def test_an_absolute_target_is_served_when_it_names_us(connection: RawConnection) -> None:
    ask = b"GET http://%b/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert connection.ask(ask % b"localhost:8000").body == b"healthy: localhost:8000 "
    for host in (b"evil.example", b"localhost@evil.example", b"localhost:8000:1"):
        assert connection.ask(ask % host).kind == "AccessDeniedException"
    called = post("ListTables").replace(b"POST / ", b"POST http://127.0.0.1/ ")
    assert connection.ask(called).status == 200


def test_a_request_without_a_host_or_with_two_closes_the_connection(
    server: ServerProcess,
) -> None:
    for bad in (b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"):
        with RawConnection(server.address) as connection:
            reply = connection.ask(bad)
            assert (reply.status, reply.headers["connection"]) == (400, "close")
            assert connection.receive() is None
