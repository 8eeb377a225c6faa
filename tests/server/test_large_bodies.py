"""Eight bodies of 16 MB at once, each expensive in its own way: no other client waits longer than 250 ms.

A wait counts with the processor time that the server used meanwhile, if that is less than the time that passed: on a
busy machine, other programs delay the probes as well.
"""

import json
import subprocess
import sys
import time
from typing import Any

import pytest

from tablewright.server.http_requests import MAX_BODY
from tests.server.large_bodies import KINDS, TABLE
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection

LONGEST_WAIT = 0.25
SCHEMA = {
    "TableName": TABLE,
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
PROBES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ListTables", {}),
    ("GetItem", {"TableName": TABLE, "Key": {"p": {"S": "probe"}}}),
    ("PutItem", {"TableName": TABLE, "Item": {"p": {"S": "probe"}}}),
)
ACCEPTED = ("padded item", "batch", "transaction")
COMPRESSED = ("compressed one text", "compressed binary", "compressed lists of numbers")


def processor_clock(process: int) -> int:
    """The clock of the processor time of a process, for `time.clock_gettime`: as Linux numbers these clocks."""
    return (~process << 3) | 2


def waits(server: ServerProcess, senders: "subprocess.Popen[str]") -> list[float]:
    """The seconds that the server made each probe wait, on a new connection, while the bodies are served."""
    clock = processor_clock(server.pid)
    seconds: list[float] = []
    while senders.poll() is None or not seconds:
        for operation, request in PROBES:
            start, used = time.monotonic(), time.clock_gettime(clock)
            with RawConnection(server.address) as connection:
                assert connection.call(operation, request).status == 200
            seconds.append(min(time.monotonic() - start, time.clock_gettime(clock) - used))
    return seconds


@pytest.mark.parametrize(
    ("count", "size", "limit"),
    [(2, 2 * 1024 * 1024, None), pytest.param(8, MAX_BODY, LONGEST_WAIT, marks=pytest.mark.soak)],
    ids=["2 of 2 MB", "8 of 16 MB"],
)
def test_large_bodies_do_not_delay_other_clients(
    tmp_path_factory: pytest.TempPathFactory, count: int, size: int, limit: float | None
) -> None:
    longest: dict[str, float] = {}
    with ServerProcess("--on", str(tmp_path_factory.mktemp("large") / "data.db")) as server:
        with RawConnection(server.address) as connection:
            assert connection.call("CreateTable", SCHEMA).status == 200
            for operation, request in PROBES:
                # The first call of an operation loads its module.
                assert connection.call(operation, request).status == 200
        host, port = server.address
        for kind in (*KINDS, *COMPRESSED):
            command = [sys.executable, "-m", "tests.server.large_bodies"]
            with subprocess.Popen(
                [*command, host, str(port), kind, str(count), str(size)], stdout=subprocess.PIPE, text=True
            ) as senders:
                longest[kind] = max(waits(server, senders))
                assert senders.stdout is not None
                statuses = json.loads(senders.stdout.read())
            assert len(statuses) == count
            assert set(statuses) == ({200} if kind in ACCEPTED else {400}), kind
    shown = ", ".join(f"{kind}: {seconds * 1000:.0f} ms" for kind, seconds in longest.items())
    assert limit is None or max(longest.values()) < limit, shown
