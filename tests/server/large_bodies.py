"""Bodies of up to 16 MB that are expensive in different ways, and a program that sends several of them at once.

    python -m tests.server.large_bodies HOST PORT KIND COUNT SIZE

A program of its own: threads that send would delay the probes of the test.
"""

import base64
import gzip
import json
import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.server.raw_http import RawConnection, post

TABLE = "large-bodies"
MINUTES_FOR_A_REPLY = 5

Body = Callable[[int], bytes]


def _put(item: bytes) -> bytes:
    return b'{"TableName":"%b","Item":{"p":{"S":"1"},%b}}' % (TABLE.encode(), item)


def one_text(size: int) -> bytes:
    return _put(b'"text":{"S":"%b"}' % (b"x" * (size - 200)))


def escaped_text(size: int) -> bytes:
    return _put(b'"text":{"S":"%b"}' % (b"\\u00e9" * (size // 6 - 100)))


def binary(size: int) -> bytes:
    content = base64.b64encode(random.Random(0).randbytes((size - 200) * 3 // 4))
    return _put(b'"binary":{"B":"%b"}' % content)


def lists_of_numbers(size: int) -> bytes:
    row = b'{"L":[' + b",".join([b'{"N":"1"}'] * 1000) + b"]}"
    return _put(b'"list":{"L":[%b]}' % b",".join([row] * (size // (len(row) + 1) - 1)))


def attributes(size: int) -> bytes:
    return _put(b",".join(b'"name%d":{"S":"x"}' % number for number in range(size // 24)))


def unclosed_list(size: int) -> bytes:
    return b'{"TableName":[' + b",".join([b"[1]"] * (size // 4 - 10))


def padded_item(size: int) -> bytes:
    whole = _put(b'"text":{"S":"%b"}' % (b"x" * min(size // 2, 390_000)))
    return whole + b" " * (size - len(whole))


def _texts(count: int, size: int) -> list[dict[str, dict[str, str]]]:
    return [{"p": {"S": str(number)}, "text": {"S": "x" * size}} for number in range(count)]


def batch(size: int) -> bytes:
    items = _texts(25, min(size // 26, 399_000))
    return json.dumps({"RequestItems": {TABLE: [{"PutRequest": {"Item": item}} for item in items]}}).encode()


def transaction(size: int) -> bytes:
    items = _texts(100, min(size // 110, 41_000))
    puts = [{"Put": {"TableName": TABLE, "Item": item}} for item in items]
    whole = json.dumps({"TransactItems": puts}).encode()
    return whole + b" " * (size - len(whole))


KINDS: dict[str, tuple[str, Body]] = {
    "one text": ("PutItem", one_text),
    "escaped text": ("PutItem", escaped_text),
    "binary": ("PutItem", binary),
    "lists of numbers": ("PutItem", lists_of_numbers),
    "attributes": ("PutItem", attributes),
    "unclosed list": ("PutItem", unclosed_list),
    "padded item": ("PutItem", padded_item),
    "batch": ("BatchWriteItem", batch),
    "transaction": ("TransactWriteItems", transaction),
}


def request(kind: str, size: int) -> bytes:
    """A request of a kind; "compressed KIND" is the same with gzip."""
    name = kind.removeprefix("compressed ")
    operation, body = KINDS[name]
    whole = body(size)
    assert len(whole) <= size
    if name == kind:
        return post(operation, whole)
    return post(operation, gzip.compress(whole, 1), Content_Encoding="gzip")


def main(host: str, port: str, kind: str, count: str, size: str) -> None:
    data = request(kind, int(size))

    def send(connection: RawConnection) -> int:
        with connection:
            connection.socket.settimeout(MINUTES_FOR_A_REPLY * 60)
            return connection.ask(data).status

    connections = [RawConnection((host, int(port))) for _ in range(int(count))]
    with ThreadPoolExecutor(len(connections)) as pool:
        sys.stdout.write(json.dumps(list(pool.map(send, connections))))


if __name__ == "__main__":
    main(*sys.argv[1:])
