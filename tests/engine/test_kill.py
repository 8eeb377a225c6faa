"""kill -9 at random times: acknowledged writes are kept, no transaction is partial, every index matches its table."""

import random
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.integrity import assert_indexes_match
from tests.forked_processes import ForkedProcess

ROOT = Path(__file__).parents[2]
Row = tuple[str, int]


def killed_writer(path: Path, turn: int, acknowledgements: int) -> list[str]:
    """Start the writer, kill it after so many acknowledgements; return all acknowledged writes."""
    command = [sys.executable, "-m", "tests.engine.killed_writer", str(path), str(turn)]
    with ForkedProcess(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        acknowledged = [process.stdout.readline() for _ in range(acknowledgements + 1)]
        process.send_signal(signal.SIGKILL)
        acknowledged += process.stdout.readlines()
    return [line.strip() for line in acknowledged if line.endswith("\n")]


def all_rows(db: Database) -> dict[Row, int]:
    """Every item's key, with its rank."""
    rows: dict[Row, int] = {}
    start: dict[str, object] = {}
    while True:
        reply = db.call("Scan", {"TableName": "orders", "ConsistentRead": True, **start})
        for item in reply["Items"]:
            rows[item["pk"]["S"], int(item["sk"]["N"])] = int(item["rank"]["N"])
        if "LastEvaluatedKey" not in reply:
            return rows
        start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}


def check(rows: dict[Row, int], acknowledged: list[str]) -> None:
    """Assert that every acknowledged write is stored."""
    counted: dict[str, int] = defaultdict(int)
    for line in acknowledged:
        if line == "ready":
            continue
        kind, name, number = line.split()
        match kind:
            case "put":
                assert (name, int(number)) in rows, f"lost: {line}"
            case "transact":
                assert all((f"{name}-{leg}", int(number)) in rows for leg in "xyz"), f"lost: {line}"
            case _:
                counted[name] = int(number)
    for name, last in counted.items():
        assert rows[name, 0] >= last, f"lost counts of {name}"


def assert_no_torn_transaction(rows: dict[Row, int]) -> None:
    legs: dict[Row, set[str]] = defaultdict(set)
    for name, number in rows:
        if name.startswith("tx-"):
            legs[name[:-2], number].add(name[-1])
    assert all(found == {"x", "y", "z"} for found in legs.values())


@pytest.mark.parametrize("kills", [10, pytest.param(100, marks=pytest.mark.soak)])
def test_kills_at_random_times_lose_nothing(tmp_path: Path, kills: int) -> None:
    generator = random.Random(20)
    everything: list[str] = []
    path = tmp_path / "data.db"
    for turn in range(kills):
        acknowledged = killed_writer(path, turn, acknowledgements=generator.randrange(40))
        everything += acknowledged
        db = Database(open_store(path))
        rows = all_rows(db)
        check(rows, acknowledged)
        assert_no_torn_transaction(rows)
        if turn % 10 == 9:
            assert_indexes_match(db)
            check(rows, everything)
        db.close()
    assert len(everything) > kills
