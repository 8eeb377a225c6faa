"""A workload of single-item operations on few keys, by concurrent clients; its history goes to the checker."""

import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.server.consistency.clients import CLIENTS, Progress, ReplyLost, Send, run_together
from tests.server.consistency.linearizability import ANY, NEVER, Kind, Operation, State

TABLE: dict[str, Any] = {
    "TableName": "items",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}
KINDS: list[Kind] = ["get", "put", "add", "delete", "put if absent", "put if"]
WEIGHTS = [35, 15, 20, 8, 12, 10]


class Worker:
    """One client's operations."""

    def __init__(self, send: Send, number: int, keys: list[str], seed: int) -> None:
        self._send = send
        self._random = random.Random(f"{seed} {number}")
        self._values = iter(range(number, 1_000_000_000, CLIENTS))
        self._keys = keys
        self._last_seen: dict[str, int] = {}
        self.history: list[Operation] = []

    def run(self, operations: int) -> None:
        """Run that many operations."""
        for _ in range(operations):
            kind = self._random.choices(KINDS, WEIGHTS)[0]
            key = self._random.choice(self._keys)
            operation = Operation(key, kind, 0, NEVER, self._value(kind), self._last_seen.get(key, -1))
            started = time.monotonic_ns()
            try:
                result = self._result(operation, *self._send(*_request(operation)))
            except ReplyLost:
                if kind != "get":
                    self.history.append(operation._replace(start=started))
            else:
                ended = time.monotonic_ns()
                self.history.append(operation._replace(start=started, end=ended, result=result))

    def _value(self, kind: Kind) -> int:
        return self._random.randint(1, 9) if kind == "add" else next(self._values)

    def _result(self, operation: Operation, status: int, reply: dict[str, Any]) -> object:
        if operation.kind in ("put if absent", "put if"):
            assert status == 200 or reply["__type"].endswith("#ConditionalCheckFailedException"), reply
            return status == 200
        assert status == 200, reply
        match operation.kind:
            case "get":
                state = _state(reply.get("Item"))
                if state is not None and state[0] is not None:
                    self._last_seen[operation.key] = state[0]
                return state
            case "add":
                return int(reply["Attributes"]["n"]["N"])
            case _:
                return _state(reply.get("Attributes")) if _returns_old(operation) else ANY


def _returns_old(operation: Operation) -> bool:
    """Every second put says nothing about the item before it."""
    return operation.kind == "delete" or operation.value // CLIENTS % 2 == 0


def _state(item: dict[str, Any] | None) -> State:
    if not item:
        return None
    v, n = item.get("v"), item.get("n")
    return v and int(v["N"]), n and int(n["N"])


def _request(operation: Operation) -> tuple[str, dict[str, Any]]:
    key = {"pk": {"S": operation.key}}
    item = key | {"v": {"N": str(operation.value)}}
    put = {"TableName": "items", "Item": item}
    match operation.kind:
        case "get":
            return "GetItem", {"TableName": "items", "Key": key, "ConsistentRead": True}
        case "put":
            return "PutItem", put | ({"ReturnValues": "ALL_OLD"} if _returns_old(operation) else {})
        case "add":
            return "UpdateItem", {
                "TableName": "items",
                "Key": key,
                "UpdateExpression": "ADD n :n",
                "ExpressionAttributeValues": {":n": {"N": str(operation.value)}},
                "ReturnValues": "UPDATED_NEW",
            }
        case "delete":
            return "DeleteItem", {"TableName": "items", "Key": key, "ReturnValues": "ALL_OLD"}
        case "put if absent":
            return "PutItem", put | {"ConditionExpression": "attribute_not_exists(pk)"}
        case "put if":
            return "PutItem", put | {
                "ConditionExpression": "v = :v",
                "ExpressionAttributeValues": {":v": {"N": str(operation.expected)}},
            }


def run_workload(
    new_client: Callable[[], Send],
    operations: int,
    keys: int,
    seed: int,
    beside: Callable[[Progress], None] | None = None,
) -> list[Operation]:
    """Run that many operations of eight clients on that many keys; `beside` runs beside them. Return the history."""
    names = [f"item-{number}" for number in range(keys)]
    workers = [Worker(new_client(), number, names, seed) for number in range(CLIENTS)]
    run_together(
        [partial(worker.run, operations // CLIENTS) for worker in workers],
        beside and partial(beside, lambda: sum(len(worker.history) for worker in workers)),
    )
    return [operation for worker in workers for operation in worker.history]
