"""Token replays: transactions with a ClientRequestToken, a kill of the server, and the same transactions again.

Each transaction adds one to an item of its own and to an item that all share. After the replay, each must have been
executed once, whether it was executed before the kill or not.
"""

import json
import random
from contextlib import ExitStack
from pathlib import Path
from signal import SIGKILL
from typing import Any, NamedTuple

from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection, post

TABLE = "token-replays"
SCHEMA = {
    "TableName": TABLE,
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
SHARED = "shared"
CLIENTS = 16


class Replays(NamedTuple):
    """How often each transaction was executed, and what the clients saw."""

    executed: dict[str, int]
    shared: int
    executed_before_kill: set[str]
    replied_before_kill: set[str]
    kills: int


def transaction(token: str) -> bytes:
    def add_one(key: str) -> dict[str, Any]:
        return {
            "Update": {
                "TableName": TABLE,
                "Key": {"p": {"S": key}},
                "UpdateExpression": "ADD n :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
            }
        }

    request = {"ClientRequestToken": token, "TransactItems": [add_one(token), add_one(SHARED)]}
    return post("TransactWriteItems", json.dumps(request).encode())


def count_of(connection: RawConnection, key: str) -> int:
    request = {"TableName": TABLE, "Key": {"p": {"S": key}}, "ConsistentRead": True}
    item = connection.call("GetItem", request).json().get("Item")
    return int(item["n"]["N"]) if item else 0


def run_replays(path: Path, count: int, seed: int, planted: str = "") -> Replays:
    """Send so many transactions, in groups; kill the server during each group, and send the group again."""
    generator = random.Random(seed)
    tokens = [f"token-{number}" for number in range(count)]
    replays = Replays({}, 0, set(), set(), 0)
    kills = 0

    def start() -> ServerProcess:
        return ServerProcess("--on", str(path), planted=planted)

    with ExitStack() as stack:
        server = stack.enter_context(start())
        with RawConnection(server.address) as connection:
            assert connection.call("CreateTable", SCHEMA).status == 200
        for first in range(0, count, CLIENTS):
            group = tokens[first : first + CLIENTS]
            replays.replied_before_kill.update(_send_and_kill(server, group, generator))
            kills += 1
            server = stack.enter_context(start())
            with RawConnection(server.address) as connection:
                replays.executed_before_kill.update(each for each in group if count_of(connection, each))
                for token in group:
                    assert connection.ask(transaction(token)).status == 200
        with RawConnection(server.address) as connection:
            replays.executed.update((each, count_of(connection, each)) for each in tokens)
            return replays._replace(shared=count_of(connection, SHARED), kills=kills)


def _send_and_kill(server: ServerProcess, tokens: list[str], generator: random.Random) -> list[str]:
    """Send the transactions, read some replies, and kill the server; return the tokens with a reply."""
    with ExitStack() as stack:
        connections = {each: stack.enter_context(RawConnection(server.address)) for each in tokens}
        sent = generator.randint(1, len(tokens))
        read = generator.randint(0, sent)
        for token in tokens[:sent]:
            connections[token].send(transaction(token))
        replied = []
        for token in tokens[:read]:
            reply = connections[token].receive()
            assert reply is not None
            assert reply.status == 200
            replied.append(token)
        for token in tokens[sent:]:  # these may arrive before or after the kill
            connections[token].send(transaction(token))
        server.signal(SIGKILL)
        server.wait()
    return replied


def problems(replays: Replays) -> list[str]:
    """The transactions that were not executed exactly once, and those that a kill undid after their reply."""
    found = [f"{token} was executed {times} times" for token, times in replays.executed.items() if times != 1]
    lost = replays.replied_before_kill - replays.executed_before_kill
    found += [f"{token} had a reply, and was lost in the kill" for token in sorted(lost)]
    if replays.shared != len(replays.executed):
        found.append(f"the shared item counts {replays.shared} of {len(replays.executed)} transactions")
    return found
