"""The connection of a dry run: it reads the tables, and holds back every write in a database of its own.

A run on this connection does what it would do on the tables: its conditions, transactions and unique values see the
writes before them, so items that would collide are rejected as in the run. The tables do not change.

An item is copied from its table before its first write; from then on it is read from that database. A scan replaces the
items that were written, and returns new ones after the last page of the table.

The database is in memory, or in a temporary file for runs that write more than fits into memory. So are the keys of the
items that were written.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Literal, Self

from tablewright.connections import Connection, embedded
from tablewright.dynamodb.values.attributes import Item, normalise
from tablewright.dynamodb.values.vectors import vector_index_definition
from tablewright.errors import ResourceNotFound, UsageError

Identity = tuple[tuple[str, str], ...]
"""The attributes of a key, in a form that can be compared."""
State = Literal["stored", "new"]
"""Whether the table had an item under the key before the run."""

_TABLE = "tablewright-dry-run-keys"


class HeldBackKeys:
    """The keys of the items that were written, in a table of the database that holds the items back."""

    def __init__(self, database: Connection) -> None:
        self._database = database
        self._counts: Counter[tuple[str, State]] = Counter()
        database.call(
            "CreateTable",
            {
                "TableName": _TABLE,
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "B"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )

    def add(self, table: str, identity: Identity, state: State) -> None:
        """Add a key of a table."""
        item = _key(table, identity) | {"state": {"S": state}}
        self._database.call("PutItem", {"TableName": _TABLE, "Item": item})
        self._counts[table, state] += 1

    def find(self, table: str, identity: Identity) -> State | None:
        """Return the state of a key; None if it was not written."""
        reply: dict[str, Any] = self._database.call(
            "GetItem", {"TableName": _TABLE, "Key": _key(table, identity)}
        )
        return reply["Item"]["state"]["S"] if "Item" in reply else None

    def count(self, table: str) -> int:
        """The number of keys of a table."""
        return self._counts[table, "stored"] + self._counts[table, "new"]

    def count_new(self, table: str) -> int:
        """The number of keys that the table did not have before."""
        return self._counts[table, "new"]


def _key(table: str, identity: Identity) -> Item:
    """A digest, because the attributes of a key may be longer than one key attribute."""
    return {"id": {"B": blake2b(repr((table, identity)).encode(), digest_size=20).digest()}}


Reply = dict[str, Any]

_CURSOR = "tablewright-dry-run"
"""The attribute of a `LastEvaluatedKey` that continues with the new items in memory."""
_WRITES = {"PutItem": "Item", "UpdateItem": "Key", "DeleteItem": "Key"}
_DEFINITION = ("AttributeDefinitions", "KeySchema")


class DryRunConnection:
    """Reads through another connection; writes are held back, and are visible to later reads.

    With `on_disk` they are in a temporary file, otherwise in memory.
    """

    def __init__(self, connection: Connection, *, on_disk: bool = False) -> None:
        self._connection = connection
        self._folder = TemporaryDirectory(prefix="tablewright-dry-run-") if on_disk else None
        file = Path(self._folder.name) / "held-back.db" if self._folder else None
        self._memory = embedded(file, durability="relaxed")
        self._keys: dict[str, tuple[str, ...]] = {}
        """The key attributes of each table that was written."""
        self._written = HeldBackKeys(self._memory)
        self._complete: set[str] = set()
        """Tables of which all items are held back."""
        self._lock = threading.RLock()
        self._operations: dict[str, Callable[[dict[str, Any]], Reply]] = {
            "BatchGetItem": self._batch_get,
            "CreateTable": self._create,
            "DescribeTable": self._describe,
            "GetItem": self._get,
            "Query": self._query,
            "Scan": self._scan,
            "TransactGetItems": self._transact_get,
            "TransactWriteItems": self._transact_write,
        }

    def call(self, operation: str, request: dict[str, Any]) -> Reply:
        """Make a call; a write is executed in memory."""
        with self._lock:
            if operation in _WRITES:
                self._load(request["TableName"], [request[_WRITES[operation]]])
                return _without_capacity(self._memory.call(operation, request))
            run = self._operations.get(operation)
            if run is None:
                raise UsageError(f"a dry run cannot make the call {operation}")
            return run(request)

    def close(self) -> None:
        """Forget the writes; the other connection stays open."""
        self._memory.close()
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _create(self, request: dict[str, Any]) -> Reply:
        self._complete.add(request["TableName"])
        return self._memory.call("CreateTable", request)

    def _describe(self, request: dict[str, Any]) -> Reply:
        return self._source(request["TableName"]).call("DescribeTable", request)

    def _get(self, request: dict[str, Any]) -> Reply:
        table = request["TableName"]
        return (self._memory if self._has(table, request["Key"]) else self._connection).call(
            "GetItem", request
        )

    def _batch_get(self, request: dict[str, Any]) -> Reply:
        """Read each key where it is; the reply of the tables has the unprocessed keys."""
        held: dict[str, Any] = {}
        rest: dict[str, Any] = {}
        for table, wanted in request["RequestItems"].items():
            for group, is_held in ((held, True), (rest, False)):
                keys = [key for key in wanted["Keys"] if self._has(table, key) == is_held]
                if keys:
                    group[table] = {**wanted, "Keys": keys}
        options = {name: value for name, value in request.items() if name != "RequestItems"}
        reply: Reply = {"Responses": {}, "UnprocessedKeys": {}}
        if rest:
            reply = self._connection.call("BatchGetItem", {**options, "RequestItems": rest})
        if held:
            responses = self._memory.call("BatchGetItem", {"RequestItems": held})["Responses"]
            for table, items in responses.items():
                reply["Responses"][table] = [*reply["Responses"].get(table, ()), *items]
        return reply

    def _transact_get(self, request: dict[str, Any]) -> Reply:
        gets = [member["Get"] for member in request["TransactItems"]]
        return {"Responses": [_item_only(self._get({**get, "ConsistentRead": True})) for get in gets]}

    def _transact_write(self, request: dict[str, Any]) -> Reply:
        for member in request["TransactItems"]:
            ((kind, action),) = member.items()
            self._load(action["TableName"], [action["Item" if kind == "Put" else "Key"]])
        return _without_capacity(self._memory.call("TransactWriteItems", request))

    def _query(self, request: dict[str, Any]) -> Reply:
        self._load_all(request["TableName"])
        return self._memory.call("Query", request)

    def _scan(self, request: dict[str, Any]) -> Reply:
        table, start = request["TableName"], request.get("ExclusiveStartKey") or {}
        if "FilterExpression" in request:
            self._load_all(table)
        if table in self._complete:
            return self._memory.call("Scan", request)
        if _CURSOR in start:
            return self._new_items(request, start[_CURSOR]["M"])
        page = self._connection.call("Scan", request)
        if not self._written.count(table):
            return page
        items = [self._current(table, item) for item in page["Items"]]
        page["Items"] = [item for item in items if item is not None]
        if "LastEvaluatedKey" not in page and self._written.count_new(table):
            page["LastEvaluatedKey"] = {_CURSOR: {"M": {}}}
        return page

    def _current(self, table: str, item: Item) -> Item | None:
        """An item of a table as it would be stored now."""
        if not self._has(table, item):
            return item
        key = {name: item[name] for name in self._keys[table]}
        held: Item | None = self._memory.call("GetItem", {"TableName": table, "Key": key}).get("Item")
        return held

    def _new_items(self, request: dict[str, Any], after: Item) -> Reply:
        """A page of the items that exist only in memory."""
        table = request["TableName"]
        start = {"ExclusiveStartKey": after} if after else {}
        rest = {name: value for name, value in request.items() if name != "ExclusiveStartKey"}
        page = _without_capacity(self._memory.call("Scan", rest | start))
        page["Items"] = [
            item for item in page["Items"] if self._written.find(table, self._identity(table, item)) == "new"
        ]
        if "LastEvaluatedKey" in page:
            page["LastEvaluatedKey"] = {_CURSOR: {"M": page["LastEvaluatedKey"]}}
        return page

    def _source(self, table: str) -> Connection:
        return self._memory if table in self._complete else self._connection

    def _identity(self, table: str, item: Item) -> Identity:
        return tuple((name, str(normalise(item[name]))) for name in self._keys[table])

    def _has(self, table: str, key: Item) -> bool:
        """Whether an item is read from memory."""
        if table in self._complete:
            return True
        if not self._written.count(table):
            return False
        return self._written.find(table, self._identity(table, key)) is not None

    def _load(self, table: str, keys: Iterable[Item]) -> None:
        """Copy items to memory before they are written."""
        if table in self._complete:
            return
        self._prepare(table)
        for requested in keys:
            identity = self._identity(table, requested)
            if self._written.find(table, identity) is not None:
                continue
            key = {name: requested[name] for name in self._keys[table]}
            request = {"TableName": table, "Key": key, "ConsistentRead": True}
            item = self._connection.call("GetItem", request).get("Item")
            if item is not None:
                self._memory.call("PutItem", {"TableName": table, "Item": item})
            self._written.add(table, identity, "new" if item is None else "stored")

    def _prepare(self, table: str) -> None:
        """Create a table in memory, with the keys and indexes of the table."""
        if table in self._keys:
            return
        described = self._connection.call("DescribeTable", {"TableName": table})["Table"]
        request: dict[str, Any] = {"TableName": table, "BillingMode": "PAY_PER_REQUEST"}
        request |= {member: described[member] for member in _DEFINITION}
        for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            if described.get(member):
                names = ("IndexName", "KeySchema", "Projection")
                request[member] = [{name: index[name] for name in names} for index in described[member]]
        if described.get("VectorIndexes"):
            # Their attributes are defined too, and their vectors are checked.
            request["VectorIndexes"] = [
                vector_index_definition(index) for index in described["VectorIndexes"]
            ]
        self._memory.call("CreateTable", request)
        self._keys[table] = tuple(element["AttributeName"] for element in described["KeySchema"])

    def _load_all(self, table: str) -> None:
        """Copy a whole table to memory: for queries and filters."""
        if table in self._complete:
            return
        try:
            self._prepare(table)
        except ResourceNotFound:
            return
        request: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
        while True:
            page = self._connection.call("Scan", request)
            for item in page["Items"]:
                if self._written.find(table, self._identity(table, item)) is None:
                    self._memory.call("PutItem", {"TableName": table, "Item": item})
            if "LastEvaluatedKey" not in page:
                break
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
        self._complete.add(table)


def _item_only(reply: Reply) -> Reply:
    return {"Item": reply["Item"]} if "Item" in reply else {}


def _without_capacity(reply: Reply) -> Reply:
    """A reply of memory, which consumes no capacity of the tables."""
    reply.pop("ConsumedCapacity", None)
    return reply
