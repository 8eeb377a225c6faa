"""HTTP replies: the bytes that are sent."""

import re
import zlib

from tablewright.server.http_replies import INTERNAL_FAILURE, Reply


def test_a_reply_has_the_headers_of_aws() -> None:
    head, _, body = Reply(200, b'{"a":1}', headers=b"x: y\r\n").message().partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    assert (status, body) == ("HTTP/1.1 200 OK", b'{"a":1}')
    assert headers["content-type"] == "application/x-amz-json-1.0"
    assert headers["content-length"] == "7"
    assert headers["x-amz-crc32"] == str(zlib.crc32(body))
    assert headers["x"] == "y"
    assert re.fullmatch("[0-9A-F]{52}", headers["x-amzn-requestid"])
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", headers["date"])
    assert "connection" not in headers


def test_the_last_reply_of_a_connection_says_so() -> None:
    assert b"\r\nconnection: close\r\n" in Reply(404, b"").message(keep_alive=False)


def test_a_failure_is_an_internal_server_error() -> None:
    assert INTERNAL_FAILURE.status == 500
    assert b"#InternalServerError" in INTERNAL_FAILURE.body
