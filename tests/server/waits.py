"""Waits: how long other clients wait while expensive requests are served.

The limit of a wait is for the processor time that the server used meanwhile: on a busy machine, other programs delay
the client as well. The time that passed is reported beside it.
"""

import subprocess
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection

TABLE = "waits"
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


def prepare(server: ServerProcess) -> None:
    """Create the table of the probes, and send each probe once: the first call of an operation loads its module."""
    with RawConnection(server.address) as connection:
        assert connection.call("CreateTable", SCHEMA).status == 200
        for operation, request in PROBES:
            assert connection.call(operation, request).status == 200


def processor_clock(process: int) -> int:
    """The clock of the processor time of a process, for `time.clock_gettime`: as Linux numbers these clocks."""
    return (~process << 3) | 2


class Wait(NamedTuple):
    """The longest wait of a client, in seconds."""

    elapsed: float
    used: float
    """The processor time that the server used while a client waited, if less than the time that passed."""

    def __str__(self) -> str:
        return f"{self.used * 1000:.0f} ms of processor time, {self.elapsed * 1000:.0f} ms elapsed"


def longest_wait(server: ServerProcess, senders: "subprocess.Popen[str]") -> Wait:
    """Send probes, each on a new connection, while the senders run."""
    clock = processor_clock(server.pid)
    elapsed: list[float] = []
    used: list[float] = []
    while senders.poll() is None or not elapsed:
        for operation, request in PROBES:
            start, before = time.monotonic(), time.clock_gettime(clock)
            with RawConnection(server.address) as connection:
                assert connection.call(operation, request).status == 200
            elapsed.append(time.monotonic() - start)
            used.append(min(elapsed[-1], time.clock_gettime(clock) - before))
    return Wait(max(elapsed), max(used))


def worst_of(waits: Iterable[Wait]) -> Wait:
    """The longest times of several waits."""
    waits = list(waits)
    return Wait(max(wait.elapsed for wait in waits), max(wait.used for wait in waits))
