"""A workload of transactions that append to lists and read them, by concurrent clients; a checker gets its history.

One third appends to several lists, one third reads several lists, and one third appends to a list on the condition that
other lists are as the client read them before: a transaction that reads and writes.
"""

import random
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

from tests.server.consistency.clients import CLIENTS, Progress, ReplyLost, Send, run_together
from tests.server.consistency.serializability import NEVER, Transaction

LISTS = 5
TRANSACTIONS_PER_LIST = 60
"""After so many transactions, a client goes on to new lists: old ones are long, and slow to read."""

TABLE: dict[str, Any] = {
    "TableName": "lists",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}
Lists = dict[str, tuple[int, ...]]


class Worker:
    """One client's transactions."""

    def __init__(self, send: Send, number: int, seed: int) -> None:
        self._send = send
        self._random = random.Random(f"{seed} {number}")
        self._numbers = count(number, CLIENTS)
        self.history: list[Transaction] = []

    def run(self, transactions: int) -> None:
        """Run that many transactions."""
        for turn in range(transactions):
            keys = [f"list-{turn // TRANSACTIONS_PER_LIST}-{place}" for place in range(LISTS)]
            chosen = self._random.sample(keys, self._random.randint(2, 4))
            match self._random.randrange(3):
                case 0:
                    self._append(chosen, {})
                case 1:
                    self._read(chosen)
                case _:
                    checked = self._read(chosen[1:])
                    if checked is not None:
                        self._append(chosen[:1], checked)

    def _read(self, keys: list[str]) -> Lists | None:
        """Read lists; None when the reply was lost."""
        started = time.monotonic_ns()
        try:
            lists = read_lists(self._send, keys)
        except ReplyLost:
            return None
        self.history.append(Transaction(started, time.monotonic_ns(), {}, lists))
        return lists

    def _append(self, keys: list[str], checked: Lists) -> None:
        """Append to lists, if other lists are as they were read."""
        appended = {key: next(self._numbers) for key in keys}
        writes = [{"Update": _append_request(key, number)} for key, number in appended.items()]
        checks = [{"ConditionCheck": _check_request(key, len(found))} for key, found in checked.items()]
        transaction = Transaction(time.monotonic_ns(), NEVER, appended, {})
        try:
            status, reply = self._send("TransactWriteItems", {"TransactItems": writes + checks})
        except ReplyLost:
            self.history.append(transaction)
            return
        ended = time.monotonic_ns()
        if status == 200:
            self.history.append(transaction._replace(end=ended, read=checked))
        else:
            assert reply["__type"].endswith("#TransactionCanceledException"), reply
            self.history.append(transaction._replace(end=ended, is_cancelled=True))


def _append_request(key: str, number: int) -> dict[str, Any]:
    return {
        "TableName": "lists",
        "Key": {"pk": {"S": key}},
        "UpdateExpression": "SET numbers = list_append(if_not_exists(numbers, :none), :new)",
        "ExpressionAttributeValues": {":none": {"L": []}, ":new": {"L": [{"N": str(number)}]}},
    }


def _check_request(key: str, length: int) -> dict[str, Any]:
    # A list only grows: a list of the same length is the same list.
    check = {"TableName": "lists", "Key": {"pk": {"S": key}}}
    if not length:
        return check | {"ConditionExpression": "attribute_not_exists(pk)"}
    return check | {
        "ConditionExpression": "size(numbers) = :length",
        "ExpressionAttributeValues": {":length": {"N": str(length)}},
    }


def read_lists(send: Send, keys: list[str]) -> Lists:
    """Read lists in one transaction."""
    gets = [{"Get": {"TableName": "lists", "Key": {"pk": {"S": key}}}} for key in keys]
    status, reply = send("TransactGetItems", {"TransactItems": gets})
    assert status == 200, reply
    found = (response.get("Item", {}).get("numbers", {"L": []})["L"] for response in reply["Responses"])
    return {
        key: tuple(int(number["N"]) for number in numbers) for key, numbers in zip(keys, found, strict=True)
    }


def run_workload(
    new_client: Callable[[], Send],
    transactions: int,
    seed: int,
    beside: Callable[[Progress], None] | None = None,
) -> tuple[list[Transaction], Lists]:
    """Run that many transactions of eight clients; `beside` runs beside them. Return the history, and all lists at the
    end."""
    workers = [Worker(new_client(), number, seed) for number in range(CLIENTS)]
    run_together(
        [partial(worker.run, transactions // CLIENTS) for worker in workers],
        beside and partial(beside, lambda: sum(len(worker.history) for worker in workers)),
    )
    history = [transaction for worker in workers for transaction in worker.history]
    keys = sorted({key for transaction in history for key in (*transaction.appended, *transaction.read)})
    final: Lists = {}
    send = new_client()
    for start in range(0, len(keys), 50):
        final |= read_lists(send, keys[start : start + 50])
    return history, final
