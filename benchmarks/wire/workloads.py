"""Workloads: the requests that are measured, as a signing client would send them, and the table they work on."""

import http.client
import json
import time
from collections.abc import Callable
from itertools import count
from typing import Any

from benchmarks.items import ITEMS_PER_PARTITION, TABLE, item, key, query

ITEMS = 1000
VARIANTS = 500
BATCH = 25

_COUNTS = count()

# As long as an SDK's header; no server here verifies it.
_SIGNATURE = (
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/dynamodb/aws4_request, "
    f"SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature={'0' * 64}"
)
_HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "User-Agent": "Boto3/1.43 md/Botocore#1.43 ua/2.1 os/linux#6.1 md/arch#x86_64 lang/python#3.11",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": _SIGNATURE,
}


def message(operation: str, request: dict[str, Any]) -> bytes:
    """A request as bytes."""
    body = json.dumps(request)
    headers = {"Host": "127.0.0.1", "X-Amz-Target": f"DynamoDB_20120810.{operation}", **_HEADERS}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST / HTTP/1.1\r\n{lines}Content-Length: {len(body)}\r\n\r\n{body}".encode()


def _update(number: int) -> dict[str, Any]:
    return {
        "TableName": "bench",
        "Key": key(number),
        "UpdateExpression": "SET #c = #c + :one, attribute1 = :text",
        "ExpressionAttributeNames": {"#c": "count"},
        "ExpressionAttributeValues": {":one": {"N": "1"}, ":text": {"S": f"{number:08}" * 9}},
    }


def _transaction(number: int) -> dict[str, Any]:
    other = (number + ITEMS // 2) % ITEMS
    return {
        "TransactItems": [
            {"Put": _put(number)},
            {"Update": _update(other)},
        ]
    }


def _get(number: int) -> dict[str, Any]:
    return {"TableName": "bench", "Key": key(number)}


def _put(number: int) -> dict[str, Any]:
    return {"TableName": "bench", "Item": item(number) | {"count": {"N": str(next(_COUNTS))}}}


def _variants() -> list[int]:
    """Each item is put in two versions, because putting an unchanged item would be less work."""
    return [(place * 7919) % ITEMS for place in range(VARIANTS)] * 2


REQUESTS: dict[str, tuple[str, Callable[[int], dict[str, Any]]]] = {
    "GetItem": ("GetItem", _get),
    "PutItem": ("PutItem", _put),
    "UpdateItem": ("UpdateItem", _update),
    f"Query of {ITEMS_PER_PARTITION}": ("Query", query),
    "TransactWriteItems of 2": ("TransactWriteItems", _transaction),
}
"""The operation, and a function from an item's number to its request."""

WORKLOADS = {
    name: [message(operation, request(number)) for number in _variants()]
    for name, (operation, request) in REQUESTS.items()
}


def fill(address: tuple[str, int]) -> None:
    """Create the table, and put the items into it."""
    line = http.client.HTTPConnection(*address)
    create(line)
    for start in range(0, ITEMS, BATCH):
        puts = [{"PutRequest": {"Item": item(number)}} for number in range(start, start + BATCH)]
        call(line, "BatchWriteItem", {"RequestItems": {"bench": puts}})
    line.close()


def create(line: http.client.HTTPConnection) -> None:
    """Create the table, and wait until it is active."""
    call(line, "CreateTable", TABLE)
    while call(line, "DescribeTable", {"TableName": "bench"})["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(0.1)


def call(line: http.client.HTTPConnection, operation: str, request: dict[str, Any]) -> dict[str, Any]:
    """One request that must succeed."""
    target = f"DynamoDB_20120810.{operation}"
    line.request("POST", "/", json.dumps(request), {"X-Amz-Target": target, **_HEADERS})
    reply = line.getresponse()
    body = reply.read()
    if reply.status != 200:
        raise RuntimeError(f"{operation}: {reply.status} {body.decode()}")
    return json.loads(body) if body else {}
