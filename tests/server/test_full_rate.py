"""A server at full rate: memory, file descriptors and the log of the data file do not grow."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.engine.order_table import ORDERS
from tests.server.consistency.clients import CLIENTS, run_together
from tests.server.process_growth import MB, Growth, Sample
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection, post

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

ROUND = 20
ITEMS = 2_000


def key(generator: random.Random) -> dict[str, Any]:
    number = generator.randrange(ITEMS)
    return {"pk": {"S": f"order-{number % 50}"}, "sk": {"N": str(number)}}


def item(generator: random.Random) -> dict[str, Any]:
    return {
        **key(generator),
        "team": {"S": generator.choice(["red", "blue", "green"])},
        "rank": {"N": str(generator.randrange(1000))},
        "note": {"S": "x" * generator.randrange(2_000)},
    }


def request(generator: random.Random) -> bytes:
    """One request of a mix of reads and writes; the number of items is bounded."""
    table = {"TableName": "orders"}
    operation: str
    body: dict[str, Any]
    match generator.randrange(8):
        case 0 | 1 | 2:
            operation, body = "GetItem", table | {"Key": key(generator), "ConsistentRead": True}
        case 3 | 4:
            operation, body = "PutItem", table | {"Item": item(generator)}
        case 5:
            operation = "UpdateItem"
            body = table | {
                "Key": key(generator),
                "UpdateExpression": "ADD visits :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
            }
        case 6:
            operation = "Query"
            body = table | {
                "IndexName": "by-team",
                "KeyConditionExpression": "team = :t",
                "ExpressionAttributeValues": {":t": {"S": "red"}},
                "Limit": 10,
            }
        case _:
            operation = "TransactWriteItems"
            puts = {str(put["sk"]): put for put in (item(generator) for _ in range(3))}
            body = {"TransactItems": [{"Put": table | {"Item": put}} for put in puts.values()]}
    return post(operation, json.dumps(body).encode())


def run_client(server: ServerProcess, number: int, is_over: Callable[[int], bool]) -> None:
    """Send rounds of requests, each on one connection without waiting for single replies, until it is over."""
    generator = random.Random(number)
    requests = [request(generator) for _ in range(2_000)]
    sent = 0
    with RawConnection(server.address) as connection:
        while not is_over(sent):
            connection.send(b"".join(generator.choices(requests, k=ROUND)))
            for _ in range(ROUND):
                reply = connection.receive()
                assert reply is not None
                assert reply.status == 200 or reply.kind == "TransactionCanceledException", reply
            sent += ROUND


def load(directory: Path, is_over: Callable[[int], bool], period: float) -> Growth:
    """Run eight clients of a server on a file, each until `is_over(its requests)`; return what the server used."""
    data = directory / "data.db"
    with ServerProcess("--on", str(data), forked=False) as server:
        with RawConnection(server.address) as connection:
            assert connection.call("CreateTable", ORDERS).status == 200
        with Growth(server.pid, data, period) as growth:
            run_together([partial(run_client, server, number, is_over) for number in range(CLIENTS)])
    return growth


def test_descriptors_and_the_log_are_bounded(tmp_path: Path) -> None:
    growth = load(tmp_path, lambda sent: sent >= 400, 0.02)
    assert growth.longest_log < 64 * MB
    assert growth.descriptors_gained <= CLIENTS  # readers open their connections when they are first needed


@pytest.mark.soak
def test_ten_minutes_at_full_rate(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    end = time.monotonic() + 600
    growth = load(tmp_path, lambda sent: time.monotonic() > end, 1.0)
    record_property("MB of memory gained per minute", growth.memory_per_minute)
    record_property("file descriptors", growth.samples[-1].descriptors)
    record_property("bytes of the log", growth.longest_log)
    assert len(growth.samples) > 300
    assert growth.memory_per_minute < 1
    assert growth.descriptors_gained <= 0
    assert 0 < growth.longest_log < 64 * MB


LEAK = """
import sys, time
kept = []
with open(sys.argv[1] + "-wal", "wb") as log:
    while True:
        kept.append((bytearray(100_000), open(sys.argv[1] + "-wal")))
        log.write(bytes(1_000_000))
        log.flush()
        print(flush=True)
        time.sleep(0.005)
"""


def test_a_process_that_leaks_is_noticed(tmp_path: Path) -> None:
    data = tmp_path / "data.db"
    with subprocess.Popen([sys.executable, "-c", LEAK, str(data)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        with Growth(process.pid, data, 0.02) as growth:
            for _ in range(100):
                process.stdout.readline()
        process.kill()
    assert growth.memory_per_minute > 1
    assert growth.descriptors_gained > 10
    assert growth.longest_log > 64 * MB


def test_a_process_that_fills_its_caches_once_does_not_grow(tmp_path: Path) -> None:
    growth = Growth(0, tmp_path / "data.db")
    growth.samples = [Sample(second, min(second, 10) * MB, min(second, 10), MB) for second in range(80)]
    assert growth.memory_per_minute == pytest.approx(0)
    assert growth.descriptors_gained == 0
    assert growth.longest_log == MB
