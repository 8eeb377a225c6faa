"""Moves whose command is killed, under a writer: every item arrives, none is lost or revived."""

import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from benchmarks.wire.contestants import CONTESTANTS, Running
from tablewright import Connection
from tablewright.connections.remote import Remote
from tests import forked_processes
from tests.forked_processes import ForkedProcess
from tests.lifecycle.move.moves import change, create, fill, items
from tests.lifecycle.stores import writers
from tests.server.processes import ServerProcess

ROOT = Path(__file__).parent.parent.parent.parent
# DynamoDB Local has a database for each access key; these are the credentials of a connection that has none.
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "tablewright", "AWS_SECRET_ACCESS_KEY": "tablewright"}
DYNAMODB_LOCAL = next(
    contestant for contestant in CONTESTANTS if contestant.name.startswith("DynamoDB Local")
)


def command(source: str, target: str, *options: str) -> list[str]:
    where = ("--from", source, "--to", target)
    return [
        sys.executable,
        "-m",
        "tablewright",
        "move",
        "tests.lifecycle.move.moves:DESIGN",
        *where,
        *options,
    ]


def run(source: str, target: str, *options: str) -> None:
    done = forked_processes.run(command(source, target, *options), cwd=ROOT, env=environment())
    assert done.returncode == 0, done.stdout + done.stderr


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    return {**os.environ, "PYTHONPATH": path, **CREDENTIALS}


def killed(source: str, target: str, kills: int, random_source: random.Random) -> int:
    """Start the command again and again, and kill it after a random time; return how often it was still running."""
    count = 0
    for _ in range(kills):
        process = ForkedProcess(
            command(source, target),
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        timer = threading.Timer(random_source.uniform(0.7, 2.5), process.kill)
        timer.start()
        count += process.wait() == -9
        timer.cancel()
    return count


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    connection = Remote("us-east-1", url)
    try:
        yield connection
    finally:
        connection.close()


def moved(source: str, target: str, kills: int, seed: int) -> None:
    """Move under a writer, with kills; then switch, write at the target, and come back, with kills."""
    random_source = random.Random(seed)
    with connected(source) as old, connected(target) as new:
        with writers(lambda number: change(old, random_source, number)) as running:
            running.wait_for(1)
            assert killed(source, target, kills, random.Random(seed)) == kills
            running.wait_for(20)
        run(source, target, "--once")
        assert items(old) == items(new)
        switched = ForkedProcess(
            command(source, target, "--switch-to", "target"),
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert switched.stdout is not None
        lines = [switched.stdout.readline() for _ in range(2)]
        assert "Start your programs at the target now" in lines[1], lines
        with writers(lambda number: change(new, random_source, number)) as running:
            running.wait_for(5)
            switched.kill()
            switched.communicate()
            assert killed(source, target, kills, random.Random(seed + 1)) == kills
            running.wait_for(5)
        run(source, target, "--once")
        assert items(old) == items(new)


@pytest.mark.parametrize(
    ("count", "kills"),
    [(200, 1), pytest.param(20_000, 20, marks=pytest.mark.soak)],
    ids=["1 kill", "20 kills"],
)
def test_a_killed_command_loses_and_revives_nothing(tmp_path: Path, count: int, kills: int) -> None:
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(ServerProcess("--on", str(tmp_path / name))) for name in ("a.db", "b.db")
        )
        with connected(first.url) as connection:
            create(connection)
            fill(connection, count)
        moved(first.url, second.url, kills, seed=1)


@pytest.mark.soak
@pytest.mark.skipif(
    DYNAMODB_LOCAL.absence() is not None, reason="DynamoDB Local is not installed (make bench-peers)"
)
def test_tables_are_moved_to_another_implementation_and_back(tmp_path: Path) -> None:
    with ExitStack() as stack:
        ours = stack.enter_context(ServerProcess("--on", str(tmp_path / "a.db")))
        local = stack.enter_context(Running(DYNAMODB_LOCAL, tmp_path))
        with connected(ours.url) as connection:
            create(connection)
            fill(connection, 2_000)
        moved(ours.url, "http://{}:{}".format(*local.address), 20, seed=2)
