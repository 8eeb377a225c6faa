"""Recovery points: a random workload with times at which the whole table is remembered, and restores to each of them.

A run writes through every kind of write, moves the clock by milliseconds to days, reopens the file, creates and deletes
an index, changes the TTL attribute, and deletes the table and creates it again. At each point it also creates a backup.
`problems` are the restores that returned anything but the remembered items.
"""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeAlias

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ServiceError
from tests.engine.archive import START, back_up, recover
from tests.engine.integrity import assert_indexes_match
from tests.engine.order_table import ORDERS

Item: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[str, int]
State: TypeAlias = dict[Key, Item]

TABLE = "orders"
PARTITIONS = ("a", "b", "c", "d")
STEPS = (0, 0, 0.001, 0.002, 0.5, 1, 60, 3600, 7200)
ADDED_INDEX = "by-note"


class Point(NamedTuple):
    """A time, the items that the table had, and a backup created then."""

    at: float
    state: State
    backup: str


class Workload:
    """A table on a file, the model of its items, and the points so far."""

    def __init__(self, path: Path, seed: int) -> None:
        self._path = path
        self._random = random.Random(seed)
        self.clock = Clock(start=START)
        self.db = self._open()
        self.model: State = {}
        self.points: list[Point] = []
        """The points to which the table can be restored."""
        self.backups: list[tuple[str, State]] = []
        self.events: list[str] = []
        self.problems: list[str] = []
        self.restores = 0
        self._ttl: str | None = None
        self._create()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.db.close()

    def _open(self) -> Database:
        return Database(open_store(self._path, "relaxed"), self.clock)

    def _create(self) -> None:
        self.db.call("CreateTable", ORDERS)
        recover(self.db, TABLE)
        self.model, self.points, self._ttl = {}, [], None
        self.change_ttl()

    def run(self, points: int, changes: int) -> None:
        """Make so many points, with so many changes before each; restore all of them, and all backups, at the end.

        The table is deleted once, after two thirds of the points.
        """
        events = [self.reopen, self.change_index, self.change_ttl]
        for number in range(points):
            for _ in range(changes):
                self._random.choice(_CHANGES)(self)
                self.clock.advance(self._random.choice(STEPS))
            events[number % len(events)]()
            self.remember()
            if number == points * 2 // 3:
                self.restore_points()
                self.delete_table()
        self.restore_points()
        self.restore_backups()

    def key(self) -> Key:
        return self._random.choice(PARTITIONS), self._random.randrange(40)

    def known_key(self) -> Key:
        return self._random.choice(sorted(self.model)) if self.model else self.key()

    def item(self, key: Key) -> Item:
        item = {
            **wire_key(key),
            "team": {"S": self._random.choice(("red", "blue"))},
            "rank": {"N": str(self._random.randrange(5))},
            "note": {"S": str(self._random.random())},
        }
        for name in ("expires", "ends"):
            if self._random.random() < 0.1:
                item[name] = {"N": str(int(self.clock.now()) + self._random.randrange(7200))}
        return item

    def remember(self) -> None:
        """Make this time a point, and create a backup. Nothing else happens in this millisecond."""
        self.clock.advance(0.002)
        state = dict(self.model)
        backup = back_up(self.db, TABLE)
        self.points.append(Point(round(self.clock.now(), 3), state, backup))
        self.backups.append((backup, state))
        self.clock.advance(0.002)

    def reopen(self) -> None:
        self.events.append("reopen")
        self.db.close()
        self.db = self._open()

    def change_index(self) -> None:
        """Create the additional index, or delete it."""
        description = self.db.call("DescribeTable", {"TableName": TABLE})["Table"]
        exists = any(index["IndexName"] == ADDED_INDEX for index in description["GlobalSecondaryIndexes"])
        self.events.append("delete index" if exists else "create index")
        change: dict[str, Any] = {"Delete": {"IndexName": ADDED_INDEX}}
        if not exists:
            keys = [{"AttributeName": "note", "KeyType": "HASH"}]
            projection = {"ProjectionType": "ALL"}
            change = {"Create": {"IndexName": ADDED_INDEX, "KeySchema": keys, "Projection": projection}}
        names = [*ORDERS["AttributeDefinitions"], {"AttributeName": "note", "AttributeType": "S"}]
        request = {"TableName": TABLE, "GlobalSecondaryIndexUpdates": [change]}
        self.db.call("UpdateTable", request if exists else request | {"AttributeDefinitions": names})
        self.db.jobs.wait()

    def change_ttl(self) -> None:
        """Let another attribute be the TTL attribute."""
        self.events.append("change TTL")
        old, new = self._ttl, "ends" if self._ttl == "expires" else "expires"
        for name, enabled in ((old, False), (new, True)):
            if name is not None:
                specification = {"AttributeName": name, "Enabled": enabled}
                self.db.call(
                    "UpdateTimeToLive", {"TableName": TABLE, "TimeToLiveSpecification": specification}
                )
        self._ttl = new

    def delete_table(self) -> None:
        """Delete the table, which leaves a system backup, and create it again."""
        self.events.append("delete table")
        first = self.points[0].at
        self.db.call("DeleteTable", {"TableName": TABLE})
        kept = self.db.call("ListBackups", {"TableName": TABLE, "BackupType": "SYSTEM"})["BackupSummaries"]
        self.backups.append((kept[0]["BackupArn"], dict(self.model)))
        self.clock.advance(10)
        self._create()
        try:
            self._restore_to(first, "too-early")
            self.problems.append("a table was restored to a time before it was created")
        except ServiceError as error:
            if error.code != "InvalidRestoreTimeException":
                self.problems.append(f"a restore to a time before the table failed with {error.code}")

    def restore_points(self) -> None:
        """Restore the table to each point, and compare."""
        for number, point in enumerate(self.points):
            self.compare(f"point {number}", point.state, partial(self._restore_to, point.at))

    def restore_backups(self) -> None:
        """Restore each backup, and compare."""
        for number, (arn, state) in enumerate(self.backups):
            self.compare(f"backup {number}", state, partial(self._restore_from, arn))

    def _restore_from(self, backup: str, name: str) -> object:
        return self.db.call("RestoreTableFromBackup", {"BackupArn": backup, "TargetTableName": name})

    def _restore_to(self, at: float, name: str) -> object:
        request = {"SourceTableName": TABLE, "TargetTableName": name, "RestoreDateTime": at}
        return self.db.call("RestoreTableToPointInTime", request)

    def compare(self, what: str, state: State, restore: Callable[[str], object]) -> None:
        """Restore a table, note how its items and indexes differ from the state, and delete it."""
        self.restores += 1
        name = f"restored-{self.restores}"
        restore(name)
        self.db.jobs.wait()
        found = {key_of(item): item for item in self.db.call("Scan", {"TableName": name})["Items"]}
        self.problems += [f"{what}: {each}" for each in differences(state, found)]
        assert_indexes_match(self.db)
        self.db.call("DeleteTable", {"TableName": name})
        self.db.jobs.wait()

    def put(self) -> None:
        key = self.key()
        self.model[key] = self.item(key)
        self.db.call("PutItem", {"TableName": TABLE, "Item": self.model[key]})

    def count(self) -> None:
        key = self.key()
        request = {
            "TableName": TABLE,
            "Key": wire_key(key),
            "UpdateExpression": "ADD #r :one",
            "ExpressionAttributeNames": {"#r": "rank"},
            "ExpressionAttributeValues": {":one": {"N": "1"}},
            "ReturnValues": "ALL_NEW",
        }
        self.model[key] = self.db.call("UpdateItem", request)["Attributes"]

    def delete(self) -> None:
        key = self.known_key()
        self.db.call("DeleteItem", {"TableName": TABLE, "Key": wire_key(key)})
        self.model.pop(key, None)

    def delete_by_statement(self) -> None:
        key = self.known_key()
        statement = f'DELETE FROM "{TABLE}" WHERE pk = ? AND sk = ?'
        self.db.call("ExecuteStatement", {"Statement": statement, "Parameters": [*wire_key(key).values()]})
        self.model.pop(key, None)

    def put_batch(self) -> None:
        items = {key: self.item(key) for key in {self.key() for _ in range(5)}}
        writes = [{"PutRequest": {"Item": item}} for item in items.values()]
        self.db.call("BatchWriteItem", {"RequestItems": {TABLE: writes}})
        self.model.update(items)

    def write_transaction(self) -> None:
        """Put some items and delete another one, together."""
        removed = self.known_key()
        items = {key: self.item(key) for key in {self.key() for _ in range(3)} - {removed}}
        actions: list[Item] = [{"Put": {"TableName": TABLE, "Item": item}} for item in items.values()]
        actions.append({"Delete": {"TableName": TABLE, "Key": wire_key(removed)}})
        self.db.call("TransactWriteItems", {"TransactItems": actions})
        self.model.update(items)
        self.model.pop(removed, None)

    def expire(self) -> None:
        self.db.sweep()
        now, name = int(self.clock.now()), self._ttl
        assert name is not None
        self.model = {
            key: item for key, item in self.model.items() if name not in item or int(item[name]["N"]) > now
        }


_CHANGES: tuple[Callable[[Workload], None], ...] = (
    Workload.put,
    Workload.put,
    Workload.put,
    Workload.count,
    Workload.delete,
    Workload.delete_by_statement,
    Workload.put_batch,
    Workload.write_transaction,
    Workload.expire,
)


def key_of(item: Item) -> Key:
    return item["pk"]["S"], int(item["sk"]["N"])


def wire_key(key: Key) -> Item:
    return {"pk": {"S": key[0]}, "sk": {"N": str(key[1])}}


def differences(expected: State, found: State) -> list[str]:
    """How the items of a restored table differ from those that it should have."""
    lost = [f"{key} is missing" for key in sorted(expected.keys() - found.keys())]
    extra = [f"{key} should not exist" for key in sorted(found.keys() - expected.keys())]
    changed = [
        f"{key} is {found[key]} instead of {expected[key]}"
        for key in sorted(expected.keys() & found.keys())
        if expected[key] != found[key]
    ]
    return lost + extra + changed
