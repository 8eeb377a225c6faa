"""A script of writes whose every durable state is known, and a check of a data file against those states.

A script is a list of commits; a commit is one request, or several that share one commit. The states are computed by
running the script in memory. A file that is reopened after a crash must have exactly the state after some commit:
not before the last acknowledged one (lost write), not between two (torn transaction), not after the last one begun.
"""

import json
import random
import shutil
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from tablewright.engine.database import Database
from tablewright.engine.storage import ReadView, open_store
from tablewright.errors import ServiceError, StoreError, TablewrightError
from tests.engine.crash.file_calls import watching
from tests.engine.integrity import assert_indexes_match
from tests.engine.order_table import ORDERS
from tests.engine.streaming import read_all

Request = tuple[str, dict[str, Any]]
Commit = tuple[Request, ...]
Reply = tuple[int, Any]
"""A status and a body; the status `FAILED` when the store could not write."""
State = str

FAILED = 500

TABLE = ORDERS | {
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    "VectorIndexes": [
        {
            "IndexName": "by-vector",
            "VectorAttribute": {"AttributeName": "vector"},
            "Dimensions": 16,
            "DistanceFunction": "COSINE",
            "Projection": {"ProjectionType": "KEYS_ONLY"},
            "SearchSchema": [{"AttributeName": "team", "SearchSchemaElementType": "HASH"}],
        }
    ],
}


class CrashScript:
    """Commits made from a random seed: the first creates the table, the others write to it."""

    def __init__(self, seed: int, length: int) -> None:
        generator = random.Random(seed)
        self.commits: list[Commit] = [(("CreateTable", TABLE),)]
        self.commits += [_commit(generator) for _ in range(length - 1)]

    @cached_property
    def states(self) -> list[State]:
        """The state before the script, and after each of its commits."""
        db = Database(open_store())
        states = [state_of(db)]
        for commit in self.commits:
            run_commit(db, commit)
            states.append(state_of(db))
        db.close()
        return states

    def run(self, path: Path, acknowledge: Callable[[int], None], start: int = 0) -> None:
        """Run the commits from `start` on a file, and report the number of commits done after each. Half way, close
        the file and open it again."""
        db = Database(open_store(path))
        for number, commit in enumerate(self.commits[start:], start + 1):
            if number == len(self.commits) // 2:
                db.close()
                db = Database(open_store(path))
            replies = run_commit(db, commit)
            assert all(status < FAILED for status, _ in replies), replies
            acknowledge(number)
        db.close()

    def problem(self, path: Path, acknowledged: int, begun: int | None = None) -> str | None:
        """What is wrong with a file that was left by a crash after so many acknowledged commits; None if nothing."""
        with watching():
            try:
                db = Database(open_store(path))
            except StoreError as error:
                return f"cannot be opened: {error}"
            try:
                return self._wrong_state(db, acknowledged, begun) or damage(db)
            except TablewrightError as error:
                return f"cannot be read: {error}"
            finally:
                db.close()

    def _wrong_state(self, db: Database, acknowledged: int, begun: int | None) -> str | None:
        state = state_of(db)
        found = [number for number, expected in enumerate(self.states) if expected == state]
        if not found:
            return "torn transaction: the state is that of no commit"
        if found[-1] < acknowledged:
            return f"lost write: {acknowledged} commits were acknowledged, the file has {found[-1]}"
        if begun is not None and found[0] > begun:
            return f"{begun} commits were begun, the file has {found[0]}"
        return None


def damage(db: Database) -> str | None:
    """What is wrong with the file itself or its indexes, or with the next write; None if nothing."""

    def sqlite_problems(view: ReadView) -> list[tuple[str]]:
        return list(view.execute("PRAGMA integrity_check"))

    problems = db.state.store.read(sqlite_problems)
    if problems != [("ok",)]:
        return f"SQLite's integrity check: {problems}"
    try:
        assert_indexes_match(db)
    except AssertionError as error:
        return str(error)
    if "orders" in db.call("ListTables", {})["TableNames"]:
        marker = {"pk": {"S": "after"}, "sk": {"N": "0"}}
        db.call("PutItem", {"TableName": "orders", "Item": marker})
        if db.call("GetItem", {"TableName": "orders", "Key": marker}).get("Item") != marker:
            return "the next write is not found"
    return None


def run_commit(db: Database, commit: Commit) -> list[Reply]:
    """Run the requests of a commit, and return their replies after it is durable or undone."""
    if len(commit) == 1:
        return [_call(db, *commit[0])]
    staged = [db.stage_json(operation, json.dumps(request).encode()) for operation, request in commit]
    db.flush()
    replies = [reply.settled() for reply in staged]
    return [(status, json.loads(body)) for status, body in replies]


def _call(db: Database, operation: str, request: dict[str, Any]) -> Reply:
    try:
        reply = db.call(operation, request)
    except ServiceError as error:
        return error.status, json.loads(json.dumps(error.body()))
    except StoreError as error:
        return FAILED, {"message": str(error)}
    return 200, {} if operation == "CreateTable" else reply


def state_of(db: Database) -> State:
    """Every table with its items and its stream, as text."""
    found: dict[str, Any] = {}
    for table in db.call("ListTables", {})["TableNames"]:
        items = db.call("Scan", {"TableName": table, "ConsistentRead": True})
        assert "LastEvaluatedKey" not in items, "the script's table must fit into one page"
        described = db.call("DescribeTable", {"TableName": table})["Table"]
        records = read_all(db, described["LatestStreamArn"])
        stream = [(record["eventName"], record["dynamodb"]["Keys"]) for record in records]
        found[table] = {"items": items["Items"], "stream": stream, "count": described["ItemCount"]}
    return json.dumps(found, sort_keys=True)


def copied(source: Path, target: Path) -> Path:
    """Copy a data file with its log, which may be open; return the target."""
    remove(target)
    for suffix in ("", "-wal"):
        if Path(f"{source}{suffix}").exists():
            shutil.copyfile(f"{source}{suffix}", f"{target}{suffix}")
    return target


def remove(path: Path) -> None:
    """Remove a data file with its log and its lock."""
    for suffix in ("", "-wal", "-shm", "-journal", ".lock"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _commit(generator: random.Random) -> Commit:
    if generator.random() < 0.2:
        return tuple(_request(generator) for _ in range(generator.randint(2, 6)))
    return (_request(generator),)


def _key(generator: random.Random) -> dict[str, Any]:
    return {"pk": {"S": generator.choice("abcd")}, "sk": {"N": str(generator.randrange(5))}}


def _item(generator: random.Random) -> dict[str, Any]:
    note = generator.choice([10, 100, 1_000, 10_000]) * generator.random()
    rank = generator.randrange(1000)
    # Some items are not in the vector index.
    vector = {"vector": {"L": [{"N": str(rank)}, *[{"N": "0.1"}] * 15]}} if rank % 4 else {}
    return {
        **_key(generator),
        "team": {"S": generator.choice(["red", "blue"])},
        "rank": {"N": str(rank)},
        "note": {"S": generator.choice("xyz") * int(note)},
        **vector,
    }


def _request(generator: random.Random) -> Request:
    match generator.choices(["put", "absent", "add", "delete", "transact", "batch"], [5, 2, 4, 2, 4, 1])[0]:
        case "put":
            return "PutItem", {"TableName": "orders", "Item": _item(generator)}
        case "absent":
            return "PutItem", {
                "TableName": "orders",
                "Item": _item(generator),
                "ConditionExpression": "attribute_not_exists(pk)",
            }
        case "add":
            return "UpdateItem", {"TableName": "orders", **_add(generator, _key(generator))}
        case "delete":
            return "DeleteItem", {"TableName": "orders", "Key": _key(generator)}
        case "transact":
            return "TransactWriteItems", {"TransactItems": _legs(generator)}
        case _:
            items = _distinct(generator, lambda: _item(generator), 4)
            puts = [{"PutRequest": {"Item": item}} for item in items]
            return "BatchWriteItem", {"RequestItems": {"orders": puts}}


def _add(generator: random.Random, key: dict[str, Any]) -> dict[str, Any]:
    return {
        "Key": key,
        "UpdateExpression": "ADD #r :n SET team = :t",
        "ExpressionAttributeNames": {"#r": "rank"},
        "ExpressionAttributeValues": {
            ":n": {"N": str(generator.randint(1, 9))},
            ":t": {"S": generator.choice(["red", "green"])},
        },
    }


def _legs(generator: random.Random) -> list[dict[str, Any]]:
    legs: list[dict[str, Any]] = []
    for key in _distinct(generator, lambda: _key(generator), 4):
        match generator.randrange(3):
            case 0:
                legs.append({"Put": {"TableName": "orders", "Item": _item(generator) | key}})
            case 1:
                legs.append({"Update": {"TableName": "orders", **_add(generator, key)}})
            case _:
                legs.append({"Delete": {"TableName": "orders", "Key": key}})
    return legs


def _distinct(
    generator: random.Random, make: Callable[[], dict[str, Any]], most: int
) -> list[dict[str, Any]]:
    """2 to `most` items or keys, no two with the same key."""
    made = (make() for _ in range(generator.randint(2, most)))
    return list({(item["pk"]["S"], item["sk"]["N"]): item for item in made}.values())
