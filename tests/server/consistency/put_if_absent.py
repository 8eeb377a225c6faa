"""Put-if-absent races: many clients create the same item at once, and one of them must succeed."""

import json
import random
from contextlib import ExitStack
from typing import NamedTuple

from tablewright.dynamodb.values.stored_items import LARGE
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection, post

CLIENTS = 16
TABLE = "put-if-absent"
SCHEMA = {
    "TableName": TABLE,
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
# The body of two clients of each race so many is large: it is run in a thread, beside those on the event loop.
RACES_IN_THREADS = 10


class Race(NamedTuple):
    """The clients of one race by the result of their request, and the client whose item is stored."""

    number: int
    winners: list[int]
    losers: list[int]
    stored: int | None


def run_races(server: ServerProcess, count: int, seed: int) -> list[Race]:
    """Run the races, one after the other; the clients send in a random order."""
    generator = random.Random(seed)
    with ExitStack() as stack:
        clients = [stack.enter_context(RawConnection(server.address)) for _ in range(CLIENTS)]
        assert clients[0].call("CreateTable", SCHEMA).status == 200
        return [_run_race(clients, number, generator) for number in range(count)]


def _run_race(clients: list[RawConnection], number: int, generator: random.Random) -> Race:
    order = generator.sample(range(CLIENTS), CLIENTS)
    for client in order:
        put = {
            "TableName": TABLE,
            "Item": {"p": {"S": str(number)}, "client": {"N": str(client)}},
            "ConditionExpression": "attribute_not_exists(p)",
        }
        is_large = number % RACES_IN_THREADS == 0 and client < 2
        clients[client].send(post("PutItem", json.dumps(put).encode() + b" " * (LARGE if is_large else 0)))
    replies = {client: clients[client].receive() for client in order}
    key = {"TableName": TABLE, "Key": {"p": {"S": str(number)}}, "ConsistentRead": True}
    item = clients[0].call("GetItem", key).json().get("Item")
    return Race(
        number,
        [client for client, reply in replies.items() if reply and reply.status == 200],
        [
            client
            for client, reply in replies.items()
            if reply and reply.status == 400 and reply.kind == "ConditionalCheckFailedException"
        ],
        int(item["client"]["N"]) if item else None,
    )


def problems(races: list[Race]) -> list[str]:
    """What is wrong with each race: it needs one winner, whose item is stored, and every other client must lose."""
    found = []
    for race in races:
        if len(race.winners) != 1:
            found.append(f"race {race.number} has {len(race.winners)} winners: {race.winners}")
        elif race.stored != race.winners[0]:
            found.append(f"race {race.number} was won by {race.winners[0]}, but stored is {race.stored}")
        if len(race.winners) + len(race.losers) != CLIENTS:
            found.append(f"race {race.number} has clients without a valid reply")
    return found
