"""Eight bodies of 16 MB at once, each expensive in its own way: no other client waits longer than 250 ms.

The limit is for the processor time of the server (see `waits`).
"""

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from tablewright.server.http_messages import MAX_BODY
from tests.forked_processes import ForkedProcess
from tests.server.large_bodies import KINDS, TABLE
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection
from tests.server.waits import SCHEMA, Wait, longest_wait, prepare, worst_of

LONGEST_WAIT = 0.25
ACCEPTED = ("padded item", "batch", "transaction")
COMPRESSED = ("compressed one text", "compressed binary", "compressed lists of numbers")


@pytest.mark.parametrize(
    ("count", "size", "limit"),
    [(2, 2 * 1024 * 1024, None), pytest.param(8, MAX_BODY, LONGEST_WAIT, marks=pytest.mark.soak)],
    ids=["2 of 2 MB", "8 of 16 MB"],
)
def test_large_bodies_do_not_delay_other_clients(
    tmp_path_factory: pytest.TempPathFactory,
    record_property: Callable[[str, object], None],
    count: int,
    size: int,
    limit: float | None,
) -> None:
    longest: dict[str, Wait] = {}
    with ServerProcess("--on", str(tmp_path_factory.mktemp("large") / "data.db")) as server:
        prepare(server)
        with RawConnection(server.address) as connection:
            assert connection.call("CreateTable", SCHEMA | {"TableName": TABLE}).status == 200
        host, port = server.address
        for kind in (*KINDS, *COMPRESSED):
            command = [sys.executable, "-m", "tests.server.large_bodies"]
            with ForkedProcess(
                [*command, host, str(port), kind, str(count), str(size)], stdout=subprocess.PIPE, text=True
            ) as senders:
                longest[kind] = longest_wait(server, senders)
                assert senders.stdout is not None
                statuses = json.loads(senders.stdout.read())
            assert len(statuses) == count
            assert set(statuses) == ({200} if kind in ACCEPTED else {400}), kind
    worst = worst_of(longest.values())
    record_property("longest wait", str(worst))
    shown = "; ".join(f"{kind}: {wait}" for kind, wait in longest.items())
    assert limit is None or worst.used < limit, shown
