"""Single-item operations are linearizable, across kills of the server; and the checker reports what is not."""

import json
import random
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.server.consistency.clients import CLIENTS, Reply, RestartedServer, Send, kill_between
from tests.server.consistency.linearizability import ANY, NEVER, Operation, problems
from tests.server.consistency.single_items import TABLE, run_workload
from tests.thread_switching import frequent_thread_switches


def overlaps(history: list[Operation]) -> int:
    """The number of operations that began before another one of the same item had ended."""
    last_end: dict[str, float] = {}
    found = 0
    for operation in sorted(history, key=lambda operation: operation.start):
        found += operation.start < last_end.get(operation.key, 0)
        last_end[operation.key] = max(operation.end, last_end.get(operation.key, 0))
    return found


@pytest.mark.parametrize(
    ("operations", "keys", "kills", "workers"),
    [
        (2_000, 6, 1, 1),
        (2_000, 6, 1, 2),
        pytest.param(100_000, 40, 10, 1, marks=pytest.mark.soak),
        pytest.param(100_000, 40, 10, 2, marks=pytest.mark.soak),
    ],
    ids=["2000", "2000-workers", "100000", "100000-workers"],
)
def test_operations_of_eight_clients_are_linearizable(
    tmp_path: Path, operations: int, keys: int, kills: int, workers: int
) -> None:
    with RestartedServer(tmp_path / "data.db", workers=workers) as server:
        clients = [server.client() for _ in range(CLIENTS)]
        assert clients[0]("CreateTable", TABLE)[0] == 200
        waiting = iter(clients)
        history = run_workload(
            lambda: next(waiting), operations, keys, 1, kill_between(server, kills, operations)
        )
        for client in clients:
            client.close()
    assert server.kills == kills
    assert server.lost_replies
    assert overlaps(history) > operations / 10
    assert not problems(history)


def check_planted(plant: Callable[[Send], Send], operations: int = 2_000) -> list[str]:
    """The problems of a workload in this process, whose clients reach the database through a planted bug."""
    with closing(Database(open_store())) as db:
        db.call("CreateTable", TABLE)

        def send(operation: str, request: dict[str, Any]) -> Reply:
            status, body = db.call_json(operation, json.dumps(request).encode())
            return status, json.loads(body)

        planted = plant(send)
        with frequent_thread_switches():
            return problems(run_workload(lambda: planted, operations, 3, 1))


def test_a_database_without_a_planted_bug_has_no_problem() -> None:
    assert not check_planted(lambda send: send)


def test_a_stale_read_is_reported() -> None:
    def plant(send: Send) -> Send:
        generator = random.Random(0)
        earlier: dict[str, Reply] = {}

        def stale(operation: str, request: dict[str, Any]) -> Reply:
            if operation != "GetItem":
                return send(operation, request)
            key = str(request["Key"])
            if key in earlier and generator.random() < 0.2:
                return earlier[key]
            reply = send(operation, request)
            if generator.random() < 0.1:
                earlier[key] = reply
            return reply

        return stale

    assert check_planted(plant)


def test_a_lost_write_is_reported() -> None:
    def plant(send: Send) -> Send:
        generator = random.Random(0)

        def lose(operation: str, request: dict[str, Any]) -> Reply:
            if operation == "PutItem" and len(request) == 2 and generator.random() < 0.2:
                return 200, {}
            return send(operation, request)

        return lose

    assert check_planted(plant)


def test_a_write_after_its_reply_is_reported() -> None:
    def plant(send: Send) -> Send:
        generator = random.Random(0)
        late: list[tuple[str, dict[str, Any]]] = []

        def reorder(operation: str, request: dict[str, Any]) -> Reply:
            if operation == "PutItem" and len(request) == 2 and generator.random() < 0.2:
                late.append((operation, request))
                return 200, {}
            reply = send(operation, request)
            if late and operation == "UpdateItem":
                send(*late.pop())
            return reply

        return reorder

    assert check_planted(plant)


def test_an_add_in_two_requests_is_reported() -> None:
    def plant(send: Send) -> Send:
        between = threading.Barrier(2)

        def add(operation: str, request: dict[str, Any]) -> Reply:
            if operation != "UpdateItem":
                return send(operation, request)
            before = send("GetItem", {"TableName": "items", "Key": request["Key"], "ConsistentRead": True})
            try:
                between.wait(0.01)  # for another client that adds; the operation is wrong without it, too
            except threading.BrokenBarrierError:
                between.reset()
            old = before[1].get("Item", {})
            n = int(old.get("n", {"N": "0"})["N"]) + int(request["ExpressionAttributeValues"][":n"]["N"])
            after = request["Key"] | old | {"n": {"N": str(n)}}
            send("PutItem", {"TableName": "items", "Item": after})
            return 200, {"Attributes": {"n": {"N": str(n)}}}

        return add

    assert check_planted(plant, 400)


def operation(kind: Any, start: int, end: float, **more: Any) -> Operation:
    return Operation("a", kind, start, end, **more)


def test_operations_that_overlap_may_take_effect_in_either_order() -> None:
    first = operation("put", 0, 10, value=1, result=ANY)
    overlapping = operation("put", 5, 15, value=2, result=ANY)
    later = overlapping._replace(start=12)
    read = operation("get", 20, 30, result=(1, None))
    assert not problems([first, overlapping, read])
    assert problems([first, later, read])
    assert problems([first, read._replace(result=None)])


def test_a_write_without_a_reply_may_take_effect_later_or_never() -> None:
    lost = operation("put", 0, NEVER, value=1)
    absent, there = operation("get", 10, 20, result=None), operation("get", 30, 40, result=(1, None))
    assert not problems([lost, absent])
    assert not problems([lost, absent, there])
    assert problems([lost, there, absent._replace(start=50, end=60)])
