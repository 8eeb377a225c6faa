"""Transactions are strictly serializable, across kills of the server; and the checker reports what is not."""

import json
import random
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.server.consistency.clients import Reply, RestartedServer, Send, kill_between
from tests.server.consistency.list_appends import TABLE, run_workload
from tests.server.consistency.serializability import NEVER, Transaction, problems
from tests.thread_switching import frequent_thread_switches


@pytest.mark.parametrize(
    ("transactions", "kills"),
    [(600, 1), pytest.param(10_000, 10, marks=pytest.mark.soak)],
    ids=["600", "10000"],
)
def test_transactions_of_eight_clients_are_serializable(
    tmp_path: Path, transactions: int, kills: int
) -> None:
    with RestartedServer(tmp_path / "data.db") as server, ExitStack() as clients:

        def new_client() -> Send:
            return clients.enter_context(closing(server.client()))

        assert new_client()("CreateTable", TABLE)[0] == 200
        beside = kill_between(server, kills, transactions)
        history, final = run_workload(new_client, transactions, 1, beside)
    assert server.kills == kills
    assert len(history) >= transactions - kills * 16
    assert server.lost_replies
    assert any(transaction.is_cancelled for transaction in history), "no transaction was cancelled"
    assert any(transaction.read and transaction.appended for transaction in history)
    assert not problems(history, final)


def check_planted(plant: Callable[[Send], Send]) -> list[str]:
    """The problems of a workload in this process, whose clients reach the database through a planted bug."""
    with closing(Database(open_store())) as db:
        db.call("CreateTable", TABLE)

        def send(operation: str, request: dict[str, Any]) -> Reply:
            status, body = db.call_json(operation, json.dumps(request).encode())
            return status, json.loads(body)

        planted = plant(send)
        with frequent_thread_switches():
            return problems(*run_workload(lambda: planted, 600, 1))


def test_a_database_without_a_planted_bug_has_no_problem() -> None:
    assert not check_planted(lambda send: send)


def test_reads_in_several_snapshots_are_reported() -> None:
    def plant(send: Send) -> Send:
        def one_by_one(operation: str, request: dict[str, Any]) -> Reply:
            if operation != "TransactGetItems":
                return send(operation, request)
            replies = [send(operation, {"TransactItems": [get]}) for get in request["TransactItems"]]
            return 200, {"Responses": [reply["Responses"][0] for _, reply in replies]}

        return one_by_one

    assert any(problem.startswith("cycle") for problem in check_planted(plant))


def test_writes_in_several_transactions_are_reported() -> None:
    def plant(send: Send) -> Send:
        def one_by_one(operation: str, request: dict[str, Any]) -> Reply:
            writes = request["TransactItems"]
            if operation != "TransactWriteItems" or any("ConditionCheck" in write for write in writes):
                return send(operation, request)
            return [send(operation, {"TransactItems": [write]}) for write in writes][-1]

        return one_by_one

    assert any(problem.startswith("cycle") for problem in check_planted(plant))


def test_conditions_that_are_checked_before_the_write_are_reported() -> None:
    """Write skew: the condition held when it was checked, and no longer when the write was made."""

    def plant(send: Send) -> Send:
        def check_first(operation: str, request: dict[str, Any]) -> Reply:
            checks = [write for write in request["TransactItems"] if "ConditionCheck" in write]
            if operation != "TransactWriteItems" or not checks:
                return send(operation, request)
            status, reply = send(operation, {"TransactItems": checks})
            writes = [write for write in request["TransactItems"] if write not in checks]
            return send(operation, {"TransactItems": writes}) if status == 200 else (status, reply)

        return check_first

    assert any(problem.startswith("cycle") for problem in check_planted(plant))


def test_stale_reads_are_reported() -> None:
    def plant(send: Send) -> Send:
        generator = random.Random(0)
        earlier: dict[str, Reply] = {}

        def stale(operation: str, request: dict[str, Any]) -> Reply:
            if operation != "TransactGetItems":
                return send(operation, request)
            keys = str(request)
            if keys not in earlier or generator.random() < 0.5:
                earlier[keys] = send(operation, request)
            return earlier[keys]

        return stale

    assert any(problem.startswith("cycle") for problem in check_planted(plant))


@pytest.mark.parametrize(("share", "problem"), [(0, "lost"), (1, "torn")])
def test_lost_writes_are_reported(share: int, problem: str) -> None:
    """Of some transactions, nothing is written, or the first write alone."""

    def plant(send: Send) -> Send:
        generator = random.Random(0)

        def lose(operation: str, request: dict[str, Any]) -> Reply:
            if operation != "TransactWriteItems" or generator.random() < 0.8:
                return send(operation, request)
            kept = request["TransactItems"][:share]
            return send(operation, {"TransactItems": kept}) if kept else (200, {})

        return lose

    assert any(found.startswith(problem) for found in check_planted(plant))


def transaction(start: int, end: float, appended: dict[str, int], **read: tuple[int, ...]) -> Transaction:
    return Transaction(start, end, appended, read)


def test_known_anomalies_are_reported() -> None:
    one, two = transaction(0, 9, {"x": 1, "y": 2}), transaction(0, 9, {"x": 3, "y": 4})
    assert not problems([one, two], {"x": (1, 3), "y": (2, 4)})
    assert problems([one, two], {"x": (1, 3), "y": (4, 2)})[0].startswith("cycle")
    skewed = [transaction(0, 9, {"x": 1}, y=()), transaction(0, 9, {"y": 2}, x=())]
    assert problems(skewed, {"x": (1,), "y": (2,)})[0].startswith("cycle")
    assert problems([one], {"x": (1, 1), "y": (2,)})[0].startswith("duplicate")
    cancelled = one._replace(is_cancelled=True)
    assert problems([cancelled], {"x": (1,), "y": (2,)})[0].startswith("cancelled")
    assert problems([one, transaction(0, 9, {}, x=(7,))], {"x": (1,), "y": (2,)})[0].startswith("a read")


def test_time_orders_transactions_that_do_not_overlap() -> None:
    writer, reader = transaction(0, 1, {"x": 1}), transaction(2, 3, {}, x=())
    assert problems([writer, reader], {"x": (1,)})[0].startswith("cycle")
    assert not problems([writer, reader._replace(start=0)], {"x": (1,)})
    assert not problems([writer._replace(end=NEVER), reader], {"x": (1,)})
