"""Damaged replies: a wrong checksum, a cut body, and what is no JSON are not results."""

from zlib import crc32

import pytest

from tablewright.connections.damaged_replies import DamagedReply, check_reply, reject_damaged_reply

BODY = b'{"Item":{}}'


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, {}, BODY),
        (200, {"content-length": str(len(BODY)), "x-amz-crc32": str(crc32(BODY))}, BODY),
        (200, {"x-amz-crc32": str(crc32(BODY))}, bytearray(BODY)),
        (400, {"x-amz-crc32": "0"}, b""),
        (503, {}, b"<html>"),
    ],
)
def test_a_reply_as_it_was_sent_is_accepted(status: int, headers: dict[str, str], body: bytes) -> None:
    check_reply(status, headers, body)


@pytest.mark.parametrize(
    ("status", "headers", "body", "problem"),
    [
        (200, {"x-amz-crc32": str(crc32(BODY))}, BODY + b" ", "checksum is"),
        (400, {"x-amz-crc32": "5"}, BODY, "header x-amz-crc32 is 5"),
        (200, {"content-length": "20"}, BODY, "11 of 20 bytes arrived"),
        (200, {}, b"<html>", "not a JSON object"),
        (200, {}, b"", "not a JSON object"),
        (200, {}, BODY[:-3], "not a JSON object"),
    ],
)
def test_a_damaged_reply_is_named(status: int, headers: dict[str, str], body: bytes, problem: str) -> None:
    with pytest.raises(DamagedReply, match=problem):
        check_reply(status, headers, body)


class Operation:
    def __init__(self, output_shape: object) -> None:
        self.output_shape = output_shape


def test_the_event_handler_accepts_headers_in_any_case() -> None:
    reply = {"status_code": 200, "headers": {"X-Amz-Crc32": "5"}, "body": BODY}
    with pytest.raises(DamagedReply):
        reject_damaged_reply(reply, Operation("GetItemOutput"), event_name="before-parse")


def test_an_operation_may_reply_with_nothing() -> None:
    reply = {"status_code": 200, "headers": {"content-length": "0"}, "body": b""}
    reject_damaged_reply(reply, Operation(None))
    with pytest.raises(DamagedReply, match="not a JSON object"):
        reject_damaged_reply(reply, Operation("GetItemOutput"))
