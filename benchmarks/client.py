"""boto3 in the process against boto3 over a socket: `embedded().client()` next to every peer found on this machine."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from benchmarks.items import TABLE, item
from benchmarks.settings import Settings
from benchmarks.timing import compare, table
from benchmarks.wire.contestants import CONTESTANTS, Running
from benchmarks.wire.workloads import ITEMS, REQUESTS, fill
from tablewright import embedded

CALLS = 60
ROUNDS = 7
_METHODS = {
    "GetItem": "get_item",
    "PutItem": "put_item",
    "UpdateItem": "update_item",
    "Query": "query",
    "TransactWriteItems": "transact_write_items",
}


def report(settings: Settings) -> Iterator[str]:
    """One table for each operation."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack, embedded() as db:
        clients = {"boto3 in the process: embedded().client()": db.client()}
        db.call("CreateTable", TABLE)
        for number in range(ITEMS):
            db.call("PutItem", {"TableName": "bench", "Item": item(number)})
        for contestant in CONTESTANTS:
            if contestant.is_ours:
                continue
            if absence := contestant.absence():
                yield f"Absent: {contestant.name}, as {absence}.\n"
                continue
            running = stack.enter_context(Running(contestant, Path(folder)))
            fill(running.address)
            clients[f"boto3 over a socket: {contestant.name}"] = socket_client(*running.address)
        for title, (operation, request) in REQUESTS.items():
            contestants = {
                name: _caller(getattr(client, _METHODS[operation]), request)
                for name, client in clients.items()
            }
            able = {name: caller for name, caller in contestants.items() if _works(caller)}
            yield table(f"{title} by boto3", compare(able, CALLS, settings.rounds(ROUNDS)))


def socket_client(host: str, port: int) -> Any:
    """A boto3 client of a peer, without retries."""
    return boto3.client(
        "dynamodb",
        endpoint_url=f"http://{host}:{port}",
        region_name="us-east-1",
        aws_access_key_id="AKIDEXAMPLE",  # the one that filled the tables: DynamoDB Local keeps a database for each
        aws_secret_access_key="secret",
        config=Config(retries={"max_attempts": 0}),
    )


def _caller(method: Callable[..., object], request: Callable[[int], dict[str, Any]]) -> Callable[[], object]:
    turns = count()
    return lambda: method(**request(next(turns) % ITEMS))


def _works(caller: Callable[[], object]) -> bool:
    """Whether a contestant supports the operation."""
    try:
        caller()
    except ClientError:
        return False
    return True
