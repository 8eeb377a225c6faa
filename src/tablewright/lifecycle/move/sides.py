"""The two sides of a move: the stores that tables are moved between."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tablewright.access.context import Context
from tablewright.access.procedures import Call, Procedure, T, backoff, run_sync, with_retries
from tablewright.connections import Connection
from tablewright.design.designs import Design
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import MoveError, ResourceNotFound
from tablewright.lifecycle.traversal.rate_limit import Meter, metered

SideName = Literal["source", "target"]
BATCH = 25
"""The most writes of one BatchWriteItem."""
ATTEMPTS = 50
"""The most attempts to write what a throttled table did not process."""

ON_DEMAND = {"Read": 12_000, "Write": 4_000}
"""The units a second that a new table on demand has at once."""

Write = dict[str, Any]
"""A PutRequest or DeleteRequest of BatchWriteItem."""


@dataclass
class MoveSide:
    """A store, and the names of the design's tables in it."""

    name: SideName
    connection: Connection
    design: Design
    context: Context
    meter: Meter = field(default_factory=Meter)
    pause: Callable[[float], None] = time.sleep

    def run(self, procedure: Procedure[T]) -> T:
        """Run a procedure, at the rate of this side."""
        return run_sync(metered(procedure, self.meter), self.connection.call, self.pause)

    def call(self, operation: str, **request: Any) -> dict[str, Any]:
        """Make a call that is safe to repeat, at the rate of this side."""
        return self.run(with_retries(Call(operation, request)))

    def table_name(self, table: Table) -> str:
        """The name of a table in this store."""
        return self.context.table_name(table)

    def get(self, table: Table, key: Item) -> Item | None:
        """Return an item, read consistently."""
        reply = self.call("GetItem", TableName=self.table_name(table), Key=key, ConsistentRead=True)
        return reply.get("Item")

    def pages(self, table: Table) -> Iterator[list[Item]]:
        """All items of a table, page by page, read consistently."""
        request: dict[str, Any] = {"TableName": self.table_name(table), "ConsistentRead": True}
        while True:
            page = self.call("Scan", **request)
            yield page["Items"]
            if not page.get("LastEvaluatedKey"):
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def identity(self, table: Table) -> str | None:
        """What tells a table from all others: its id, or its ARN and its time of creation; None if it is absent."""
        try:
            description = self.call("DescribeTable", TableName=self.table_name(table))["Table"]
        except ResourceNotFound:
            return None
        created = description.get("CreationDateTime", "")
        return str(description.get("TableId") or f"{description['TableArn']} of {created}")

    def identities(self) -> list[str]:
        """What tells the tables of the design from all others; raise `MoveError` if this side lacks one."""
        by_table = {table: self.identity(table) for table in self.design.tables}
        missing = [self.table_name(table) for table, identity in by_table.items() if identity is None]
        if missing:
            raise MoveError(
                f"table {missing[0]} does not exist at the {self.name}; give another location with "
                f"{'--from' if self.name == 'source' else '--to'}, --env or --prefix"
            )
        return [identity for identity in by_table.values() if identity is not None]

    def write(self, table: Table, writes: Sequence[Write]) -> None:
        """Make writes to different keys of a table."""
        name = self.table_name(table)
        for start in range(0, len(writes), BATCH):
            left = {name: list(writes[start : start + BATCH])}
            for attempt in range(ATTEMPTS):
                left = self.call("BatchWriteItem", RequestItems=left).get("UnprocessedItems") or {}
                if not left:
                    break
                self.pause(backoff(attempt).seconds)
            else:
                raise MoveError(
                    f"table {name} of the {self.name} is throttled for too long; lower --rate, or raise the capacity "
                    "of the table, and run the command again to continue"
                )


def shared_rate(side: MoveSide, share: float) -> float:
    """Return the units a second for a share of the smallest capacity: reads of a source, writes of a target."""
    kind = "Read" if side.name == "source" else "Write"
    return share * min(
        (_capacity(side, table, kind) for table in side.design.tables), default=ON_DEMAND[kind]
    )


def _capacity(side: MoveSide, table: Table, kind: str) -> float:
    description = side.call("DescribeTable", TableName=side.table_name(table))["Table"]
    provisioned = (description.get("ProvisionedThroughput") or {}).get(f"{kind}CapacityUnits", 0)
    limited = (description.get("OnDemandThroughput") or {}).get(f"Max{kind}RequestUnits", 0)
    return float(provisioned or (limited if limited > 0 else ON_DEMAND[kind]))


def put(item: Item) -> Write:
    """A write that stores an item."""
    return {"PutRequest": {"Item": item}}


def delete(key: Item) -> Write:
    """A write that deletes an item."""
    return {"DeleteRequest": {"Key": key}}
