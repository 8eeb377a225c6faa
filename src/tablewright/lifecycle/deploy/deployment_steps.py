"""Steps: what has to be done to a table so that it becomes what its design wants, one call or few each.

A step is a value: it says what it does, whether something is lost by it, what it costs, and which requests it makes.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.design.tables.billing import Billing, Provisioned
from tablewright.lifecycle.deploy.table_state import IndexState

Request = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Step(ABC):
    """Something to do to one table."""

    table: str

    is_destructive = False
    """Whether data is lost, or reads fail meanwhile."""
    units = 0
    """Write units that it consumes, on AWS."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What it does, in a line."""

    @property
    @abstractmethod
    def requests(self) -> tuple[Request, ...]:
        """The calls it takes, one after the other, each once the table has settled."""


@dataclass(frozen=True, slots=True)
class CreateTable(Step):
    """Make a table that is not there."""

    definition: Mapping[str, Any]

    @property
    def description(self) -> str:
        """What it does, in a line."""
        indexes = [index["IndexName"] for index in self.definition.get("GlobalSecondaryIndexes", ())]
        return f"create table {self.table}" + (f" with indexes {', '.join(indexes)}" if indexes else "")

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls it takes."""
        return (("CreateTable", dict(self.definition)),)


@dataclass(frozen=True, slots=True)
class ReplaceTable(CreateTable):
    """Make a table anew, as its key or a local index cannot be changed; what is in it goes into a backup."""

    why: str = ""
    backup: str = ""
    is_protected: bool = False
    is_destructive = True

    @property
    def description(self) -> str:
        """What it does, in a line."""
        return f"replace table {self.table}, as {self.why}: back it up as {self.backup}, delete it, create it anew"

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls it takes."""
        unprotect = {"TableName": self.table, "DeletionProtectionEnabled": False}
        return (
            ("CreateBackup", {"TableName": self.table, "BackupName": self.backup}),
            *((("UpdateTable", unprotect),) if self.is_protected else ()),
            ("DeleteTable", {"TableName": self.table}),
            ("CreateTable", dict(self.definition)),
        )


@dataclass(frozen=True, slots=True)
class AddIndex(Step):
    """Add a global index; DynamoDB fills it from the items that are there."""

    index: IndexState
    billing: Billing
    rows: int = 0

    @property
    def description(self) -> str:
        """What it does, in a line."""
        key = ", ".join(name for name, _, _ in self.index.key)
        return f"add index {self.index.name} on {key} to {self.table}"

    @property
    def units(self) -> int:  # type: ignore[override]
        """One at least for each item that it takes in."""
        return self.rows

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls it takes."""
        kind, *included = self.index.projection
        created: dict[str, Any] = {
            "IndexName": self.index.name,
            "KeySchema": [{"AttributeName": name, "KeyType": role} for name, role, _ in self.index.key],
            "Projection": {"ProjectionType": kind} | ({"NonKeyAttributes": included} if included else {}),
        }
        if isinstance(self.billing, Provisioned):
            created["ProvisionedThroughput"] = throughput(self.billing)
        types = [{"AttributeName": name, "AttributeType": kind} for name, _, kind in self.index.key]
        change = {"AttributeDefinitions": types, "GlobalSecondaryIndexUpdates": [{"Create": created}]}
        return (("UpdateTable", {"TableName": self.table, **change}),)


@dataclass(frozen=True, slots=True)
class DropIndex(Step):
    """Remove a global index; whoever still reads it fails."""

    index: str
    why: str
    is_destructive = True

    @property
    def description(self) -> str:
        """What it does, in a line."""
        return f"drop index {self.index} of {self.table}, as {self.why}"

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls it takes."""
        change = [{"Delete": {"IndexName": self.index}}]
        return (("UpdateTable", {"TableName": self.table, "GlobalSecondaryIndexUpdates": change}),)


@dataclass(frozen=True, slots=True)
class Backfill(Step):
    """Write the attributes that an index is made of into the items that lack them."""

    index: str
    rows: int = 0

    @property
    def description(self) -> str:
        """What it does, in a line."""
        return f"backfill the attributes of index {self.index} into the items of {self.table}"

    @property
    def units(self) -> int:  # type: ignore[override]
        """Each item is written, and its row in the index."""
        return 2 * self.rows

    @property
    def requests(self) -> tuple[Request, ...]:
        """None of its own: it is a pass over the table."""
        return ()


@dataclass(frozen=True, slots=True)
class Change(Step):
    """Change a setting of a table."""

    what: str
    calls: tuple[Request, ...]

    @property
    def description(self) -> str:
        """What it does, in a line."""
        return f"{self.what} of {self.table}"

    @property
    def requests(self) -> tuple[Request, ...]:
        """The calls it takes."""
        return self.calls


def throughput(billing: Provisioned) -> dict[str, int]:
    """Capacity as requests have it."""
    return {"ReadCapacityUnits": billing.read, "WriteCapacityUnits": billing.write}
