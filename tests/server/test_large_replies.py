"""Eight large replies at once, each expensive in its own way: no other client waits longer than 250 ms.

The limit is for the processor time of the server (see `waits`).
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.forked_processes import ForkedProcess
from tests.server.large_replies import ELEMENTS, KINDS, fill
from tests.server.processes import ServerProcess
from tests.server.waits import Wait, longest_wait, prepare, worst_of

LONGEST_WAIT = 0.25


def longest_waits(server: ServerProcess, count: int, kinds: Iterable[str] = KINDS) -> dict[str, Wait]:
    """The longest wait of a client beside replies of each kind, which must all be alike."""
    host, port = server.address
    longest: dict[str, Wait] = {}
    for kind in kinds:
        command = [sys.executable, "-m", "tests.server.large_replies", host, str(port), kind, str(count)]
        with ForkedProcess(command, stdout=subprocess.PIPE, text=True) as senders:
            longest[kind] = longest_wait(server, senders)
            assert senders.stdout is not None
            replies = json.loads(senders.stdout.read())
        assert len(replies) == count
        assert replies[0][0] == 200, kind
        assert len(set(map(tuple, replies))) == 1, f"{kind}: {replies}"
    return longest


@pytest.mark.parametrize(
    ("count", "rows", "elements", "limit"),
    [
        (2, 3_000, 2_000, None),
        pytest.param(8, 150_000, ELEMENTS, LONGEST_WAIT, marks=pytest.mark.soak),
    ],
    ids=["2 of 3,000 items", "8 of 150,000 items or 16 MB"],
)
def test_large_replies_do_not_delay_other_clients(
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    count: int,
    rows: int,
    elements: int,
    limit: float | None,
) -> None:
    path = tmp_path / "data.db"
    fill(path, rows, elements)
    with ServerProcess("--on", str(path)) as server:
        prepare(server)
        longest = longest_waits(server, count)
    worst = worst_of(longest.values())
    record_property("longest wait", str(worst))
    shown = "\n".join(f"{kind}: {wait}" for kind, wait in longest.items())
    assert limit is None or worst.used < limit, shown


ON_THE_EVENT_LOOP = """
from tablewright.engine.core import sessions
sessions.MOST_ROWS = sessions.MOST_BYTES = 1 << 60
"""


def test_long_reads_on_the_event_loop_are_found(tmp_path: Path) -> None:
    """Without the budget, a client waits for a whole page with its filter."""
    path = tmp_path / "data.db"
    fill(path, 15_000, 10)
    with ServerProcess("--on", str(path), planted=ON_THE_EVENT_LOOP) as server:
        prepare(server)
        longest = longest_waits(server, 4, ["page, filtered"])
    assert longest["page, filtered"].used > LONGEST_WAIT
