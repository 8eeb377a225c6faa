"""Changes of items by several writers, and a consumer of their stream, across kills of the server.

Each writer owns some items, and counts the changes of each. After a lost reply it reads the item to learn whether the
change was made. The consumer keeps only a checkpoint, the number of the last record that it processed, and starts again
from it after each lost reply, and at random. `problems` compares what the consumer saw with what the writers did.
"""

import random
import threading
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from tests.server.consistency.clients import Client, ReplyLost, RestartedServer, kill_between, run_together

TABLE = "stream-changes"
SCHEMA = {
    "TableName": TABLE,
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}
WRITERS = 4
ITEMS_OF_A_WRITER = 4

Version: TypeAlias = int | None
"""The number of an item's last change; None when the item does not exist."""


class Seen(NamedTuple):
    """A record as the consumer received it."""

    number: str
    event: str
    name: str
    key: str
    old: Version
    new: Version


class History(NamedTuple):
    """The changes that writers made, by key; the records of the consumer, and of a reader from the beginning."""

    made: dict[str, list[tuple[Version, Version]]]
    consumed: list[Seen]
    stored: list[Seen]
    kills: int
    lost_replies: int
    restarts_of_consumer: int


class Writer:
    """Changes its own items: puts, updates, deletes, batches and transactions, in random order."""

    def __init__(self, number: int, send: Client, seed: int) -> None:
        self.keys = [f"{number}-{item}" for item in range(ITEMS_OF_A_WRITER)]
        self.made: dict[str, list[tuple[Version, Version]]] = {key: [] for key in self.keys}
        self._current: dict[str, Version] = dict.fromkeys(self.keys)
        self._last = dict.fromkeys(self.keys, 0)
        self._random = random.Random(seed * 100 + number)
        self._send = send

    @property
    def count(self) -> int:
        """The number of changes so far."""
        return sum(map(len, self.made.values()))

    def change(self) -> None:
        """Change one or two items in one request."""
        kind = self._random.choice(("put", "update", "delete", "batch", "transaction"))
        keys = self._random.sample(self.keys, 2 if kind in ("batch", "transaction") else 1)
        planned = {key: self._next(key, kind) for key in keys}
        try:
            self._request(kind, planned)
        except ReplyLost:
            found = {key: self._read(key) for key in keys}
        else:
            found = planned
        for key, version in found.items():
            if version != self._current[key]:
                self.made[key].append((self._current[key], version))
                self._current[key] = version

    def _next(self, key: str, kind: str) -> Version:
        """The version of an item after the change; deletes are made only of items that exist."""
        deletes = kind == "delete" or (kind != "update" and self._random.random() < 0.2)
        if deletes and self._current[key] is not None:
            return None
        self._last[key] += 1
        return self._last[key]

    def _request(self, kind: str, planned: dict[str, Version]) -> None:
        ((key, version),) = list(planned.items())[:1]
        status = 0
        if kind == "batch":
            writes = [_batch_write(key, version) for key, version in planned.items()]
            status, _ = self._send("BatchWriteItem", {"RequestItems": {TABLE: writes}})
        elif kind == "transaction":
            actions = [_action(key, version) for key, version in planned.items()]
            status, _ = self._send("TransactWriteItems", {"TransactItems": actions})
        elif version is None:
            status, _ = self._send("DeleteItem", {"TableName": TABLE, "Key": _key(key)})
        elif kind == "update":
            status, _ = self._send("UpdateItem", _update(key, version))
        else:
            status, _ = self._send("PutItem", {"TableName": TABLE, "Item": _item(key, version)})
        assert status == 200

    def _read(self, key: str) -> Version:
        while True:
            try:
                _, reply = self._send(
                    "GetItem", {"TableName": TABLE, "Key": _key(key), "ConsistentRead": True}
                )
                return version_of(reply.get("Item"))
            except ReplyLost:
                continue


def _key(key: str) -> dict[str, Any]:
    return {"p": {"S": key}}


def _item(key: str, version: int) -> dict[str, Any]:
    return {**_key(key), "n": {"N": str(version)}}


def _update(key: str, version: int) -> dict[str, Any]:
    return {
        "TableName": TABLE,
        "Key": _key(key),
        "UpdateExpression": "SET n = :n",
        "ExpressionAttributeValues": {":n": {"N": str(version)}},
    }


def _batch_write(key: str, version: Version) -> dict[str, Any]:
    if version is None:
        return {"DeleteRequest": {"Key": _key(key)}}
    return {"PutRequest": {"Item": _item(key, version)}}


def _action(key: str, version: Version) -> dict[str, Any]:
    if version is None:
        return {"Delete": {"TableName": TABLE, "Key": _key(key)}}
    return {"Update": _update(key, version)}


def version_of(image: dict[str, Any] | None) -> Version:
    return None if image is None else int(image["n"]["N"])


class Consumer:
    """Reads the stream from a checkpoint."""

    def __init__(self, send: Client, arn: str, seed: int) -> None:
        self._send = send
        self._arn = arn
        self._random = random.Random(seed)
        self._iterator: str | None = None
        self.seen: list[Seen] = []
        self.restarts = 0

    def read(self, changes: int, ended: threading.Event) -> None:
        """Read until the writers have ended and nothing is left; far more records than changes end it as well."""
        while (self.read_page() or not ended.is_set()) and len(self.seen) < 5 * changes + 1000:
            pass

    def read_page(self) -> bool:
        """Process one page; return whether it had records."""
        try:
            iterator = self._iterator or self._start()
            request = {"ShardIterator": iterator, "Limit": self._random.choice((1, 10, 1000))}
            status, reply = self._send("GetRecords", request)
            assert status == 200, reply
        except ReplyLost:
            self._iterator = None
            return True
        self.seen += map(_seen, reply["Records"])
        self._iterator = reply["NextShardIterator"]
        if self._random.random() < 0.05:
            self._iterator = None
        return bool(reply["Records"])

    def _start(self) -> str:
        """An iterator after the checkpoint."""
        self.restarts += 1
        _, described = self._send("DescribeStream", {"StreamArn": self._arn})
        shard = described["StreamDescription"]["Shards"][0]["ShardId"]
        request = {"StreamArn": self._arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
        if self.seen:
            after = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self.seen[-1].number}
            request |= after
        status, reply = self._send("GetShardIterator", request)
        assert status == 200, reply
        return str(reply["ShardIterator"])


def _seen(record: dict[str, Any]) -> Seen:
    change = record["dynamodb"]
    return Seen(
        change["SequenceNumber"],
        record["eventID"],
        record["eventName"],
        change["Keys"]["p"]["S"],
        version_of(change.get("OldImage")),
        version_of(change.get("NewImage")),
    )


def run(path: Path, changes: int, kills: int, seed: int, planted: str = "") -> History:
    """Make about that many changes while the server is killed that often; consume the stream meanwhile."""
    with RestartedServer(path, planted) as server:
        clients = [server.client() for _ in range(WRITERS + 2)]
        reader, consuming, *writing = clients
        status, created = reader("CreateTable", SCHEMA)
        assert status == 200
        arn = created["TableDescription"]["LatestStreamArn"]
        writers = [Writer(number, client, seed) for number, client in enumerate(writing)]
        consumer, again = Consumer(consuming, arn, seed), Consumer(reader, arn, seed)
        ended = threading.Event()

        def made() -> int:
            return sum(writer.count for writer in writers)

        def write(writer: Writer) -> None:
            while writer.count < changes // WRITERS or server.kills < kills:
                writer.change()

        def write_all() -> None:
            kill = kill_between(server, kills, changes)
            try:
                run_together([partial(write, writer) for writer in writers], lambda: kill(made))
            finally:
                ended.set()

        run_together([lambda: consumer.read(changes, ended)], write_all)
        again.read(changes, ended)
        for client in clients:
            client.close()
        changed = {key: each for writer in writers for key, each in writer.made.items()}
        lost = len(server.lost_replies)
        return History(changed, consumer.seen, again.seen, server.kills, lost, consumer.restarts)


def problems(history: History) -> list[str]:
    """Changes without a record or with several, records out of order, and images that do not follow each other."""
    found = []
    for before, after in zip(history.consumed, history.consumed[1:], strict=False):
        if int(after.number) <= int(before.number):
            found.append(f"record {after.number} came after {before.number}")
    if len({seen.event for seen in history.consumed}) < len(history.consumed):
        found.append("two records have one event ID")
    if history.consumed != history.stored:
        found.append("the consumer saw other records than a reader from the beginning")
    records: dict[str, list[Seen]] = defaultdict(list)
    for seen in history.consumed:
        records[seen.key].append(seen)
    for key in sorted(history.made.keys() | records.keys()):
        found += _problems_of(key, history.made.get(key, []), records[key])
    return found


def _problems_of(key: str, made: list[tuple[Version, Version]], records: list[Seen]) -> list[str]:
    found = []
    current: Version = None
    for seen in records:
        expected = "INSERT" if seen.old is None else "REMOVE" if seen.new is None else "MODIFY"
        if seen.name != expected:
            found.append(f"item {key}: record {seen.number} is {seen.name} instead of {expected}")
        if seen.old != current:
            found.append(f"item {key}: the old image is {seen.old}, and the new image before was {current}")
        current = seen.new
    changes = [(seen.old, seen.new) for seen in records]
    if changes != made:
        missing = [change for change in made if change not in changes]
        extra = [change for change in changes if change not in made]
        found.append(
            f"item {key}: {len(made)} changes and {len(records)} records; missing {missing[:3]}, extra {extra[:3]}"
        )
    return found
